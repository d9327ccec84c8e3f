package state

import (
	"go/types"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/shape"
)

// This file holds what decoders leave in a value: all that it leads to is memory of an arena, and not only what it
// points to itself. It must not depend on which functions decode: the table of package api says so, and summaries.
//
// After arenajson.Unmarshal(a, data, &r) with
//
//	type request struct { Name string; Items []item }
//	type item struct { SKU string }
//
// r.Name, r.Items and r.Items[0].SKU are memory of a. r itself isn't. One cell of r, Decoded, says so of all that
// nobody has set since, whatever type it has. Functions that decode for others, without knowing the type, need no
// other words in their summaries.
//
//	func read[T any](a *arena.Arena, data []byte) (v T, err error) {
//		err = arenajson.Unmarshal(a, data, &v)
//		return v, err
//	}
//
// What pointers and slices in r lead to is one Loc, however deep, and all decoded: pointers in it lead to itself.

// Decoded is the path to all that a decoder has left in a place.
const Decoded = "@decoded"

// Decode notes that an instruction has decoded into a cell: all that is there is memory of arenas, as v is.
func (s *State) Decode(i ssa.Instruction, c Cell, v Value) {
	all := s.Fresh(i, "decoded "+c.Loc.Key+c.Path)
	x := To(all)
	for t, d := range v.All() {
		if t.Kind == Mem {
			x = x.With(Tag{Kind: Mem, Root: t.Root, Site: i}, d)
		}
	}
	all.decoded, c.Loc.decoded = true, true
	s.Put(i, Cell{all, Decoded}, x, nil, true)
	s.Put(i, Cell{c.Loc, c.Path + Decoded}, x, nil, false)
}

// Decodes is Decode, if a path ends as that of what was decoded, and else reports false.
func (s *State) Decodes(i ssa.Instruction, c Cell, v Value) bool {
	path, ok := strings.CutSuffix(c.Path, Decoded)
	if ok {
		s.Decode(i, Cell{c.Loc, path}, v)
	}
	return ok
}

// decoded returns what a decoder has left in a cell of a type that nobody has set since. If the type isn't known that
// is a part of the value. Decoders don't touch fields that have no exported name; what they leave in such a struct by
// its methods isn't known.
func (s *State) decoded(c Cell, t types.Type) Value {
	for at := c.Path; ; {
		if v := s.In(Cell{c.Loc, at + Decoded}); v != nil {
			if t != nil && shape.IsParameter(t) {
				return v.As(Decoded)
			}
			return v
		}
		n := strings.LastIndexAny(at, ".[")
		if n < 0 {
			return nil
		}
		if r, _ := utf8.DecodeRuneInString(at[n+1:]); at[n] == '.' && !unicode.IsUpper(r) {
			return nil
		}
		at = at[:n]
	}
}
