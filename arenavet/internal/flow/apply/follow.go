package apply

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds names in summaries: what they mean, given the arguments of a call.

// Follow returns what a name in a summary means, given the arguments: see state.Follow.
// It knows two more things, the arena of a context and what a callback returns.
func (f *Applier) Follow(s *state.State, i ssa.CallInstruction, x summary.Sym, all []state.Value) state.Value {
	if path, ok := strings.CutSuffix(x.Path, state.InContext); ok {
		x.Path = path
		if ctx := s.Follow(x, all); len(ctx) > 0 {
			return f.FromContext(s, ctx)
		}
		return nil
	}
	if path, rest, ok := strings.Cut(x.Path, state.CalledBack); ok {
		x.Path = path
		return f.calledBack(s, i, x, s.Follow(x, all), rest)
	}
	return s.Follow(x, all)
}
