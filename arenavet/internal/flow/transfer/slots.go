package transfer

import (
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds values that come and go one by one: those of a collections.Slots. Each call of New makes an arena of
// one value, a child of that of the Slots. So a loop's older values differ from the newest one, and Free ends a value
// only if that is surely its argument.

// slot returns a new value of a Slots.
func (f *interpreter) slot(c arenaCall, from state.Value) state.Value {
	if c.at.Value() == nil {
		return nil
	}
	r := c.s.Renew(c.at, state.Child)
	r.BelongsTo(c.s.Resolve(from, nil))
	return state.To(f.filled(c, c.at.Value().Type())).With(state.Tag{Kind: state.Mem, Root: r, Site: c.at}, nil)
}

// freeSlot takes a state past Free of a Slots.
func (f *interpreter) freeSlot(c arenaCall) {
	v := c.arg(c.fn.Into)
	if f.Used(c.s, c.at, v, "is freed") {
		return
	}
	var r *state.Root
	for t := range v.All() {
		if t.Kind == state.Mem && (r != nil && r != t.Root || !isSlot(t.Root)) {
			return // it may be another one
		} else if t.Kind == state.Mem {
			r = t.Root
		}
	}
	if r != nil {
		f.End(c.s, r, f.Death(c.at, summary.FreeSlot, c.deferred), nil)
	}
}

// isSlot reports whether an arena is one newest value of a Slots.
func isSlot(r *state.Root) bool {
	call, ok := r.Site.(ssa.CallInstruction)
	if !ok || r.Kind != state.Child || r.Unsure {
		return false
	}
	k := api.Callee(call.Common())
	return k != nil && k.Verb == api.Slot
}
