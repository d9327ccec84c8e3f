package state

import (
	"go/types"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/shape"
)

// This file models the results of decoders: all memory that the value leads to, not only its direct targets, belongs to
// an arena. It must not depend on the names of decoders: those are in the table of package api and in summaries.
//
// After arenajson.Unmarshal(a, data, &r) with
//
//	type request struct { Name string; Items []item }
//	type item struct { SKU string }
//
// r.Name, r.Items and r.Items[0].SKU are memory of a. r itself isn't. One cell of r, Decoded, covers all parts that
// weren't set since, whatever their types. Wrappers that decode without knowing the type need no further notation in
// their summaries.
//
//	func read[T any](a *arena.Arena, data []byte) (v T, err error) {
//		err = arenajson.Unmarshal(a, data, &v)
//		return v, err
//	}
//
// All pointers and slices in r lead to one decoded Loc, however deep: pointers in it lead to itself.

// Decoded is the path to everything that a decoder has stored in a place.
const Decoded = "@decoded"

// Decode records that an instruction has decoded into a cell: everything there is memory of the arenas of v.
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

// Decodes calls Decode if the path ends with Decoded, and reports whether it does.
func (s *State) Decodes(i ssa.Instruction, c Cell, v Value) bool {
	path, ok := strings.CutSuffix(c.Path, Decoded)
	if ok {
		s.Decode(i, Cell{c.Loc, path}, v)
	}
	return ok
}

// decoded returns the decoder's results in a cell of a type, unless they were overwritten. For an unknown type they are
// a part of the value. Decoders don't set unexported fields; the results of a struct's own decoding methods aren't
// tracked.
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
