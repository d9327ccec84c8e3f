package apply

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file models arenas of contexts. Such an arena is lent: the function that put it there reclaims it, and its
// values must not be kept where the next request sees them. A request ends with its net/http handler, known by its
// parameters.

// WithArena returns a context that holds an arena: the old context, with the arena at a path of its own. A nil arena
// leaves a pointer there.
func WithArena(s *state.State, i ssa.CallInstruction, ctx, from state.Value) state.Value {
	v := ctx.Only(func(t state.Tag) bool { return t.Path != state.InContext })
	none := true
	for t, d := range from.All() {
		if t.Kind == state.Handle {
			t.Path, none = state.InContext, false
			v = v.Replace(state.Just(t, d))
		}
	}
	if none {
		v, _ = v.Join(state.To(s.Fresh(i, "no arena")).As(state.InContext))
	}
	return v
}

// FromContext returns the arena that a context holds. The arena of a parameter is named after it, so that callers who
// have put one there know it.
func (f *Applier) FromContext(s *state.State, ctx state.Value) state.Value {
	if v := ctx.Part(state.InContext); v != nil {
		return v.Only(func(t state.Tag) bool { return t.Kind == state.Handle })
	}
	r := s.Root("context", state.UnknownArena)
	known := false
	for t := range ctx.All() {
		if !t.Is(state.Ptr) {
			continue
		}
		x := t.Name()
		named := x != nil && x.Param >= 0
		if known && !named { // a derived context has its parent's arena
			continue
		}
		r, known = s.Root("context "+t.Loc.Key, state.UnknownArena), true
		if named {
			r.Sym = x.Add(state.InContext)
			break
		}
	}
	r.Lent = true
	return state.Arena(r).With(state.Tag{Kind: state.Ptr, Loc: s.Loc(r.Key+"*", nil, true)}, nil)
}
