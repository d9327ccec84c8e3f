package arenadebug

import (
	"fmt"
	"html"
	"strings"
)

// This file writes HTML by hand: templates call methods by name, so package html/template would make the linker keep
// every exported method of a program, which costs megabytes.

// markup is HTML. Only constants and the text of a writer may be converted to it.
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
