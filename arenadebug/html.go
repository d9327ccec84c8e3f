package arenadebug

import (
	"fmt"
	"html"
	"strings"
)

// This file writes HTML by hand: package html/template would make the linker keep every exported method of a program,
// since templates call methods by name, which costs megabytes.

// markup is text that is HTML already. Only constants and what a writer has written may be converted to it.
type markup string

// A writer builds a page.
type writer struct{ strings.Builder }

// put writes a format. Every string argument is escaped, for text and for quoted attributes alike.
func (w *writer) put(format markup, args ...any) {
	for i, a := range args {
		switch a := a.(type) {
		case markup:
			args[i] = string(a)
		case string:
			args[i] = html.EscapeString(a)
		case int, float64:
		default:
			args[i] = html.EscapeString(fmt.Sprint(a))
		}
	}
	fmt.Fprintf(w, string(format), args...)
}
