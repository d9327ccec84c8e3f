package apply

import (
	"maps"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file ends an arena's memory by Reset, Rewind, Put or Free, and records the end. Package state applies it to a
// state.
//
// An end is recorded in three places: in the state, whose memory dies; in the program, if the arena is in a field or a
// global, whose memory is then reused; and in the summary, if callers know the arena. Package arena itself panics in
// some of the cases reported here, but only when they are executed.

// End ends the memory of r, since a mark if there is one, and r itself if d is more than a Reset: it updates the
// summary, reports memory that goroutines have, and changes the state. A Rewind to an unknown mark does nothing here.
func (f *Applier) End(s *state.State, r *state.Root, d *state.Death, at state.Value) {
	var since func(state.Tag) bool
	if d.Verb == summary.Rewind {
		var known bool
		if since, known = s.Since(r, at); !known {
			return
		}
	}
	d = f.Program.Deaths.With(d, f.Reuses(r))
	f.noteEnd(s, r, d, at)
	f.PendingAt(s, r, d)
	s.End(r, d, since)
}

// noteEnd records an end in the summary. Callers don't know the arena of a Do; a mark that this function has made is
// newer than all their memory. The maps are copied: this changes one state, and others may share them.
func (f *Applier) noteEnd(s *state.State, r *state.Root, d *state.Death, at state.Value) {
	if r.Object != nil && d.Verb != summary.Free && d.Verb != summary.Rewind &&
		d.Gear != summary.Lasting {
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

// markParam returns the index of the parameter that is a mark, -1 if none: unlike other parameters, a Mark has a field
// that points to its arena.
func markParam(at state.Value) int {
	n := -1
	for t := range at.All() {
		if t.Kind == state.Ptr && t.Loc.Sym != nil && t.Loc.Sym.Param >= 0 && t.Loc.Sym.Path == ".arena*" {
			n = t.Loc.Sym.Param
		}
	}
	return n
}
