package report

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file reports marks that Rewind refuses, and arenas that Put refuses.

// Short returns the name of a method without its type.
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
		// Made here, so not the mark of the rewound arena, if that was made here or passed in.
		case t.Root != r && t.Root.Made() && (r.Made() || r.Sym != nil):
			f.Report(finding.UseAfter, i, nil, state.Tag{}, "Rewind: the mark is of another arena")
		}
	}
}

// CheckPool reports an arena that Put refuses.
func (f Reporter) CheckPool(i ssa.CallInstruction, r *state.Root) {
	if (r.Kind == state.Child || r.Kind == state.NewArena) && r.Made() && !r.Unsure {
		f.Report(finding.UseAfter, i, nil, state.Tag{}, "Put: the arena isn't from a pool")
	}
}
