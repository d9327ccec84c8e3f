package web

import (
	"errors"
	"net/http"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"github.com/labstack/echo/v5"
)

// serializer reads JSON to the request's arena, and writes it from there, for Context.Bind and
// Context.JSON.
type serializer struct{}

func (serializer) Deserialize(c *echo.Context, v any) error { return arenahttp.Decode(c.Request(), v) }

func (serializer) Serialize(c *echo.Context, v any, _ string) error {
	return write(c.Response(), c.Request(), v)
}

// Echo returns routes of echo, with arenahttp around all of them. Middleware passes the route to
// arenahttp.
func Echo(pool *arena.Pool) http.Handler {
	e := echo.New()
	e.JSONSerializer = serializer{}
	e.HTTPErrorHandler = func(c *echo.Context, err error) {
		// Errors of echo have a status, such as 404 for a missing route.
		if _, ok := errors.AsType[*arenahttp.Problem](err); !ok && echo.StatusCode(err) != 0 {
			err = &arenahttp.Problem{Status: echo.StatusCode(err)}
		}
		arenahttp.Error(c.Response(), c.Request(), err)
	}
	e.Use(func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) error {
			c.Request().Pattern = c.Path()
			return next(c)
		}
	})
	e.POST("/words/:name", func(c *echo.Context) error {
		text, err := answer(c.Request(), c.Param("name"))
		if err != nil {
			return err
		}
		return c.String(http.StatusOK, text)
	})
	e.POST("/orders", func(c *echo.Context) error {
		o := arena.New[Order](arena.FromContext(c.Request().Context()))
		if err := c.Bind(o); err != nil {
			return err
		}
		if err := valid(o); err != nil {
			return err
		}
		return c.JSON(http.StatusCreated, o)
	})
	e.GET("/health", func(c *echo.Context) error { return c.NoContent(http.StatusOK) })
	return arenahttp.Handler(pool, e)
}
