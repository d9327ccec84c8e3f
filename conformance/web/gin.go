package web

import (
	"net/http"

	"github.com/gin-gonic/gin"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
)

// Gin returns routes of gin, with arenahttp around all of them. Middleware tells arenahttp the
// route. Without gin.Recovery within, arenahttp sees panics: it answers those of a limit, and frees
// the arena for others.
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
	e.GET("/health", func(c *gin.Context) { c.Status(http.StatusOK) })
	return arenahttp.Handler(pool, e)
}
