package state

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
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
	Object  any             // the *types.Var that holds it, if it is a field or a global
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
	key := *d
	key.Gear = gear
	if ds[key] == nil {
		ds[key] = &Death{d.At, d.Verb, d.Deferred, d.Do, gear}
	}
	return ds[key]
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
	key := Death{At: at, Verb: verb, Deferred: deferred}
	d := ds[key]
	if d == nil {
		d = &Death{At: at, Verb: verb, Deferred: deferred}
		ds[key] = d
	}
	return d
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
// operand's place counts.
func Position(i ssa.Instruction) token.Pos {
	if i.Pos().IsValid() {
		return i.Pos()
	}
	switch i := i.(type) {
	// A closing brace has no place: the function's beginning stands in.
	case *ssa.RunDefers, *ssa.Return:
		return i.Parent().Pos()
	case *ssa.Store:
		if p := i.Addr.Pos(); p.IsValid() {
			return p
		}
		return i.Val.Pos()
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
