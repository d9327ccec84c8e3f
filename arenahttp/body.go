package arenahttp

import (
	"net/http"

	"github.com/harena-go/arena"
)

// This file reads bodies into arenas.

// ReadBody reads the body of a request to its end and returns it, in the request's arena, or on the
// Go heap if it has none. Nothing is copied if the client has announced the length, up to 1 MiB. It
// returns a *[http.MaxBytesError] if the body is larger than [MaxBody] allows, before reading
// anything if the length was announced. Another error of the body, such as that of a client that is
// gone or too slow, is returned in a *[Problem]. It panics with a *arena.LimitError if the arena
// has no room, which [Handler] answers.
//
// The request must have the context of the handler's request, or one derived from it. Its body may
// be wrapped, for example by http.MaxBytesReader.
func ReadBody(r *http.Request) ([]byte, error) {
	limit := int64(DefaultMaxBody)
	l, _ := r.Context().Value(loanKey{}).(*loan)
	if l != nil {
		limit = l.handler.maxBody
	}
	if r.Body == nil {
		return nil, nil
	}
	if r.ContentLength > limit {
		return nil, &http.MaxBytesError{Limit: limit}
	}
	a := arena.FromContext(r.Context())
	body, err := a.ReadAll(http.MaxBytesReader(nil, r.Body, limit), r.ContentLength)
	if err != nil {
		return nil, bodyProblem(err)
	}
	if l != nil {
		l.trailer(r)
	}
	return body, nil
}
