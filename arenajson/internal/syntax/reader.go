package syntax

import (
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// A Reader reads what doesn't depend on the type that a value goes to: strings, names, and values
// that nobody needs.
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

// IsName says whether the string at i is the name of a member.
func (d *Reader) IsName(i int) bool {
	if d.Peek(i) != '"' {
		return false
	}
	end := d.SkipText(i)
	return end >= 0 && d.Peek(text.SkipSpace(d.Data, end)) == ':'
}

// NameBefore returns where the name of the member begins and ends whose value is at i.
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
