package arenafasthttp_test

import (
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
	"github.com/valyala/fasthttp"
)

// TestKeeps: see docs/promises.md.
func TestKeeps(t *testing.T) {
	response := func(use func(ctx *fasthttp.RequestCtx)) func() string {
		var ctx fasthttp.RequestCtx
		use(&ctx)
		return func() string {
			who, _ := ctx.UserValue("who").(string)
			return ctx.Response.String() + who
		}
	}
	arenakit.Keeps(t, "fasthttp", map[string]arenakit.Use{
		"a field of a header": func(s string) func() string {
			return response(func(ctx *fasthttp.RequestCtx) { ctx.Response.Header.Set("X-Who", s) })
		},
		"a body, by SetBody or Write": func(s string) func() string {
			return response(func(ctx *fasthttp.RequestCtx) { ctx.SetBody(unsafe.Slice(unsafe.StringData(s), len(s))) })
		},
		"a body, by SetBodyRaw": func(s string) func() string {
			return response(func(ctx *fasthttp.RequestCtx) { ctx.Response.SetBodyRaw(unsafe.Slice(unsafe.StringData(s), len(s))) })
		},
		"a user value": func(s string) func() string {
			return response(func(ctx *fasthttp.RequestCtx) { ctx.SetUserValue("who", s) })
		},
	})
}
