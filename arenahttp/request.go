package arenahttp

import (
	"net/http"
	"strings"
)

// This file copies results from the handler's copy of a request back to the original, for the code
// outside: middleware reads the pattern and the path values, and net/http removes the files of a
// form. It must not depend on arenas.
//
// Form and PostForm are not copied: a goroutine that outlives the handler may be about to set them.

// tell copies the results of next to the original request.
func (l *loan) tell() {
	r, copied := l.outside, l.request
	if r.Pattern == "" && copied.Pattern != "" {
		r.Pattern = copied.Pattern
		for name := range wildcards(r.Pattern) {
			r.SetPathValue(name, copied.PathValue(name))
		}
	}
	if r.MultipartForm == nil && !l.detached { // else the form belongs to detached work, which may be about to parse it
		r.MultipartForm = copied.MultipartForm
	}
}

// wildcards yields the names in a pattern of http.ServeMux.
func wildcards(pattern string) func(yield func(name string) bool) {
	return func(yield func(string) bool) {
		for {
			_, rest, ok := strings.Cut(pattern, "{")
			if !ok {
				return
			}
			var name string
			name, pattern, _ = strings.Cut(rest, "}")
			if name = strings.TrimSuffix(name, "..."); name != "$" && !yield(name) {
				return
			}
		}
	}
}

// removeFiles removes the files of the form that next has parsed, when all work for the request is
// done. If the handler returns, net/http does so for its own request, which others may have copied.
// After a hijack the new owner of the connection has to do it, as usual.
func (l *loan) removeFiles() {
	if f := l.request.MultipartForm; f != nil && f != l.form && !l.hijacked {
		f.RemoveAll()
	}
}

// trailer gives next the trailer of a request that was read to its end: net/http sets it in its own
// request, unless the client has announced it.
func (l *loan) trailer(r *http.Request) {
	if r.Trailer == nil {
		r.Trailer = l.outside.Trailer
	}
}
