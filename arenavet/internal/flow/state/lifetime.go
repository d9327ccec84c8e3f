package state

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds what a state is after an arena was made, marked or ended, or was
// found not to be there. It must not depend on whether any of this is a mistake.
//
// Each of these goes through all values and cells: memory of an arena may be
// anywhere. There is no list of it by arena; to keep one up to date would cost more
// than ends do: a function has few.

// Renew returns the root that an instruction makes. What it has made before, in a
// loop, is another one from now on: the newest is told apart from all older ones,
// about which nothing is known to be the same (recency abstraction; Balakrishnan and
// Reps, SAS 2006). So a Reset ends what this turn of a loop has made, for certain,
// and nothing that an earlier one has made:
//
//	for {
//		a := pool.Get()       made: this arena; older: those of earlier turns
//		list = append(list, New[T](a))
//		pool.Put(a)           ends what is of made
//	}
func (s *State) Renew(i ssa.Instruction, kind RootKind) *Root {
	r := s.made[i]
	if r == nil {
		r = s.Root(fmt.Sprintf("made %p", i), kind)
		s.made[i] = r
	}
	r.Site = i
	old := s.older(r)
	old.Site, old.Shared, old.Gear = i, r.Shared, r.Gear
	old.BelongsTo(r.Parent)
	s.rename(r, old)
	// Goroutines that an earlier turn has started have an arena that this one
	// doesn't have.
	for p := range s.Pending {
		if p.Root == r {
			delete(s.Pending, p)
		}
	}
	return r
}

// RenewMade is Renew for an arena that a callee has made.
func (s *State) RenewMade(i ssa.Instruction, r *Root) {
	old := s.older(r)
	old.Site, old.Gear = i, r.Gear
	s.rename(r, old)
}

// older returns the root for what r was before its site was executed again.
func (p *Places) older(r *Root) *Root {
	if r.older == nil {
		r.older = p.Root("older "+r.Key, Older)
	}
	return r.older
}

// rename takes all that is of r to be of old. A root has no other place in a state
// but in tags, and in what is pending.
func (s *State) rename(r, old *Root) {
	s.Each(func(t Tag, d *Death) (Tag, *Death) {
		if t.Root == r {
			t.Root = old
		}
		return t, d
	})
}

// End ends the life of what r has allocated, but for what is older than a mark if
// since isn't nil, and of r itself if d is more than a Reset. Children end with it.
// What is dead already stays dead as it died.
//
//	        memory         arena      children   marks
//	Reset   dead           lives      end        stale
//	Rewind  newer: dead    lives      newer: end newer: stale
//	Put     dead           ends       end        stale
//	Free    as Scrub says  ends       end        stale
//	Do ends dead           ends       end        stale
//
// Free leaves memory to the GC, unless it erases: it is no arena's from then on, whatever ends
// that on other ways.
func (s *State) End(r *Root, d *Death, since func(Tag) bool) {
	s.ended = true
	freed, put := d.Verb == summary.Free, d.Verb == summary.Put
	s.Each(func(t Tag, old *Death) (Tag, *Death) {
		// Dead already; no arena's; another arena's; older than the mark.
		if old != nil || t.Root == nil || !t.Root.Within(r) || since != nil && since(t) {
			return t, old
		}
		switch t.Kind {
		case Mem:
			if !freed || t.Root.Scrub {
				return t, d
			}
		case Handle:
			// After a Reset or Rewind the arena itself goes on; its children don't.
			if t.Root != r || put || freed || d.Do {
				return t, d
			}
		case Mark:
			return t, d
		}
		return t, old
	})
	if freed {
		s.shrink(func(v Value) Value { return v.withoutFreed(r) })
	}
}

// withoutFreed leaves out what is alive of an arena that was freed.
func (v Value) withoutFreed(r *Root) Value {
	out := func(t Tag, d *Death) bool { return d == nil && t.Kind == Mem && t.Root.Within(r) && !t.Root.Scrub }
	for t, d := range v.All() {
		if out(t, d) {
			return v.Only(func(t Tag) bool { return !out(t, v.Death(t)) }).Clone()
		}
	}
	return v
}

// Mark returns a mark, and notes what is older than that: all memory, arenas and
// marks that are alive and that anything leads to. What nothing leads to can't be
// used after a Rewind either. The set is kept by the call of Mark, not by its
// result, so that it goes with the state.
func (s *State) Mark(i ssa.Instruction, r *Root) Value {
	s.Spend(s.Size())
	old := map[Tag]bool{}
	note := func(v Value) {
		for t, d := range v.All() {
			if d == nil && (t.Kind == Mem || t.Kind == Handle || t.Kind == Mark) {
				old[t.Bare()] = true
			}
		}
	}
	for n := range s.vals.list {
		note(s.vals.list[n].value)
	}
	for n := range s.cells.list {
		note(s.cells.list[n].value)
	}
	if s.before == nil {
		s.before = map[ssa.Instruction]map[Tag]bool{}
	}
	s.before[i] = old
	t := Tag{Kind: Mark, Root: r, Site: i}
	old[t] = true // Rewind doesn't end its own mark
	t.Path = ".arena"
	return Just(t, nil)
}

// Since returns what is older than a mark at which r is rewound, and whether that
// is known: nothing is of a mark that comes from elsewhere, and then nothing dies.
// What has no allocation that the function has seen is older than a mark that was
// passed to it.
func (s *State) Since(r *Root, at Value) (older func(Tag) bool, known bool) {
	marks, param := []ssa.Instruction{}, false
	for t := range at.All() {
		switch {
		case t.Kind == Mark && t.Root == r:
			marks = append(marks, t.Site)
		// A Mark that was passed is a struct with a pointer to its arena.
		case t.Kind == Ptr && t.Loc.Sym != nil && t.Loc.Sym.Param >= 0:
			param = true
		}
	}
	if len(marks) == 0 && !param {
		return nil, false
	}
	return func(t Tag) bool {
		// The arena is older than its marks.
		if t.Kind == Handle && t.Root == r || param && t.Site == nil {
			return true
		}
		for _, m := range marks {
			if s.before[m][t.Bare()] {
				return true
			}
		}
		return false
	}, true
}

// Without takes note that some arenas aren't any: what stands for them is a nil
// pointer, and nothing is in their memory. Values may become empty by that, and
// then aren't values any more; cells stay, as cells that hold nothing.
func (s *State) Without(none map[*Root]bool) {
	s.shrink(func(v Value) Value { return v.without(none) })
}

// shrink calls f for all values, which may leave out tags.
func (s *State) shrink(f func(Value) Value) {
	s.Spend(s.Size())
	s.vals.change(f)
	s.vals.keep(func(r *row[ssa.Value]) bool { return len(r.value) > 0 })
	s.cells.change(f)
}

func (v Value) without(none map[*Root]bool) Value {
	gone := map[string]bool{} // the parts of v that are nil pointers
	for t := range v.All() {
		if t.Kind == Handle && none[t.Root] {
			gone[t.Path] = true
		}
	}
	out := func(t Tag) bool { return none[t.Root] || t.Kind == Ptr && gone[t.Path] }
	for t := range v.All() {
		if out(t) {
			return v.Only(func(t Tag) bool { return !out(t) }).Clone()
		}
	}
	return v
}
