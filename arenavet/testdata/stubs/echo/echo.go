// Package echo has what handlers are given by the package of that name.
package echo

import "net/http"

type Context struct{ request *http.Request }

func (c *Context) Request() *http.Request { return c.request }
