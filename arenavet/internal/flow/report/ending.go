package report

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file holds marks that Rewind refuses, and arenas that Put refuses.

// Short returns the name of a method without that of its type.
func Short(name string) string { return name[strings.IndexByte(name, '.')+1:] }

// CheckMark reports a mark that Rewind refuses.
func (f Reporter) CheckMark(i ssa.CallInstruction, r *state.Root, at state.Value) {
	for t, d := range at.All() {
		switch {
		case t.Kind != state.Mark:
		// Reset, or an earlier Rewind, has ended the mark.
		case d != nil && !f.Paths.Contradict(d.At, i):
			f.Report(finding.UseAfter, i, d, state.Tag{Kind: state.Handle},
				fmt.Sprintf("Rewind: the mark is stale after %s", f.Ending(d)))
		// Made here, and so not the arena that is rewound, if that was made here or
		// passed.
		case t.Root != r && t.Root.Made() && (r.Made() || r.Sym != nil):
			f.Report(finding.UseAfter, i, nil, state.Tag{}, "Rewind: the mark is of another arena")
		}
	}
}

// CheckPool reports an arena that Put refuses.
func (f Reporter) CheckPool(i ssa.CallInstruction, r, pool *state.Root) {
	switch {
	case (r.Kind == state.Child || r.Kind == state.NewArena) && r.Made() && !r.Unsure:
		f.Report(finding.UseAfter, i, nil, state.Tag{}, "Put: the arena isn't from a pool")
	case pool != nil && slices.ContainsFunc(r.Pools, func(p *state.Root) bool { return f.twoPools(p, pool) }):
		f.Report(finding.UseAfter, i, nil, state.Tag{}, "Put: the arena is from another pool")
	}
}

// twoPools reports whether two pools are different: this function has made both, or they are in
// two fields of one object, into which the package never puts the same.
func (f Reporter) twoPools(p, q *state.Root) bool {
	if p == q || p.Kind == state.AnyOf || q.Kind == state.AnyOf {
		return false
	}
	if p.Made() && q.Made() {
		return true
	}
	if p.Sym == nil || q.Sym == nil || p.Sym.Param != q.Sym.Param || p.Sym.Global != q.Sym.Global {
		return false
	}
	object, field := code.LastField(p.Sym.Path)
	other, otherField := code.LastField(q.Sym.Path)
	if object != other || field == otherField || field == "" || otherField == "" || state.Several(p.Sym.Path) {
		return false
	}
	a, b := f.FieldOf(*p.Sym), f.FieldOf(*q.Sym)
	return a != nil && b != nil && !f.Program.ShareValue(a, b)
}
