package arenajson

import (
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// A reader reads what doesn't depend on the type that a value goes to: strings, names, and values
// that nobody needs.
type reader struct {
	data  []byte
	flags option.Flags
	depth int // how many more levels there may be

	scratch   []byte     // of the last string with escapes
	seen      []seenName // the names of the objects that are open
	unescaped []byte     // names in seen
	indexes   *nameIndex // that are free
	slots     int        // of all in indexes
}

// peek returns the first byte of the value at i, or 0 at the end.
func (d *reader) peek(i int) byte {
	if uint(i) < uint(len(d.data)) {
		return d.data[i]
	}
	return 0
}

// isName says whether the string at i is the name of a member.
func (d *reader) isName(i int) bool {
	if d.peek(i) != '"' {
		return false
	}
	end := d.skipText(i)
	return end >= 0 && d.peek(text.SkipSpace(d.data, end)) == ':'
}

// nameBefore returns where the name of the member begins and ends whose value is at i.
func (d *reader) nameBefore(i int) (start, end int) {
	j := i - 1
	for d.data[j] != '"' {
		j--
	}
	end = j + 1
	for j--; d.data[j] != '"' || text.IsEscaped(d.data, j); j-- {
	}
	return j, end
}
