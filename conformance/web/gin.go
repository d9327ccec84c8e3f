package web

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
)

// body is a binding that reads JSON to the request's arena.
type body struct{}

func (body) Name() string { return "json" }

func (body) Bind(r *http.Request, v any) error { return arenahttp.Decode(r, v) }

// reply is a render that writes JSON from the request's arena.
type reply struct {
	*http.Request
	v any
}

func (r reply) Render(w http.ResponseWriter) error {
	r.WriteContentType(w)
	return write(w, r.Request, r.v)
}

func (reply) WriteContentType(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
}

// Gin returns routes of gin, with arenahttp around all of them. Middleware passes the route to
// arenahttp. Without gin.Recovery within, arenahttp handles panics: it answers requests that exceed
// a limit, and frees the arena after other panics.
func Gin(pool *arena.Pool) http.Handler {
	e := gin.New()
	e.Use(func(c *gin.Context) { c.Request.Pattern = c.FullPath() })
	e.POST("/words/:name", func(c *gin.Context) {
		text, err := answer(c.Request, c.Param("name"))
		if err != nil {
			c.String(http.StatusBadRequest, err.Error())
			return
		}
		c.String(http.StatusOK, text)
	})
	e.POST("/orders", func(c *gin.Context) {
		o := arena.New[Order](arena.FromContext(c.Request.Context()))
		err := c.ShouldBindWith(o, body{})
		if err == nil {
			err = valid(o)
		}
		if err != nil {
			arenahttp.Error(c.Writer, c.Request, err)
			return
		}
		c.Render(http.StatusCreated, reply{c.Request, o})
	})
	e.GET("/health", func(c *gin.Context) { c.Status(http.StatusOK) })
	return arenahttp.Handler(pool, e)
}
