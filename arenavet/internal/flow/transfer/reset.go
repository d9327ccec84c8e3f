package transfer

import (
	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/report"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds calls of Reset, Rewind, Put and Free: whether they do anything, and with
// which mark. What an end does is in End of package apply.

// takeBack takes a state past Reset, Rewind, Put and Free. Put and Rewind of an
// arena that has ended panic; Reset and Free of one do nothing, also to children,
// and so end nothing here. All of them are wrong while another goroutine uses the
// arena.
func (f *interpreter) takeBack(c arenaCall, from state.Value) {
	s, i, k := c.s, c.at, c.fn
	at := c.arg(k.Mark)
	r := s.Resolve(from, c.operand(k.From))
	if r == nil {
		return
	}
	if k.Verb == api.Put || k.Verb == api.Rewind {
		f.Touch(s, i, from, k.Name)
	} else {
		f.Share(s, i, r, k.Name)
		if over(from) {
			return
		}
	}
	switch k.Verb {
	case api.Rewind:
		f.CheckMark(i, r, at)
	case api.Put:
		f.CheckPool(i, r)
	}
	d := f.Death(i, verbOf(k.Name), c.deferred)
	if k.Verb == api.Put && f.Reuses(r) == summary.Unseen {
		d = f.Program.Deaths.With(d, f.Program.PutGear(c.operand(k.Pool)))
	}
	f.End(s, r, d, at)
}

// over reports whether an arena has ended already, so that Reset and Free do nothing.
// One that was put back isn't over: somebody else has it, and to reset it is worse
// than useless.
func over(v state.Value) bool {
	for t, d := range v.All() {
		if t.Is(state.Handle) && d != nil && d.Verb != summary.Put {
			return true
		}
	}
	return false
}

// verbOf is what messages say of a function: "Reset" of "Arena.Reset".
func verbOf(name string) string {
	if name == summary.Put {
		return name
	}
	return report.Short(name)
}
