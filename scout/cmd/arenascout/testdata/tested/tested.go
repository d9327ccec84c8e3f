// Package tested has tests, and benchmarks that fail or measure something else.
package tested

import "strings"

// A Word is one of a list, with its letters.
type Word struct {
	Text    string
	Next    *Word
	Letters *Letter
}

// A Letter is large, so that a patch saves most of the time.
type Letter struct {
	Next *Letter
	Code [12]int
}

// Parse lists the words of a text.
func Parse(text string) (first *Word) {
	next := &first
	for s := range strings.FieldsSeq(text) {
		w := &Word{Text: s + "."}
		for range s {
			w.Letters = &Letter{Next: w.Letters}
		}
		*next, next = w, &w.Next
	}
	return first
}

// Longest returns the longest word of a text.
func Longest(text string) *Word {
	longest := ""
	for s := range strings.FieldsSeq(text) {
		if len(s) > len(longest) {
			longest = s
		}
	}
	return &Word{Text: longest}
}
