// Package fasthttp has what handlers are given by the package of that name.
package fasthttp

import "context"

type RequestCtx struct{ context.Context }

func (*RequestCtx) PostBody() []byte { return nil }
