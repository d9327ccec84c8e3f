package collections

import (
	"unsafe"

	"github.com/harena-go/arena"
)

// An Interner keeps one copy in an arena of each string passed to it. [NewInterner] makes one; the
// zero Interner is an empty one on the Go heap. It must not be copied after its first use.
//
// Looking up a string takes constant time on average, plus the time to hash it. A string takes its
// length, 16 bytes for its entry and, on average, 16 bytes of the index, once. Equal strings from
// one Interner compare fast, as they share their memory.
type Interner struct {
	m Map[string, struct{}]
}

// NewInterner returns an Interner in a with room for about hint strings. It panics if hint is
// negative, or above the maximum, and as [arena.New] does.
func NewInterner(a *arena.Arena, hint int) *Interner {
	checkHint("NewInterner", hint)
	in := arena.New[Interner](a)
	in.m.init(a, hint)
	return in
}

// Len returns the number of different strings.
func (in *Interner) Len() int { return in.m.n }

// Intern returns the copy of s.
func (in *Interner) Intern(s string) string {
	if in.m.n > 0 {
		// find isn't called, since the compiler assumes that it keeps s.
		if _, e := in.m.search(in.m.hasher.Text(s)|1, s); e != nil {
			return e.key
		}
	}
	own := in.m.arena.AllocString(s)
	in.m.place(own)
	return own
}

// InternBytes returns the copy of string(b).
func (in *Interner) InternBytes(b []byte) string {
	return in.Intern(unsafe.String(unsafe.SliceData(b), len(b))) // fact 9; only a copy is kept
}
