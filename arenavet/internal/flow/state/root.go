package state

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds arenas and their ends.

// A Root is an arena, as far as a function can tell them apart: one for each
// instruction that makes an arena, for each name by which a caller may have passed
// one, and for each place from which one was loaded. Two roots may be the same
// arena at run time; they are taken to be different. That misses what one does to
// the other, and invents nothing.
type Root struct {
	Key     string // by which Places finds it again
	Kind    RootKind
	Site    ssa.Instruction // that made or obtained it
	Sym     *summary.Sym    // how a caller names it, or nil
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
	Older  // what a root was before its site was executed again
	AnyOf  // Members
	Opaque // inside of a callee, already over
)

// BelongsTo makes r a child of parent. In a loop one arena may stand for children of
// children, and come out as its own parent: then nothing new is known, so that the chain
// of parents has an end.
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

// Made reports whether the function that is analyzed has made an arena, so that it
// can't be the same as another one that was made here or passed to it. Only of such
// arenas it is certain that two of them are different.
func (r *Root) Made() bool {
	return r.Site != nil && (r.Kind == NewArena || r.Kind == Lent || r.Kind == Child)
}

// A Death is how memory, or an arena, came to its end. There is one for each
// instruction and verb; they are compared by ==. It says what messages need: where
// that was and by which verb, whether at once or by a defer statement, and whether
// it is the end of a function that Do calls, beyond which nothing may be kept.
type Death struct {
	At       ssa.Instruction
	Verb     string // "Reset"
	Deferred bool
	Do       bool // the end of Do
	Gear     summary.Gear
}

// With returns the death of an arena in a gear, unless that is known already.
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

// OfBuffer reports whether what has ended isn't memory of an arena, but what a buffer has shown.
func (d *Death) OfBuffer() bool {
	switch d.Verb {
	case summary.Reset, summary.Rewind, summary.Put, summary.Free, summary.DoEnds:
		return false
	}
	return true
}

// Deaths are those that are known in a package, so that each is there once, however
// often a function is analyzed. The key is what one is at first; Do is set later.
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

// precedes orders deaths, so that joins come to an end: each join replaces a death
// by an earlier one in the source, if at all. It also makes messages name the first
// of several.
func precedes(d, e *Death) bool {
	if p, q := Position(d.At), Position(e.At); p != q {
		return p < q
	}
	if d.Verb != e.Verb {
		return d.Verb < e.Verb
	}
	return d.Gear < e.Gear
}

// Position returns a place in the source for an instruction. Some that the
// compiler adds have none of their own: what they work on has.
func Position(i ssa.Instruction) token.Pos {
	if i.Pos().IsValid() {
		return i.Pos()
	}
	switch i := i.(type) {
	// What a closing brace implies has no place: the function's beginning has to do.
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

// Outermost returns the arena with which a child ends that this function has made, the
// first on the way that callers know by a name; others it returns as they are.
func Outermost(r *Root) *Root {
	for r.Sym == nil && r.Kind == Child && r.Parent != nil {
		r = r.Parent
	}
	return r
}

// IsHandle reports whether values of a type stand for arenas: pointers to an Arena, a
// Shared or a Typed. A Typed is its arena: what is done to one is done to it.
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
