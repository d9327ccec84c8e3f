package transfer

import (
	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/report"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file handles calls of Reset, Rewind, Put and Free: whether they have an effect, and with which mark. End of
// package apply applies it.

// takeBack takes a state past Reset, Rewind, Put and Free. On an ended arena Put and Rewind panic; Reset and Free do
// nothing, also to children, so they end nothing here. All of them are wrong while another goroutine uses the arena.
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

// over reports whether an arena has ended already, so that Reset and Free do nothing. An arena that was put back isn't
// over: it may be lent to somebody else, and a Reset does harm.
func over(v state.Value) bool {
	for t, d := range v.All() {
		if t.Is(state.Handle) && d != nil && d.Verb != summary.Put {
			return true
		}
	}
	return false
}

// verbOf returns the verb in messages for a function: "Reset" for "Arena.Reset".
func verbOf(name string) string {
	if name == summary.Put {
		return name
	}
	return report.Short(name)
}
