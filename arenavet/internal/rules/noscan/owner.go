package noscan

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file finds the arena that a value is, or is in. It goes back from a value to the call that has allocated it, and
// from an arena to the call that has made it, whose options determine its kind.
//
//	a := arena.NewArena(arena.WithNoScan())    self-contained, made by this call
//	n := arena.New[node](a)                    in a
//	&n.children[3]                             in a
//	func f(a *arena.Arena)                     parameter 0
//	s.arena                                    values stored in the field, anywhere in the package
//
// An arena in a field or a global is of a kind if all values stored there are of that kind. For a parameter of the
// storing function, the calls in the package count. A value that is in one arena on some path, and in one of another
// kind on another path, is in no known arena.

// owner returns the arena (or pool, Shared, Typed) that v is, or in whose memory it is or points to.
func (c *checker) owner(v ssa.Value) owner {
	return c.ownerOf(v, map[ssa.Value]bool{})
}

// ownerOf is owner for a value reached from another one. seen has all values visited so far, so that loops, and fields
// that are set from each other, end.
func (c *checker) ownerOf(v ssa.Value, seen map[ssa.Value]bool) (o owner) {
	join := func(other owner) {
		switch {
		case other.kind == unknown || o == other:
		case o.kind == unknown:
			o = other
		case o.kind != other.kind || o.param != other.param:
			o = owner{id: v} // depends on the path
		}
	}
	defuse.Of(v, func(v ssa.Value) bool {
		c.Guard.Spend(1)
		if seen[v] {
			return false
		}
		seen[v] = true
		switch v := v.(type) {
		case *ssa.Call:
			join(c.ofCall(v, 0, seen))
			return api.Builtin(&v.Call) != ""
		case *ssa.Extract:
			if call, ok := v.Tuple.(*ssa.Call); ok {
				join(c.ofCall(call, v.Index, seen))
			}
		case *ssa.Parameter:
			join(c.ofParameter(v, seen))
		case *ssa.Global:
			if isZero(v.Type()) {
				join(owner{kind: ordinary, id: v})
			}
		case *ssa.Alloc:
			if isZero(v.Type()) && len(defuse.Stored(v)) == 0 {
				join(owner{kind: ordinary, id: v})
			}
		case *ssa.FieldAddr:
			if isZero(v.Type()) {
				return false // of something else than the arena
			}
		case *ssa.UnOp:
			if v.Op == token.MUL {
				join(c.ofLoad(v, seen))
			}
		}
		return true
	})
	return o
}

// isZero reports whether t is a pointer to an arena, a pool or a Shared: a variable of such a type has the default
// options.
func isZero(t types.Type) bool {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		if _, ok := types.Unalias(p.Elem()).(*types.Pointer); !ok {
			switch api.TypeOf(p.Elem()) {
			case api.Arena, api.Pool, api.Shared:
				return true
			}
		}
	}
	return false
}

// ofCall returns the owner of a result of a call.
//
//	arena.NewArena(opts...)    of the kind of the options
//	arena.New[T](a)            in a; on the heap if a is the constant nil
//	pool.Get(), a.Child()      of the kind of the pool, of a, and an arena of its own
//	newTree(a)                 as in its summary
func (c *checker) ofCall(call *ssa.Call, index int, seen map[ssa.Value]bool) owner {
	if f := api.Callee(&call.Call); f != nil {
		switch f.Verb {
		case api.NewArena, api.NewPool, api.NewShared:
			o := options(call.Call.Args[len(call.Call.Args)-1])
			o.id = call
			return o
		case api.Alloc, api.Get, api.Local, api.Child, api.For:
			arena := api.Arg(&call.Call, f.From)
			if k, ok := arena.(*ssa.Const); ok && k.IsNil() {
				return owner{kind: nowhere}
			}
			o := c.ownerOf(arena, seen)
			if f.Verb != api.Alloc && f.Verb != api.For && o.kind != unknown && o.kind != parameter {
				o.id = call
			}
			return o
		}
		return owner{}
	}
	if s := c.Callee(&call.Call); s != nil && index < len(s.Results) {
		switch r := s.Results[index]; {
		case r.Owner >= len(call.Call.Args):
		case r.Kind == parameter:
			return c.ownerOf(call.Call.Args[r.Owner], seen)
		case r.Kind == optional:
			o := options(call.Call.Args[r.Owner])
			o.id = call
			return o
		default:
			return owner{kind: r.Kind, id: call}
		}
	}
	return owner{}
}

// ofParameter returns the owner of a parameter: in the function of a Do, it is an arena of the pool.
func (c *checker) ofParameter(p *ssa.Parameter, seen map[ssa.Value]bool) owner {
	fn := p.Parent()
	i := slices.Index(fn.Params, p)
	if fn.Parent() == nil {
		return owner{kind: parameter, param: i}
	}
	if pool := poolOf(fn); pool != nil && i == 0 {
		if o := c.ownerOf(pool, seen); o.kind == ordinary || o.kind == selfContained {
			return owner{kind: o.kind, id: p}
		}
	}
	return owner{}
}

// poolOf returns the pool whose Do calls a function literal, or nil.
//
//	pool.Do(func(a *arena.Arena) error { ... })     a is an arena of pool
func poolOf(fn *ssa.Function) ssa.Value {
	for _, use := range api.Uses(fn) {
		var as ssa.Value = fn
		calls := []ssa.Instruction{use}
		if closure, ok := use.(*ssa.MakeClosure); ok {
			as, calls = closure, api.Uses(closure)
		}
		for _, use := range calls {
			if call, ok := use.(ssa.CallInstruction); ok {
				if f := api.Callee(call.Common()); f != nil && f.Verb == api.Do &&
					api.Arg(call.Common(), f.Func) == as {
					return api.Arg(call.Common(), f.From)
				}
			}
		}
	}
	return nil
}

// ofLoad returns the owner of a value loaded from a field or a package-level variable: for an arena, the one stored
// there, if all are of the same kind; for other pointers, the owner of the memory they are in.
//
//	n := t.root         in the arena that t is in, as far as is known
//	a := t.arena        values stored in the field, anywhere in the package
//	n := list[i]        in the arena of the list
func (c *checker) ofLoad(v *ssa.UnOp, seen map[ssa.Value]bool) owner {
	var key *types.Var
	switch addr := v.X.(type) {
	case *ssa.Global:
		key = shape.Holder(addr)
	case *ssa.FieldAddr:
		if api.TypeOf(v.Type()) == api.None {
			if len(defuse.Stored(addr)) > 0 {
				return owner{}
			}
			return c.ownerOf(addr.X, seen)
		}
		if f := shape.Holder(addr); f != nil && f.Pkg() == c.Pass.Pkg {
			key = f
		}
	case *ssa.IndexAddr:
		if api.TypeOf(v.Type()) == api.None {
			return c.ownerOf(addr.X, seen)
		}
	}
	if key == nil || len(c.stored[key]) == 0 {
		return owner{}
	}
	var all owner
	for i, s := range c.stored[key] {
		o := c.ownerOf(s, seen)
		if o.kind == parameter {
			o = c.ofCallers(s.Parent(), o.param, seen)
		}
		if o.kind == parameter || i > 0 && o.kind != all.kind {
			return owner{}
		}
		all = o
	}
	all.id = v.X
	return all
}

// ofCallers returns the common kind of all arenas that a function gets in the package, unknown if nobody calls it.
// Callers in other packages aren't seen: an exported constructor may get other arenas from them. If its own package
// uses one kind only, that is taken to be the intent.
func (c *checker) ofCallers(fn *ssa.Function, param int, seen map[ssa.Value]bool) (all owner) {
	for i, call := range c.calls[fn] {
		if param >= len(call.Args) || seen[call.Args[param]] {
			return owner{}
		}
		o := c.ownerOf(call.Args[param], seen)
		if o.kind != ordinary && o.kind != selfContained || i > 0 && o.kind != all.kind {
			return owner{}
		}
		all = o
	}
	return all
}

// fresh reports whether v is a call that made a new arena. The options don't matter: each such call makes an arena that
// nothing else has.
func (c *checker) fresh(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return false
	}
	if f := api.Callee(&call.Call); f != nil {
		return f.Verb == api.NewArena
	}
	s := c.Callee(&call.Call)
	return s != nil && len(s.Results) == 1 && s.Results[0].Fresh
}

// child reports whether an arena is a child of another. Only children that this function has made are recognized; the
// memory of a child goes back to its parent when the child is reset, but a value of the parent's may outlive that.
func (c *checker) child(child, parent owner) bool {
	call, ok := child.id.(*ssa.Call)
	if !ok || parent.id == nil {
		return false
	}
	f := api.Callee(&call.Call)
	return f != nil && f.Verb == api.Child && c.owner(api.Arg(&call.Call, f.From)).id == parent.id
}

// options returns the kind of arena that a list of options makes: self-contained with WithNoScan, ordinary if all
// options are known and none is WithNoScan. It may be the kind of the options in a parameter.
func options(list ssa.Value) owner {
	o := defuse.OptionsOf(list)
	switch {
	case defuse.Has(o.Calls, "WithNoScan"):
		return owner{kind: selfContained}
	case defuse.Has(o.Maybe, "WithNoScan") || len(o.Rest) > 1:
		return owner{}
	case len(o.Rest) == 0:
		return owner{kind: ordinary}
	}
	if p, ok := o.Rest[0].(*ssa.Parameter); ok && p.Parent().Parent() == nil {
		return owner{kind: optional, param: slices.Index(p.Parent().Params, p)}
	}
	return owner{}
}
