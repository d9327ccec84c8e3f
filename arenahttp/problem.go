package arenahttp

import (
	"errors"
	"net/http"
	"os"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

// This file turns errors into answers. A client learns the error in its request, and its place, but
// nothing about errors inside the server.

// A Problem is a client's view of an error: problem details by RFC 9457. It is an error itself, so
// that a function may return one with its own status.
type Problem struct {
	Type    string `json:"type,omitempty"` // a URI; about:blank if empty: the status is enough
	Title   string `json:"title"`          // the text of the status if empty
	Status  int    `json:"status"`         // 500 if it is 0
	Detail  string `json:"detail,omitempty"`
	Pointer string `json:"pointer,omitempty"` // into the body, a JSON Pointer (RFC 6901)

	Err error `json:"-"` // the cause, for [errors.Is] and logs
}

func (p *Problem) Error() string {
	text := p.Detail
	if text == "" {
		text = p.title()
	}
	if p.Err != nil {
		text += ": " + p.Err.Error()
	}
	return text
}

// Unwrap returns p.Err.
func (p *Problem) Unwrap() error { return p.Err }

func (p *Problem) title() string {
	if p.Title != "" {
		return p.Title
	}
	return http.StatusText(p.status())
}

func (p *Problem) status() int {
	if p.Status == 0 {
		return http.StatusInternalServerError
	}
	return p.Status
}

// Error answers a request with the client's view of an error, as application/problem+json. It must
// be called before anything else is written. A *[Problem] has its own status. The statuses of
// [JSON] are:
//
//	400  the body isn't JSON, with the place, or ends early
//	408  the client was too slow
//	415  the Content-Type is another
//	422  the JSON doesn't fit the type, with the place
//
// For other errors, Error answers 413 for a *[http.MaxBytesError] and an arena over its
// arena.WithLimit, 503 with Retry-After for one over the arena.WithPoolLimit, and 500 without
// details for all others: their texts aren't for clients.
func Error(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	p.Title, p.Status = p.title(), p.status()
	if p.Status == http.StatusServiceUnavailable && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "1")
	}
	text, failed := arenajson.Marshal(nil, &p, arenajson.AllowInvalidUTF8(true))
	if failed != nil {
		panic(failed)
	}
	w.Header().Set("Content-Type", "application/problem+json")
	send(w, p.Status, text)
}

// send writes a complete answer.
func send(w http.ResponseWriter, status int, text []byte) error {
	w.Header()["Content-Length"] = []string{strconv.Itoa(len(text))}
	w.WriteHeader(status)
	_, err := w.Write(text)
	return err
}

// problemOf returns the client's view of an error.
func problemOf(err error) Problem {
	var p *Problem
	var large *http.MaxBytesError
	var limit *arena.LimitError
	switch {
	case errors.As(err, &p):
		return *p
	case errors.As(err, &large):
		return Problem{Status: http.StatusRequestEntityTooLarge, Detail: "the body is too large"}
	case errors.As(err, &limit) && limit.Total:
		return Problem{Status: http.StatusServiceUnavailable, Detail: "the server has no memory left; try again"}
	case errors.As(err, &limit):
		const detail = "the request needs too much memory; send less at a time"
		return Problem{Status: http.StatusRequestEntityTooLarge, Detail: detail}
	}
	return Problem{}
}

// bodyProblem returns the problem of a body that can't be read.
func bodyProblem(err error) error {
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return err
	case errors.Is(err, os.ErrDeadlineExceeded):
		return &Problem{Status: http.StatusRequestTimeout, Err: err}
	}
	return &Problem{Status: http.StatusBadRequest, Detail: "the body ends early", Err: err}
}

// jsonProblem describes the error in a text, or the value that doesn't fit, without names of Go.
// Other errors, such as that of a full arena, aren't about the text.
func jsonProblem(err error) error {
	e, ok := errors.AsType[*arenajson.Error](err)
	if !ok {
		return err
	}
	p := &Problem{Status: http.StatusBadRequest, Pointer: e.Pointer, Err: err}
	if len(p.Pointer) > mostText {
		p.Pointer = "" // a part of it would point elsewhere
	}
	if e.Type == nil {
		p.Detail = shorten(e.Err.Error())
		return p
	}
	p.Status = http.StatusUnprocessableEntity
	p.Detail = wanted(e.Type) + " is expected"
	if e.Value != "" {
		p.Detail += ", not " + shorten(e.Value)
	}
	return p
}

// wanted describes the JSON that a type is decoded from.
func wanted(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return "an integer in range"
	case reflect.Float32, reflect.Float64:
		return "a number in range"
	case reflect.String:
		return "a string"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		if t == reflect.TypeFor[time.Time]() {
			return "a time such as " + time.RFC3339
		}
		return "an object"
	}
	return "another value"
}

// mostText is the most bytes of a request that are sent back.
const mostText = 80

// shorten returns the beginning of a text whose length the client chooses.
func shorten(s string) string {
	if len(s) <= mostText {
		return s
	}
	return strings.ToValidUTF8(s[:mostText], "") + "..."
}
