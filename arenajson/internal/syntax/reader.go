// Package syntax reads the parts of a text that don't depend on a type: strings and names, skipped
// values, and the ends of values in a stream; and it diagnoses syntax errors.
//
// Functions get the start of something and return its end, or -1 if it is wrong, without an error:
// a wrong text is read again from its beginning, slowly, by Diagnose, which finds the exact error.
// So each rule is implemented twice, and tests compare the two.
//
// The package must not depend on plans, nor on how values are stored.
package syntax

import (
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds the Reader, and checks of few bytes.

// A Reader reads one text. The next one uses its memory again. Only Data, Flags and Depth have to
// be set; Depth counts down, and has its old value again behind a correct value.
type Reader struct {
	Data  []byte
	Flags option.Flags
	Depth int // further levels allowed

	Scratch   []byte     // of the last string with escapes
	Seen      []seenName // the names of the open objects
	Unescaped []byte     // names in seen
	indexes   *nameIndex // free ones
	Slots     int        // of all in indexes
}

// Peek returns the first byte of the value at i, or 0 at the end.
func (d *Reader) Peek(i int) byte {
	if uint(i) < uint(len(d.Data)) {
		return d.Data[i]
	}
	return 0
}

// IsName reports whether the string at i is the name of a member.
func (d *Reader) IsName(i int) bool {
	if d.Peek(i) != '"' {
		return false
	}
	end := d.SkipText(i)
	return end >= 0 && d.Peek(text.SkipSpace(d.Data, end)) == ':'
}

// NameBefore returns the start and end of the name of the member whose value is at i. It is for
// errors: it goes back over a text that was right up to there, to the quote behind the name, and to
// the unescaped one in front.
func (d *Reader) NameBefore(i int) (start, end int) {
	j := i - 1
	for d.Data[j] != '"' {
		j--
	}
	end = j + 1
	for j--; d.Data[j] != '"' || text.IsEscaped(d.Data, j); j-- {
	}
	return j, end
}
