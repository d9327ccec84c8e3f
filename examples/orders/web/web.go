// Package web reads and writes JSON for handlers in plain Go, with the functions of package arenahttp.
package web

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
)

// A Problem is an error as an answer (RFC 9457).
type Problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail,omitempty"`
}

func (p *Problem) Error() string { return http.StatusText(p.Status) + ": " + p.Detail }

// Marshal and Unmarshal write and read JSON. Another library may replace them.
var (
	Marshal   = json.Marshal
	Unmarshal = json.Unmarshal
)

// Limit is the largest body of a request, in bytes.
const Limit = 8 << 20

// JSON reads the body of a request, which must be one JSON value.
func JSON[T any](r *http.Request) (*T, error) {
	if t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); t != "application/json" {
		return nil, &Problem{Status: http.StatusUnsupportedMediaType}
	}
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, Limit))
	if err != nil {
		return nil, err
	}
	v := new(T)
	if err := Unmarshal(body, v); err != nil {
		if bad := (*json.UnmarshalTypeError)(nil); errors.As(err, &bad) {
			return nil, &Problem{Status: http.StatusUnprocessableEntity, Detail: bad.Field + ": " + bad.Value}
		}
		return nil, &Problem{Status: http.StatusBadRequest, Detail: err.Error()}
	}
	return v, nil
}

// Reply answers with a value as JSON.
func Reply(w http.ResponseWriter, r *http.Request, status int, v any) {
	text, err := Marshal(v)
	if err != nil {
		Error(w, r, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	w.Write(text)
}

// Error answers with the part of an error that a client may see.
func Error(w http.ResponseWriter, r *http.Request, err error) {
	var p *Problem
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &p):
	case errors.As(err, &large):
		p = &Problem{Status: http.StatusRequestEntityTooLarge}
	default:
		slog.Error("request failed", "err", err)
		p = &Problem{Status: http.StatusInternalServerError}
	}
	answer := *p
	answer.Title = http.StatusText(p.Status)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(answer)
}
