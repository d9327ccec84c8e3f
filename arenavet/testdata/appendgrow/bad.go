package appendgrow

import (
	"bufio"
	"io"
	"iter"

	"github.com/harena-go/arena"

	"test/appendgrow/lib"
)

type order struct {
	items []int
	buf   []byte
}

type names []string

func unbounded(a *arena.Arena, next func() (int, bool)) []int {
	s := arena.MakeSlice[int](a, 0, 16)
	for v, ok := next(); ok; v, ok = next() {
		s = append(s, v) // want `append may move this arena slice, from MakeSlice, to the heap: use arena.Append`
	}
	return s
}

func full(a *arena.Arena, n int) []byte {
	b := a.AllocBytes(n)
	return append(b, '\n') // want `append may move this arena slice, from Arena.AllocBytes`
}

func copied(a *arena.Arena, s []int) []int {
	c := arena.CopySlice(a, s)
	c = append(c, 1) // want `append may move this arena slice, from CopySlice`
	return c
}

func afterAppend(a *arena.Arena) []int {
	s := arena.Append(a, nil, 1, 2)
	s = append(s, 3) // want `append may move this arena slice, from Append`
	return s
}

func spread(a *arena.Arena, s []byte) []byte {
	b := a.AllocBytesUninit(64)[:0]
	b = append(b, s...) // want `append may move this arena slice, from Arena.AllocBytesUninit`
	return b
}

func spreadString(a *arena.Arena, s string) []byte {
	b := arena.MakeSlice[byte](a, 0, 64)
	return append(b, s...) // want `append may move this arena slice, from MakeSlice`
}

func constantLoop(a *arena.Arena) []int {
	s := arena.MakeSlice[int](a, 0, 4)
	for i := 0; i < 5; i++ {
		s = append(s, i) // want `append may move this arena slice`
	}
	return s
}

func branch(a *arena.Arena, s []int, long bool) []int {
	if long {
		s = arena.MakeSlice[int](a, 1, 1)
	}
	return append(s, 1) // want `append may move this arena slice`
}

func field(a *arena.Arena) *order {
	o := arena.New[order](a)
	o.items = arena.MakeSlice[int](a, 1, 1)
	o.items = append(o.items, 2) // want `append may move this arena slice`
	return o
}

func captured(a *arena.Arena, each func(func(int))) []int {
	s := arena.MakeSlice[int](a, 0, 8)
	each(func(v int) {
		s = append(s, v) // want `append may move this arena slice`
	})
	return s
}

func collected(a *arena.Arena, seq iter.Seq[int]) []int {
	s := arena.Collect(a, seq)
	return append(s, 1) // want `append may move this arena slice, from Collect`
}

func read(a *arena.Arena, r io.Reader) ([]byte, error) {
	b, err := a.ReadAll(r, 0)
	return append(b, 0), err // want `append may move this arena slice`
}

func named(a *arena.Arena, s names) names {
	n := names(arena.CopySlice(a, s))
	n = append(n, "x") // want `append may move this arena slice`
	return n
}

func namedInferred(a *arena.Arena) int {
	var n names = arena.MakeSlice[string](a, 1, 1)
	return len(append(n, "x")) // want `append may move this arena slice`
}

func insert(a *arena.Arena, xs []int, i int) []int {
	s := arena.CopySlice(a, xs)
	s = append(s, 0) // want `append may move this arena slice`
	copy(s[i+1:], s[i:])
	return s
}

func fromElsewhere(a *arena.Arena) []string {
	s := lib.Names(a)
	return append(s, "x") // want `append may move this arena slice, from Names, to the heap`
}

func firstResult(a *arena.Arena) []byte {
	head, tail := lib.Split(a, "xyz")
	_ = append(tail, 'x')
	return append(head, 'x') // want `append may move this arena slice, from Split`
}

func fromHere(a *arena.Arena) []int {
	return append(pair(a), 3) // want `append may move this arena slice, from pair`
}

func pair(a *arena.Arena) []int { return arena.MakeSlice[int](a, 2, 2) }

func generic[T any](a *arena.Arena, v T) []T {
	s := arena.MakeSlice[T](a, 1, 1)
	return append(s, v) // want `append may move this arena slice`
}

type parser struct {
	a   *arena.Arena
	out []byte
}

func (p *parser) token(r *bufio.Reader) []byte {
	b := p.a.AllocBytes(8)[:0]
	for {
		c, err := r.ReadByte()
		if err != nil {
			return b
		}
		b = append(b, c) // want `append may move this arena slice`
	}
}

func shadowed(a *arena.Arena, n int) []byte {
	b := a.AllocBytes(n)
	{
		a := "another a: there is no fix"
		b = append(b, a[0]) // want `append may move this arena slice`
	}
	return b
}

func inPool(p *arena.Pool) error {
	return p.Do(func(a *arena.Arena) error {
		s := arena.MakeSlice[int](a, 3, 3)
		s = append(s, 4) // want `append may move this arena slice`
		return nil
	})
}

// read reads a byte. Its slices are in the parser's arena; appends to them have no fix in other functions.
func (p *parser) read(s []byte, r *bufio.Reader) ([]byte, error) {
	c, err := r.ReadByte()
	return arena.Append(p.a, s, c), err
}

func (p *parser) line(r *bufio.Reader) []byte {
	s, _ := p.read(nil, r)
	return append(s, '\n') // want `append may move this arena slice, from read`
}

func lines(q parser, r *bufio.Reader) []byte {
	s := first(&q, r)
	return append(s, '\n') // want `append may move this arena slice, from first`
}

func first(p *parser, r *bufio.Reader) []byte { return p.line(r) }
