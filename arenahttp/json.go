package arenahttp

import (
	"context"
	"fmt"
	"log"
	"mime"
	"net/http"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

// This file decodes JSON into a request's arena and writes it from there, and lets work go on in an
// arena after the answer. Errors for clients are in problem.go.

// JSON reads the body of a request, as [ReadBody] does, and decodes it into a T in the request's
// arena, or on the Go heap if it has none. It decodes as [arenajson.New] does with the options;
// strings without escapes refer to the body, which is in the arena too.
//
// Its errors are for [Error]: a *[Problem], a *[http.MaxBytesError] or a *[arena.LimitError]. The
// Content-Type must be application/json, or end in +json, so that a form on another site can't send
// it.
func JSON[T any](r *http.Request, opts ...arenajson.Options) (*T, error) {
	v := arena.New[T](arena.FromContext(r.Context()))
	if err := Decode(r, v, opts...); err != nil {
		return nil, err
	}
	return v, nil
}

// Decode is [JSON] for an existing value, to which v points, as the interfaces of web frameworks
// require.
func Decode(r *http.Request, v any, opts ...arenajson.Options) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		return &Problem{Status: http.StatusUnsupportedMediaType, Detail: "the Content-Type must be application/json"}
	}
	body, err := ReadBody(r)
	if err != nil {
		return err
	}
	a := arena.FromContext(r.Context())
	all := arenajson.JoinOptions(opts...)
	if err := arenajson.Unmarshal(a, body, v, arenajson.ReferenceInput(true), all); err != nil {
		return jsonProblem(err)
	}
	return nil
}

// Reply answers a request with a value as JSON, written as [arenajson.Marshal] does with the
// options, by one call of Write. It sets Content-Length, and Content-Type unless that is set. If
// the value can't be written, it sends nothing and returns a *[Problem] for [Error]. An error of
// Write, after which the client is gone, is returned unchanged.
//
// A status without a body, such as 204 (No Content), is sent alone. The bytes stay in the request's
// arena until the handler returns.
func Reply(w http.ResponseWriter, r *http.Request, status int, v any, opts ...arenajson.Options) error {
	if status == http.StatusNoContent || status == http.StatusNotModified {
		w.WriteHeader(status)
		return nil
	}
	text, err := arenajson.Marshal(arena.FromContext(r.Context()), v, opts...)
	if err != nil {
		return &Problem{Err: err}
	}
	if _, ok := w.Header()["Content-Type"]; !ok {
		w.Header()["Content-Type"] = []string{"application/json"}
	}
	return send(w, status, text)
}

// Go calls f in a goroutine of its own, which goes on after the handler has returned. The values in
// the request's arena stay valid until f returns, as with [Detach], and f may read them. f
// allocates from an arena of its own, from the same pool, which is put back when f returns. So the
// handler may go on using the request's. If the request has no arena, f gets nil, the Go heap.
//
// The context has the values of the request's context and the arena of f, and doesn't end with the
// request. If f panics with a *arena.LimitError that is logged; other panics end the program, as in
// any goroutine. Go must be called before the handler returns.
func Go(r *http.Request, f func(ctx context.Context, a *arena.Arena)) {
	ctx := context.WithoutCancel(r.Context())
	l, _ := ctx.Value(loanKey{}).(*loan)
	if l == nil {
		go f(ctx, nil)
		return
	}
	done, pool := Detach(r), l.handler.pool
	key := "after " + l.Key()
	go func() {
		defer done()
		err := pool.DoKeyed(key, func(a *arena.Arena) error {
			f(arena.NewContext(ctx, a), a)
			return nil
		})
		if err != nil {
			log.Printf("arenahttp: Go: work after %q: %v", fmt.Sprint(l.request.Method, " ", l.request.URL.Path), err)
		}
	}()
}
