package transfer

import (
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/report"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds Reset, Rewind, Put and Free: whether they are allowed, and whom
// to tell. What they do to a state is for package state to know.
//
// An end is told to three: to the state, in which memory dies; to the program, if
// the arena is in a field or a global, whose memory then comes back; and to
// callers, if they know the arena. Package arena itself panics at some of what is
// reported here, but only when it is executed.

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
		f.CheckPool(i, r, s.Resolve(s.Of(c.operand(k.Pool)), nil))
	}
	f.end(s, r, f.death(i, verbOf(k.Name), c.deferred), at)
}

// over says whether an arena has ended already, so that Reset and Free do nothing.
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

// death returns the death that an instruction brings.
func (f *interpreter) death(at ssa.Instruction, verb string, deferred bool) *state.Death {
	return f.Program.Deaths.Of(at, verb, deferred)
}

// deathInDo is a death that is the end of Do, or that a callee speaks of which is
// done with the arena.
func (f *interpreter) deathInDo(at ssa.Instruction, verb string, deferred bool) *state.Death {
	d := f.death(at, verb, deferred)
	d.Do = true
	return d
}

// end ends the life of what r has handed out, since a mark if there is one, and of
// r itself if d is more than a Reset: callers are told, memory that goroutines have
// is reported, the state changes. A Rewind to a mark of which nothing is known does
// nothing here.
func (f *interpreter) end(s *state.State, r *state.Root, d *state.Death, at state.Value) {
	var since func(state.Tag) bool
	if d.Verb == summary.Rewind {
		var known bool
		if since, known = s.Since(r, at); !known {
			return
		}
	}
	f.record(s, r, d, at)
	f.PendingAt(s, r, d)
	s.End(r, d, since)
	// A function that was passed, and called with the arena, may have kept memory of
	// it: who has passed it looks there.
	if d.Verb != summary.Free {
		for _, x := range f.calls[r] {
			summary.Add(&f.Summary.Calls, x)
		}
	}
}

// record notes for callers what has ended. That of an arena within Do they don't
// know; that of a mark that this function has made concerns nothing of theirs,
// which is older. The maps are copied: this is a change of one state, and others
// may have them.
func (f *interpreter) record(s *state.State, r *state.Root, d *state.Death, at state.Value) {
	if r.Object != nil && d.Verb != summary.Free && d.Verb != summary.Rewind {
		f.Program.Resettable[r.Object] = true
	}
	if r.Sym == nil || d.Do {
		return
	}
	k := summary.Kill{Root: *r.Sym, Verb: d.Verb, Mark: -1}
	if d.Verb == summary.Rewind {
		if k.Mark = markParam(at); k.Mark < 0 {
			return
		}
	}
	s.May, s.Must = maps.Clone(s.May), maps.Clone(s.Must)
	if s.May == nil {
		s.May = map[summary.Kill]bool{}
	}
	if s.Must == nil {
		s.Must = map[summary.Kill]bool{}
	}
	s.May[k], s.Must[k] = true, true
}

// markParam returns which parameter a mark is, -1 if it is none: a Mark has a field
// that points to its arena, by which it is told from other parameters.
func markParam(at state.Value) int {
	n := -1
	for t := range at.All() {
		if t.Kind == state.Ptr && t.Loc.Sym != nil && t.Loc.Sym.Param >= 0 && t.Loc.Sym.Path == ".arena*" {
			n = t.Loc.Sym.Param
		}
	}
	return n
}
