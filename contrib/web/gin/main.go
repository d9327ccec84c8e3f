// Command gin is an HTTP server with the framework gin, in which each request has an arena.
package main

import (
	"log"
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
)

func main() {
	pool := arena.NewPool(arena.WithName("web"), arena.WithLimit(8<<20), arena.WithPoolLimit(1<<30)) // one request, all requests
	log.Fatal(http.ListenAndServe("localhost:8080", routes(pool)))
}

// routes returns the server's routes, with arenahttp around all of them. Without gin.Recovery within, it sees panics: it answers
// those of a limit, and frees the arena for others.
func routes(pool *arena.Pool) http.Handler {
	e := gin.New()
	e.Use(pattern)
	e.POST("/words/:name", count)
	e.GET("/health", func(c *gin.Context) { c.Status(http.StatusOK) })
	return arenahttp.Handler(pool, e)
}

// pattern tells arenahttp the route, by which the pool learns how much requests take.
func pattern(c *gin.Context) { c.Request.Pattern = c.FullPath() }

func count(c *gin.Context) {
	text, err := answer(c.Request, c.Param("name"))
	if err != nil {
		c.String(http.StatusBadRequest, err.Error())
		return
	}
	c.String(http.StatusOK, text)
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
