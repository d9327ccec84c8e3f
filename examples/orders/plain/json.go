package plain

import (
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"strconv"
)

// A problem is an answer that isn't what was asked for (RFC 9457).
type problem struct {
	Status int    `json:"status"`
	Title  string `json:"title"`
	Detail string `json:"detail,omitempty"`
}

func (p *problem) Error() string { return http.StatusText(p.Status) + ": " + p.Detail }

// decode reads the body of a request, which must be one JSON value.
func decode[T any](w http.ResponseWriter, r *http.Request) (*T, error) {
	if t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); t != "application/json" {
		return nil, &problem{Status: http.StatusUnsupportedMediaType}
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 8<<20))
	if err != nil {
		return nil, err
	}
	v := new(T)
	if err := json.Unmarshal(body, v); err != nil {
		if bad := (*json.UnmarshalTypeError)(nil); errors.As(err, &bad) {
			return nil, &problem{Status: http.StatusUnprocessableEntity, Detail: bad.Field + ": " + bad.Value}
		}
		return nil, &problem{Status: http.StatusBadRequest, Detail: err.Error()}
	}
	return v, nil
}

func reply(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		fail(w, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(status)
	w.Write(text)
}

func fail(w http.ResponseWriter, err error) {
	var p *problem
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &p):
	case errors.As(err, &large):
		p = &problem{Status: http.StatusRequestEntityTooLarge}
	default:
		slog.Error("request failed", "err", err)
		p = &problem{Status: http.StatusInternalServerError}
	}
	answer := *p
	answer.Title = http.StatusText(p.Status)
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(p.Status)
	json.NewEncoder(w).Encode(answer)
}
