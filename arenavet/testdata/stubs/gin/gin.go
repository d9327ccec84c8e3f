// Package gin has what handlers are given by the package of that name.
package gin

import "net/http"

type Context struct {
	Request *http.Request
	Keys    map[any]any
}

func (c *Context) Set(key, value any) { c.Keys[key] = value }
