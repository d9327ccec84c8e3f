package state

import (
	"fmt"
	"go/token"
	"go/types"
	"maps"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file holds arenas and their ends.

// A Root is an arena, as far as a function can tell arenas apart: one for each instruction that makes an arena, one for
// each name by which a caller may have passed one, and one for each place from which one was loaded. Two roots that are
// the same arena at run time are taken to be different. That misses findings, but invents none.
type Root struct {
	Key     string // key in Places
	Kind    RootKind
	Site    ssa.Instruction // that made or obtained it
	Sym     *summary.Sym    // the caller's name for it, or nil
	Parent  *Root           // whose Reset ends it
	Name    string          // for messages
	Members []*Root         // of AnyOf: it is one of them
	Object  *types.Var      // the field or the global that holds it
	Scrub   bool            // Free erases
	Shared  bool            // is a Shared, or a Pool
	Lent    bool            // is a context's
	Unsure  bool            // a callee has made it in one of several ways
	Gear    summary.Gear    // of the call that has made or obtained it

	older  *Root // see Places.older
	number int   // among the roots of a function
	is     Value // see Arena
}

// A RootKind says where an arena is from.
type RootKind uint8

const (
	UnknownArena RootKind = iota
	NewArena
	Lent   // from Pool.Get
	Child  // of an arena, or a local of a Shared
	Older  // a root's arenas from before its site was executed again
	AnyOf  // Members
	Opaque // in a callee, already ended
)

// BelongsTo makes r a child of parent. In a loop one root may stand for children of children, and be its own parent:
// then nothing changes, so the chain of parents stays finite.
func (r *Root) BelongsTo(parent *Root) {
	if !parent.Within(r) {
		r.Parent = parent
	}
}

// Within reports whether r ends with outer: it is outer, or a child, or a child's child.
func (r *Root) Within(outer *Root) bool {
	for ; r != nil; r = r.Parent {
		if r == outer {
			return true
		}
	}
	return false
}

// Made reports whether the analyzed function has made an arena, so that it differs from every other arena that was made
// here or passed in. Only such arenas are certain to be different.
func (r *Root) Made() bool {
	return r.Site != nil && (r.Kind == NewArena || r.Kind == Lent || r.Kind == Child)
}

// A Death is the end of memory, or of an arena. There is one for each instruction and verb; they are compared by ==. It
// has the facts for messages: place and verb, whether a defer statement ended it, and whether it is the end of a
// function that Do calls, beyond which nothing may be kept.
type Death struct {
	At       ssa.Instruction
	Verb     string // "Reset"
	Deferred bool
	Do       bool // the end of Do
	Gear     summary.Gear
}

// With returns the death of an arena in a gear, unless the gear is known already.
func (ds Deaths) With(d *Death, gear summary.Gear) *Death {
	if d.Gear != summary.Unseen || gear == summary.Unseen || d.OfBuffer() {
		return d
	}
	x := *d
	x.Gear = gear
	return ds.of(x)
}

// OfBuffer reports whether the death isn't of arena memory but of a buffer's shown contents.
func (d *Death) OfBuffer() bool {
	switch d.Verb {
	case summary.Reset, summary.Rewind, summary.Put, summary.Free, summary.DoEnds:
		return false
	}
	return true
}

// Deaths has one entry per death of a package, however often a function is analyzed. The key is the death's initial
// value; Do is set later.
type Deaths map[Death]*Death

// Of returns the death that an instruction brings.
func (ds Deaths) Of(at ssa.Instruction, verb string, deferred bool) *Death {
	return ds.of(Death{At: at, Verb: verb, Deferred: deferred})
}

func (ds Deaths) of(key Death) *Death {
	d := key
	if ds[key] == nil {
		ds[key] = &d
	}
	return ds[key]
}

// precedes orders deaths, so that joins reach a fixed point: a join only ever replaces a death by one that is earlier
// in the source. Messages then name the first of several.
func precedes(d, e *Death) bool {
	if p, q := Position(d.At), Position(e.At); p != q {
		return p < q
	}
	if d.Verb != e.Verb {
		return d.Verb < e.Verb
	}
	return d.Gear < e.Gear
}

// Position returns a place in the source for an instruction. Some that the compiler adds have none; then their
// operand's place counts, or the function's beginning.
func Position(i ssa.Instruction) token.Pos {
	if i.Pos().IsValid() {
		return i.Pos()
	}
	for _, op := range i.Operands(nil) {
		if *op != nil && (*op).Pos().IsValid() {
			return (*op).Pos()
		}
	}
	return i.Parent().Pos()
}

// Outermost returns the ancestor with which a child of this function ends: the first with a name for callers, or the
// last. Other arenas are returned as they are.
func Outermost(r *Root) *Root {
	for r.Sym == nil && r.Kind == Child && r.Parent != nil {
		r = r.Parent
	}
	return r
}

// IsHandle reports whether values of a type stand for arenas: pointers to an Arena, a Shared or a Typed. A Typed is its
// arena: the end of one is the end of the other.
func IsHandle(t types.Type) bool {
	if t == nil {
		return false
	}
	if _, ok := t.Underlying().(*types.Pointer); !ok {
		return false
	}
	switch api.TypeOf(t) {
	case api.Arena, api.Shared, api.Typed:
		return true
	}
	return false
}

// This part changes a state when an arena is made, marked or ended, or found to be nil. It must not depend on whether
// any of this is a mistake.
//
// Each of these operations traverses all values and cells, since memory of an arena may be anywhere. An index by arena
// would cost more to maintain than the few ends of a function do.

// Renew returns the root that an instruction makes. In a loop, its previous arena becomes an older one: the newest is
// told apart from all older ones, which share one root (recency abstraction; Balakrishnan and Reps, SAS 2006). So a
// Reset certainly ends the arena of this iteration, and no older one:
//
//	for {
//		a := pool.Get()       made: this arena; older: those of earlier iterations
//		list = append(list, New[T](a))
//		pool.Put(a)           ends made
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
	// Goroutines of an earlier iteration use an older arena, not this one.
	for p := range s.Pending {
		if p.Root == r {
			delete(s.Pending, p)
		}
	}
	return r
}

// RenewMade is Renew for an arena that a callee has made, or that a variable has in this iteration of a loop.
func (s *State) RenewMade(i ssa.Instruction, r *Root) {
	old := s.older(r)
	old.Site, old.Gear = i, r.Gear
	s.rename(r, old)
}

// older returns the root for r's earlier arenas, from before its site was executed again.
func (p *Places) older(r *Root) *Root {
	if r.older == nil {
		r.older = p.Root("older "+r.Key, Older)
	}
	return r.older
}

// rename changes all tags of r to old. In a state a root occurs only in tags and in Pending.
func (s *State) rename(r, old *Root) {
	s.Each(func(t Tag, d *Death) (Tag, *Death) {
		if t.Root == r {
			t.Root = old
		}
		return t, d
	})
}

// End ends all memory of r, or all newer than a mark if since isn't nil, and r itself if d is more than a Reset.
// Children end with it. Dead tags keep their first death.
//
//	        memory         arena      children   marks
//	Reset   dead           lives      end        stale
//	Rewind  newer: dead    lives      newer: end newer: stale
//	Put     dead           ends       end        stale
//	Free    as Scrub says  ends       end        stale
//	Do ends dead           ends       end        stale
//
// Free leaves memory to the GC, unless it erases it: from then on the memory belongs to no arena, so ends on other
// paths don't affect it.
func (s *State) End(r *Root, d *Death, since func(Tag) bool) {
	s.ended = true
	freed, put := d.Verb == summary.Free, d.Verb == summary.Put
	s.Each(func(t Tag, old *Death) (Tag, *Death) {
		// Dead already; of no arena; of another arena; older than the mark.
		if old != nil || t.Root == nil || !t.Root.Within(r) || since != nil && since(t) {
			return t, old
		}
		switch t.Kind {
		case Mem:
			if !freed || t.Root.Scrub {
				return t, d
			}
		case Handle:
			// After a Reset or Rewind the arena itself lives on; its children don't.
			if t.Root != r || put || freed || d.Do {
				return t, d
			}
		case Mark:
			return t, d
		}
		return t, old
	})
	maps.DeleteFunc(s.cells, func(c Cell, _ Value) bool { // nobody may read what dead values have
		of := c.Loc.of
		return of != nil && of.Within(r) && (!freed || of.Scrub) &&
			(since == nil || !since(Tag{Kind: Mem, Root: of, Site: c.Loc.Site}))
	})
	if freed {
		s.shrink(func(v Value) Value { return v.withoutFreed(r) })
	}
}

// withoutFreed drops the living memory of an arena that was freed.
func (v Value) withoutFreed(r *Root) Value {
	out := func(t Tag, d *Death) bool { return d == nil && t.Kind == Mem && t.Root.Within(r) && !t.Root.Scrub }
	for t, d := range v.All() {
		if out(t, d) {
			return v.Only(func(t Tag) bool { return !out(t, v.Death(t)) }).Clone()
		}
	}
	return v
}

// Mark returns a mark and records the tags that are older: all reachable memory, arenas and marks that are alive.
// Unreachable memory can't be used after a Rewind either. The call of Mark is the key of the set, not its result, so
// the set is part of the state.
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
	for _, v := range s.vals {
		note(v)
	}
	for _, v := range s.cells {
		note(v)
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

// Since returns the test for tags older than the mark to which r is rewound, and reports whether the mark is known: an
// unknown mark ends nothing. Memory without an allocation in this function is older than a mark that was passed to it.
func (s *State) Since(r *Root, at Value) (older func(Tag) bool, known bool) {
	marks, param := []ssa.Instruction{}, false
	for t := range at.All() {
		switch {
		case t.Kind == Mark && t.Root == r:
			marks = append(marks, t.Site)
		// A Mark parameter is a struct with a pointer to its arena.
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

// Without removes arenas that turned out to be nil: their pointers are nil, and their memory is empty. Values that
// become empty are removed; cells stay, without contents.
func (s *State) Without(none map[*Root]bool) {
	s.shrink(func(v Value) Value { return v.without(none) })
}

// shrink replaces each value by f's result, which may have fewer tags.
func (s *State) shrink(f func(Value) Value) {
	s.Spend(s.Size())
	change(s.vals, f)
	maps.DeleteFunc(s.vals, func(_ ssa.Value, v Value) bool { return len(v) == 0 })
	change(s.cells, f)
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
