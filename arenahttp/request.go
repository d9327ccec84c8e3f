package arenahttp

import (
	"net/http"
	"strings"
)

// This file holds what those outside would know of a request if it weren't copied to have another context: middleware asks for
// the pattern and the values of the path, and net/http removes the files of a form. It must not depend on arenas.
//
// Form and PostForm are not among it: a goroutine that outlives the handler may be about to set them.

// tell lets those outside know what next has found out of the request.
func (l *loan) tell() {
	r, copied := l.outside, l.request
	if r.Pattern == "" && copied.Pattern != "" {
		r.Pattern = copied.Pattern
		for name := range wildcards(r.Pattern) {
			r.SetPathValue(name, copied.PathValue(name))
		}
	}
	if r.MultipartForm == nil && l.owners == 1 { // or else the form is theirs who go on, who may be about to parse it
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

// removeFiles removes those of the form that next has parsed, when nobody is at work for the request any more. net/http
// does it for the request that it has made, which others may have copied, if the handler returns. A hijacked connection's are
// those of who has it, as everywhere.
func (l *loan) removeFiles() {
	if f := l.request.MultipartForm; f != nil && f != l.form && !l.hijacked {
		f.RemoveAll()
	}
}

// trailer lets next know the trailer of a request that was read to its end: net/http sets that of the request that it
// has made, unless the client has announced it.
func (l *loan) trailer(r *http.Request) {
	if r.Trailer == nil {
		r.Trailer = l.outside.Trailer
	}
}
