package noscan

import (
	"go/token"
	"go/types"
	"slices"
	"strconv"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	flows "github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/knowledge/std"
)

// This file finds the possible targets of a value, by going back to the origin of its pointers: package defuse handles
// the steps that change nothing (slicing, conversions, variables, joins of branches), and find the ends of the search.
//
//	make, new, &T{}, +, conversions, closures     on the heap
//	calls of package arena                        in the arena that the call is of
//	calls of functions with a summary             as in the summary
//	calls of the standard library                 as in package std
//	parameters                                    whatever the caller passes
//	anything else                                 unknown, so not reported
//
// In a struct, each field that the function sets is a source; the other fields were set before, and checked where they
// were stored.
//
// The search records the values on the way, since the argument of KeepAlive is often not the stored value but one from
// which it was made.

// A source is a possible target of a value. One of what, param and arena describes it; unknown sources aren't listed.
type source struct {
	what  string    // its name if it is on the heap for certain, or ""
	value ssa.Value // that made it
	param int       // the number of the parameter, or -1
	arena owner     // its arena
}

// A finder finds the sources of a value. It only goes back from the value: later uses of the value don't matter.
type finder struct {
	c     *checker
	seen  map[ssa.Value]bool // everything on the way
	found []source
}

// sources returns the possible targets of v, and of the pointers in it if it is a struct or an array.
func (c *checker) sources(v ssa.Value) ([]source, map[ssa.Value]bool) {
	f := &finder{c: c, seen: map[ssa.Value]bool{}}
	f.find(v)
	return f.found, f.seen
}

// heap adds a source on the heap. what names it in messages, as in "a map on the heap".
func (f *finder) heap(v ssa.Value, what string) {
	f.found = append(f.found, source{what: what, value: v, param: -1})
}

// find adds the sources of a value. Each value is visited once, so that loops end.
func (f *finder) find(v ssa.Value) {
	if v == nil || f.seen[v] || !shape.SurelyHasPointers(v.Type()) {
		return
	}
	f.seen[v] = true
	f.c.Guard.Spend(1)
	for _, x := range defuse.Through(v) {
		f.find(x)
	}
	switch v := v.(type) {
	case *ssa.Parameter:
		f.parameter(v)
	case *ssa.Alloc:
		f.heap(v, "a variable")
	case *ssa.MakeSlice:
		f.heap(v, "a slice from make")
	case *ssa.MakeMap:
		f.heap(v, "a map")
	case *ssa.MakeChan:
		f.heap(v, "a channel")
	case *ssa.MakeClosure:
		f.heap(v, "a closure")
	case *ssa.BinOp:
		f.heap(v, "a concatenated string")
	case *ssa.Convert:
		// A pointer made from a uintptr is the responsibility of unsafe code.
		if !defuse.SameMemory(v) && v.X.Type().Underlying() != types.Typ[types.Uintptr] {
			f.heap(v, "a converted string or slice")
		}
	case *ssa.MakeInterface:
		f.boxed(v)
	case *ssa.UnOp:
		if v.Op == token.MUL {
			f.load(v)
		}
	case *ssa.Call:
		f.call(v, 0)
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Call:
			f.call(t, v.Index)
		case *ssa.TypeAssert:
			f.find(t.X)
		}
	}
}

// parameter adds a parameter as a source, unless it is a literal's, whose callers are unknown.
func (f *finder) parameter(p *ssa.Parameter) {
	if fn := p.Parent(); fn.Parent() == nil {
		f.found = append(f.found, source{value: p, param: slices.Index(fn.Params, p)})
	}
}

// load finds the values stored at v's address: in a variable, a field of a struct variable, or an element of a slice
// from the standard library. Other functions' stores in a field don't count here: they were checked there.
func (f *finder) load(v *ssa.UnOp) {
	switch v.Type().Underlying().(type) {
	case *types.Struct, *types.Array:
		f.contents(v.X)
		return
	}
	for _, s := range defuse.Stored(v.X) {
		f.find(s)
	}
	if at, ok := v.X.(*ssa.IndexAddr); ok { // as in strings.Split(text, "/")[0]
		defuse.Of(at.X, func(v ssa.Value) bool {
			f.seen[v] = true
			if call, ok := v.(*ssa.Call); ok {
				f.standard(call, code.CalleeName(&call.Call), "#0*[]")
			}
			return true
		})
	}
}

// contents finds the targets of the struct or the array at an address, if it is a variable that is filled here.
//
//	n := node{name: fmt.Sprint(id)}
//	*p = n                              finds the value stored in n.name
func (f *finder) contents(addr ssa.Value) {
	switch addr.(type) {
	case *ssa.Alloc, *ssa.FieldAddr, *ssa.IndexAddr:
	default:
		return
	}
	if f.seen[addr] {
		return
	}
	f.seen[addr] = true
	defuse.Within(addr, func(at ssa.Value, use ssa.Instruction) {
		f.seen[at] = true
		if st, ok := use.(*ssa.Store); ok && st.Addr == at {
			f.find(st.Val)
		}
	})
}

// call finds the targets of a result of a call.
func (f *finder) call(call *ssa.Call, index int) {
	if api.IsBuiltin(call, "append") {
		f.grown(call)
		return
	}
	if fn := api.Callee(&call.Call); fn != nil {
		switch fn.Verb {
		case api.Clone, api.DeepClone:
			f.heap(call, "a clone")
		case api.Alloc:
			if o := f.c.owner(call); o.kind == nowhere {
				f.heap(call, "memory of the nil arena")
			} else {
				f.found = append(f.found, source{value: call, param: -1, arena: o})
			}
		}
		return
	}
	if s := f.c.Callee(&call.Call); s != nil {
		if index >= len(s.Results) {
			return
		}
		r := s.Results[index]
		if r.Heap != "" {
			f.heap(call, r.Heap)
		}
		for i, arg := range call.Call.Args {
			if i < 64 && r.Params>>i&1 != 0 {
				f.find(arg)
			}
		}
		return
	}
	name := code.CalleeName(&call.Call)
	if index == 0 && std.Fresh[name] {
		f.heap(call, "the result of "+name)
		return
	}
	f.standard(call, name, "#"+strconv.Itoa(index))
}

// standard adds the arguments that may be at a place in the result of a function of the standard library.
func (f *finder) standard(call *ssa.Call, name, place string) {
	text := std.Flows(name)
	if text == "" {
		return
	}
	for _, x := range flows.Parse(text).Results {
		if n := x.From.Param; x.Out == place && x.Kind == flows.Same && x.From.Path == "" && n < len(call.Call.Args) {
			f.find(call.Call.Args[n])
		}
	}
}

// grown finds the targets of a slice from the builtin append: on the heap if the capacity wasn't enough, which is
// certain for a nil slice and possible for others; appendgrow checks append within capacity in an arena. A function
// that calls cap is assumed to ensure enough capacity.
func (f *finder) grown(call *ssa.Call) {
	s := call.Call.Args[0]
	if k, ok := s.(*ssa.Const); ok && k.IsNil() {
		f.heap(call, "a slice from the builtin append")
		return
	}
	if load, ok := s.(*ssa.UnOp); ok && load.Op == token.MUL && len(defuse.Stored(load.X)) <= 1 {
		if _, ok := load.X.(*ssa.FieldAddr); ok && !api.CallsBuiltin(call.Parent(), "cap") {
			f.heap(call, "a slice that the builtin append has grown")
			return
		}
	}
	f.find(s)
}

// This part handles values in interfaces. An interface has a pointer to its value, so the value is copied to the heap,
// unless it is a pointer itself or the compiler knows a copy that is never freed: constants are in static data, and
// each byte has a place in a table of the runtime.
//
//	n.value = 3         static
//	n.value = count     a copy on the heap: reported
//	n.value = &x        x counts

// boxed finds the targets of an interface value. Constants, structs of constants, and values of one byte or none, are
// static. Values in an array, or behind a pointer, aren't copied again: find continues there.
func (f *finder) boxed(v *ssa.MakeInterface) {
	switch t := v.X.Type().Underlying().(type) {
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		f.find(v.X)
	case *types.Interface:
	case *types.Basic:
		if t.Kind() == types.UnsafePointer {
			f.find(v.X)
		} else if _, constant := v.X.(*ssa.Const); !constant && t.Kind() != types.Bool &&
			t.Kind() != types.Uint8 && t.Kind() != types.Int8 {
			f.heap(v, "an interface's copy of a value")
		}
	case *types.Struct:
		if t.NumFields() > 0 && !isConstant(v.X) {
			f.heap(v, "an interface's copy of a value")
		}
	case *types.Slice:
		f.heap(v, "an interface's copy of a value")
	}
}

// isConstant reports whether v is a composite literal that sets fields only to constants. The compiler puts it into
// static data.
//
//	n.value = point{1, 2}     static
//	n.value = point{x, 2}     a copy on the heap
func isConstant(v ssa.Value) bool {
	if isConst(v) {
		return true
	}
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL {
		return false
	}
	literal, ok := load.X.(*ssa.Alloc)
	if !ok || literal.Comment != "complit" {
		return false
	}
	for _, use := range defuse.FieldUses(literal) {
		if s, ok := use.(*ssa.Store); !ok || !isConst(s.Val) {
			return false
		}
	}
	return true
}

func isConst(v ssa.Value) bool {
	_, ok := v.(*ssa.Const)
	return ok
}
