// Package fasthttp has what handlers and clients use of the package of that name.
package fasthttp

import (
	"context"
	"sync"
)

type RequestCtx struct {
	context.Context
	Request Request
}

func (ctx *RequestCtx) PostBody() []byte { return ctx.Request.body }

type Request struct{ body []byte }

type Response struct{ body []byte }

func (r *Response) Body() []byte { return r.body }

func (r *Response) Reset() { r.body = r.body[:0] }

var responses sync.Pool

func AcquireResponse() *Response {
	if v := responses.Get(); v != nil {
		return v.(*Response)
	}
	return new(Response)
}

func ReleaseResponse(r *Response) {
	r.Reset()
	responses.Put(r)
}

func Do(r *Response) error { return nil }
