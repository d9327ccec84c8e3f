package apply

import (
	"maps"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds the end of an arena's memory, by Reset, Rewind, Put or Free, and who is told
// of it. What an end does to a state is for package state to know.
//
// An end is told to three: to the state, in which memory dies; to the program, if
// the arena is in a field or a global, whose memory then comes back; and to
// callers, if they know the arena. Package arena itself panics at some of what is
// reported here, but only when it is executed.

// End ends the life of what r has allocated, since a mark if there is one, and of
// r itself if d is more than a Reset: callers are told, memory that goroutines have
// is reported, the state changes. A Rewind to a mark about which nothing is known does
// nothing here.
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

// noteEnd notes for callers what has ended. That of an arena within Do they don't
// know; that of a mark that this function has made concerns nothing of theirs,
// which is older. The maps are copied: this is a change of one state, and others
// may have them.
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
