// Command echo is an HTTP server with the framework echo, in which each request has an arena.
package main

import (
	"log"
	"net/http"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/labstack/echo/v5"
)

func main() {
	pool := arena.NewPool(arena.WithName("web"), arena.WithLimit(8<<20), arena.WithPoolLimit(1<<30)) // one request, all requests
	log.Fatal(http.ListenAndServe("localhost:8080", routes(pool)))
}

// routes returns the server's routes, with arenahttp around all of them.
func routes(pool *arena.Pool) http.Handler {
	e := echo.New()
	e.Use(pattern)
	e.POST("/words/:name", count)
	e.GET("/health", func(c *echo.Context) error { return c.NoContent(http.StatusOK) })
	return arenahttp.Handler(pool, e)
}

// pattern tells arenahttp the route, by which the pool learns how much requests take.
func pattern(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c *echo.Context) error {
		c.Request().Pattern = c.Path()
		return next(c)
	}
}

func count(c *echo.Context) error {
	text, err := answer(c.Request(), c.Param("name"))
	if err != nil {
		return echo.NewHTTPError(http.StatusBadRequest, err.Error())
	}
	return c.String(http.StatusOK, text)
}

// answer says how many words a request has, all of it in the request's arena.
func answer(r *http.Request, name string) (string, error) {
	a := arena.FromContext(r.Context())
	body, err := arenahttp.ReadBody(r)
	if err != nil {
		return "", err
	}
	var words []string
	for word := range strings.FieldsSeq(a.AllocBytesToString(body)) {
		words = arena.Append(a, words, word)
	}
	return a.Sprintf("%d words from %s", len(words), name), nil
}
