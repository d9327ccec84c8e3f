package arenahttp

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"runtime"
)

// This file holds the ResponseWriter of next. It records the calls on the connection, and must
// not depend on the fate of the arena.

// A writer is the http.ResponseWriter of a loan, without optional methods.
type writer loan

// Header implements http.ResponseWriter.
func (w *writer) Header() http.Header { return w.w.Header() }

// WriteHeader implements http.ResponseWriter.
func (w *writer) WriteHeader(status int) {
	w.noteHeader()
	w.wrote = w.wrote || status >= 200 || status == http.StatusSwitchingProtocols
	if status == http.StatusServiceUnavailable || status == http.StatusGatewayTimeout {
		w.read = true
		w.timedOut = w.timedOut || inTimeoutHandler()
	}
	w.w.WriteHeader(status)
}

// inTimeoutHandler reports whether a net/http.TimeoutHandler answers. It does so in its own
// goroutine; its handler's goroutine runs another function.
func inTimeoutHandler() bool {
	var stack [64]uintptr
	frames := runtime.CallersFrames(stack[:runtime.Callers(3, stack[:])])
	for {
		f, more := frames.Next()
		if f.Function == "net/http.(*timeoutHandler).ServeHTTP" {
			return true
		}
		if !more {
			return false
		}
	}
}

// Write implements http.ResponseWriter.
func (w *writer) Write(p []byte) (int, error) {
	w.begin()
	n, err := w.w.Write(p)
	w.noteError(err)
	return n, err
}

// WriteString implements io.StringWriter.
func (w *writer) WriteString(s string) (int, error) {
	w.begin()
	n, err := io.WriteString(w.w, s)
	w.noteError(err)
	return n, err
}

// Unwrap is for http.ResponseController.
func (w *writer) Unwrap() http.ResponseWriter { return w.w }

// begin is called before anything is written after the header.
func (w *writer) begin() {
	w.noteHeader()
	w.wrote = true
}

// noteHeader is called before net/http copies the fields of the header, but not their strings.
// Later changes of the header don't affect the copy.
func (w *writer) noteHeader() {
	if h := w.w.Header(); !w.wrote && len(h) > 0 {
		(*loan)(w).keepHeader(h)
	}
}

// noteError is called after data was passed to the connection. HTTP/2 returns an error as soon as
// the stream is closed, though it is still sending the data.
func (w *writer) noteError(err error) {
	if err != nil && w.request.ProtoMajor >= 2 {
		w.read = true
	}
}

type flusher struct{ *writer }

// Flush implements http.Flusher.
func (f flusher) Flush() { f.FlushError() }

// FlushError is for http.ResponseController.
func (f flusher) FlushError() error {
	f.begin()
	return http.NewResponseController(f.w).Flush()
}

type hijacker struct{ w *writer }

// Hijack implements http.Hijacker.
func (h hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := http.NewResponseController(h.w.w).Hijack()
	if err == nil {
		h.w.hijacked = true
	}
	return conn, rw, err
}

type readerFrom struct{ w *writer }

// ReadFrom implements io.ReaderFrom: a file may be sent by the system.
func (f readerFrom) ReadFrom(r io.Reader) (int64, error) {
	f.w.begin()
	return f.w.w.(io.ReaderFrom).ReadFrom(r)
}

type pusher struct{ w *writer }

// Push implements http.Pusher.
func (p pusher) Push(target string, o *http.PushOptions) error {
	return p.w.w.(http.Pusher).Push(target, o)
}

// writer returns the loan as an http.ResponseWriter with the optional methods of the one that it
// wraps. For Flush and Hijack that may be one further down, found by an http.ResponseController.
func (l *loan) writer() http.ResponseWriter {
	w := (*writer)(l)
	_, reads := l.w.(io.ReaderFrom)
	_, pushes := l.w.(http.Pusher)
	f, h, r, p := flusher{w}, hijacker{w}, readerFrom{w}, pusher{w}
	flushes, hijacks := can[http.Flusher](l.w) || can[interface{ FlushError() error }](l.w), can[http.Hijacker](l.w)
	if flushes {
		switch {
		case hijacks && reads && pushes:
			return struct {
				flusher
				hijacker
				readerFrom
				pusher
			}{f, h, r, p}
		case hijacks && reads: // HTTP/1
			return struct {
				flusher
				hijacker
				readerFrom
			}{f, h, r}
		case hijacks && pushes:
			return struct {
				flusher
				hijacker
				pusher
			}{f, h, p}
		case reads && pushes:
			return struct {
				flusher
				readerFrom
				pusher
			}{f, r, p}
		case hijacks:
			return struct {
				flusher
				hijacker
			}{f, h}
		case reads:
			return struct {
				flusher
				readerFrom
			}{f, r}
		case pushes: // HTTP/2
			return struct {
				flusher
				pusher
			}{f, p}
		}
		return f
	}
	switch {
	case hijacks && reads && pushes:
		return struct {
			*writer
			hijacker
			readerFrom
			pusher
		}{w, h, r, p}
	case hijacks && reads:
		return struct {
			*writer
			hijacker
			readerFrom
		}{w, h, r}
	case hijacks && pushes:
		return struct {
			*writer
			hijacker
			pusher
		}{w, h, p}
	case reads && pushes:
		return struct {
			*writer
			readerFrom
			pusher
		}{w, r, p}
	case hijacks:
		return struct {
			*writer
			hijacker
		}{w, h}
	case reads:
		return struct {
			*writer
			readerFrom
		}{w, r}
	case pushes:
		return struct {
			*writer
			pusher
		}{w, p}
	}
	return w
}

// can reports whether a ResponseWriter is a T, or wraps one that http.ResponseController finds.
func can[T any](w http.ResponseWriter) bool {
	for {
		if _, ok := w.(T); ok {
			return true
		}
		u, ok := w.(interface{ Unwrap() http.ResponseWriter })
		if !ok {
			return false
		}
		w = u.Unwrap()
	}
}
