package transfer

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/std"
)

// This file models views of memory that is used again: the result of a buffer's Bytes, a string that package unsafe
// makes of a slice. A view is like memory of an arena that ends when the buffer, or the slice, is refilled; for callers
// the buffer's name stands for that arena.
//
//	line := scanner.Bytes()
//	scanner.Scan()               line is dead
//	key := unsafe.String(&buf[0], len(buf))
//	buf = append(buf[:0], next...)      key is dead

// changed ends the views of a buffer, if the method changes it. A view may be written to its own buffer, like the
// unread part.
func (f *interpreter) changed(s *state.State, i ssa.CallInstruction, name string, args []state.Value,
	deferred bool) {
	verb, writes := std.Changes(name)
	if verb == "" || f.Program.All {
		return
	}
	r := s.Resolve(args[0], nil)
	if writes && len(args) > 1 {
		args[1] = args[1].Only(func(t state.Tag) bool { return t.Kind != state.Mem || t.Root != r })
	} else if r != nil {
		f.End(s, r, f.Death(i, verb, deferred), nil)
	}
}

// shown returns the result of a call as a view of r.
func (f *interpreter) shown(i ssa.CallInstruction, v state.Value, r *state.Root) state.Value {
	if r == nil || i.Value() == nil || f.Program.All {
		return v
	}
	t := state.Tag{Kind: state.Mem, Root: r, Site: i}
	if _, ok := i.Value().Type().(*types.Tuple); ok {
		t.Path = state.First
	}
	return v.Clone().With(t, nil)
}

// memoryOf returns the address of the memory that a slice, or a pointer into an array, leads to, if any.
func memoryOf(v state.Value) (at state.Value) {
	for t := range v.All() {
		if t.Is(state.Ptr) {
			at, _ = at.Join(state.To(t.Loc))
		}
	}
	return at
}

// refilled ends the string views of a slice if append overwrites it from its beginning.
func (f *interpreter) refilled(s *state.State, i ssa.CallInstruction, to state.Value) {
	x, ok := i.Common().Args[0].(*ssa.Slice)
	if !ok || !defuse.IsZero(x.High) || x.Max != nil || f.Program.All {
		return
	}
	r := s.Resolve(memoryOf(to), nil)
	if r == nil {
		return
	}
	// A key stays in a map that outlives the function, even after later stores to the map.
	for c, v := range s.Cells() {
		for t, d := range v.All() {
			if t.Root == r && d == nil && c.Loc.Sym != nil && strings.HasSuffix(c.Path, state.Keys) {
				f.Report(finding.Escape, i, nil, t,
					"append overwrites a string that is a key of a map: strings.Clone keeps it")
			}
		}
	}
	f.End(s, r, f.Death(i, "append", false), nil)
}
