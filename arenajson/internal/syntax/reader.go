// Package syntax reads what doesn't depend on the type that a value goes to:
// strings and names, values that nobody needs, where a value in a stream ends; and
// it finds out what is wrong with a text.
//
// Functions get where something begins and return where it ends, or -1 if it is
// wrong. They don't say what is wrong, so that reading needs no errors: where a
// text turns out to be wrong it is read again from its beginning, slowly, by
// Diagnose, which says exactly where and why. So each rule is in two places, and
// tests compare them.
//
// The package must not depend on plans, nor on how values are stored.
package syntax

import (
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds the Reader, and what is told by looking at few bytes.

// A Reader reads one text. Its memory is kept for the next one. Only Data, Flags
// and Depth have to be set; Depth counts down, and is what it was again behind a
// value that was right.
type Reader struct {
	Data  []byte
	Flags option.Flags
	Depth int // how many more levels there may be

	Scratch   []byte     // of the last string with escapes
	Seen      []seenName // the names of the objects that are open
	Unescaped []byte     // names in seen
	indexes   *nameIndex // that are free
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

// NameBefore returns where the name of the member begins and ends whose value is at
// i. It is for errors: it goes back over a text that was right up to there, to the
// quote behind the name, and to the one in front that no backslash counts for.
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
