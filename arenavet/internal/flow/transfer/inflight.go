package transfer

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file holds stores into objects that others wait for: see InFlightObjects of package
// code.

// fillsInFlight takes a state past a store into such an object: others have what is stored,
// and are still to read it when this function is done with it.
func (f *interpreter) fillsInFlight(s *state.State, i *ssa.Store) {
	field, ok := i.Addr.(*ssa.FieldAddr)
	if !ok || !shape.HasPointers(i.Val.Type()) {
		return
	}
	if _, ok := field.X.(*ssa.Alloc); !ok {
		return
	}
	if f.inFlight == nil {
		f.inFlight = code.InFlightObjects(f.Fn)
	}
	if !f.inFlight[field.X] {
		return
	}
	for t, d := range s.Reach(s.Of(i.Val)).All() {
		if t.Kind == state.Mem && d == nil {
			s.Pending[state.Pending{At: i, Root: t.Root, Site: t.Site, What: state.ByFlight}] = true
		} else if t.Kind == state.Ptr {
			f.Give(s, i, t, state.ByFlight)
		}
	}
}
