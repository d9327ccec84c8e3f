package arenahttp

import (
	"iter"
	"net/http"
	"slices"
	"strings"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
)

// This file handles header fields in the arena. net/http reads them after the handler has returned:
// all of them if nothing was written until then, and otherwise a copy of the fields, which shares
// their strings, and trailers. This file must not depend on whether others use the arena: it reads
// the arena only when nothing else does.

// settleHeader makes fields of a header that net/http hasn't read yet independent of the arena, or
// all of them if a is nil.
func settleHeader(h http.Header, a *arena.Arena) {
	for key, values := range h {
		if len(values) > 0 && (a == nil || inspect.Arenas.Owns(a, unsafe.Pointer(unsafe.SliceData(values)))) {
			values = slices.Clone(values)
			h[key] = values
		}
		for i, v := range values {
			if a == nil || owns(a, v) {
				values[i] = strings.Clone(v)
			}
		}
		if a == nil || owns(a, key) {
			delete(h, key)
			h[strings.Clone(key)] = values
		}
	}
}

// texts yields all strings of a header.
func texts(h http.Header) iter.Seq[string] {
	return func(yield func(string) bool) {
		for key, values := range h {
			if !yield(key) {
				return
			}
			for _, v := range values {
				if !yield(v) {
					return
				}
			}
		}
	}
}

// owns reports whether a string is in the arena or in a child of it.
func owns(a *arena.Arena, s string) bool {
	return inspect.Arenas.Owns(a, unsafe.Pointer(unsafe.StringData(s))) // the pointer is only compared
}
