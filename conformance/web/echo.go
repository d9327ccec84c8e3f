package web

import (
	"net/http"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/labstack/echo/v5"
)

// Echo returns routes of echo, with arenahttp around all of them. Middleware tells arenahttp the
// route.
func Echo(pool *arena.Pool) http.Handler {
	e := echo.New()
	e.Use(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) error {
			c.Request().Pattern = c.Path()
			return next(c)
		}
	})
	e.POST("/words/:name", func(c *echo.Context) error {
		text, err := answer(c.Request(), c.Param("name"))
		if err != nil {
			return echo.NewHTTPError(http.StatusBadRequest, err.Error())
		}
		return c.String(http.StatusOK, text)
	})
	e.GET("/health", func(c *echo.Context) error { return c.NoContent(http.StatusOK) })
	return arenahttp.Handler(pool, e)
}
