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

// This file reads JSON into a request's arena and writes it from there, and lets work go on in
// an arena after the answer. Errors for clients are in problem.go.

// JSON reads the body of a request, as [ReadBody] does, and returns it as a T in the request's
// arena, or on the Go heap if it has none. Names are matched and values are read as
// [arenajson.New] does with the options; strings without escapes refer to the body, which lies in
// the arena too.
//
// An error is for [Error]: a *[Problem], a *[http.MaxBytesError] or a *[arena.LimitError]. The
// Content-Type must be application/json, or end in +json, so that a form on another site can't send
// it.
func JSON[T any](r *http.Request, opts ...arenajson.Options) (*T, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil ||
		kind != "application/json" && !strings.HasSuffix(kind, "+json") {
		const detail = "the Content-Type must be application/json"
		return nil, &Problem{Status: http.StatusUnsupportedMediaType, Detail: detail}
	}
	body, err := ReadBody(r)
	if err != nil {
		return nil, bodyProblem(err)
	}
	a := arena.FromContext(r.Context())
	v, err := arenajson.New[T](a, body, arenajson.ReferenceInput(true), arenajson.JoinOptions(opts...))
	if err != nil {
		return nil, jsonProblem(err)
	}
	return v, nil
}

// Reply answers a request with a value as JSON, written as [arenajson.Marshal] does with the
// options, by one call of Write. It sets Content-Length, and Content-Type unless that is set. If a
// value can't be written nothing was sent, and the error is a *[Problem] for [Error]. The error of
// Write, after which the client is gone, is returned as it is.
//
// A status without a body, such as 204 (No Content), is sent alone. The bytes lie in the
// request's arena until the handler returns.
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
// the request's arena stay valid until f returns, as with [Detach], and f may read them. It
// allocates from an arena of its own, so that the handler may go on with the request's; that one is
// from the same pool, and is put back when f returns. If the request has no arena, f gets nil, the
// Go heap.
//
// The context has the values of the request's and the arena of f, and doesn't end with the request.
// A *arena.LimitError with which f panics is logged; other panics end the program, as those of any
// goroutine do. Go must be called before the handler returns.
func Go(r *http.Request, f func(ctx context.Context, a *arena.Arena)) {
	ctx := context.WithoutCancel(r.Context())
	l, _ := ctx.Value(loanKey{}).(*loan)
	if l == nil {
		go f(ctx, nil)
		return
	}
	done, pool := Detach(r), l.handler.pool
	key := "after " + l.request.Pattern
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
