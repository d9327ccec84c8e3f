package transfer

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// collects takes a state past a call of a method of package collections: what it keeps
// and yields is known as of the library's containers, what it does with its arena by its
// summary.
func (f *interpreter) collects(s *state.State, i ssa.CallInstruction, name string,
	args []state.Value) (state.Value, bool) {
	sum := f.library(name)
	var v state.Value
	if sum != nil {
		v = f.Apply(s, i, sum, args, false)
	}
	w, known := f.applySummaries(s, i, args, false)
	if sum != nil && len(sum.Results) > 0 {
		w, _ = w.Join(v)
	}
	return w, known || sum != nil
}
