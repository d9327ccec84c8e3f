// Package code answers questions about functions in SSA form: loops, conditions of blocks, callees, types in fields.
// The answers don't depend on states.
package code

import (
	"cmp"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/knowledge/std"
)

// CalleeName returns the full name of the called function or method, "" if unknown. The name of an interface's method
// has the interface; the name of an instance is the generic function's.
func CalleeName(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.FullName()
	}
	fn := api.StaticCallee(c)
	if fn == nil {
		return ""
	}
	if obj, ok := fn.Object().(*types.Func); ok {
		return obj.FullName()
	}
	return fn.Name()
}

// ShortName returns the name of the called function or method without its package and type.
func ShortName(c *ssa.CallCommon) string {
	name := CalleeName(c)
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Shift is 1 if a call's receiver isn't among its Args, as for a method of an interface, and 0 otherwise: the offset of
// its argument numbers.
func Shift(c *ssa.CallCommon) int {
	if c.IsInvoke() {
		return 1
	}
	return 0
}

// Scrubs reports whether a call that makes an arena or a Pool has the option WithScrub.
func Scrubs(c *ssa.CallCommon) bool {
	if len(c.Args) == 0 || !c.Signature().Variadic() {
		return false
	}
	o := defuse.OptionsOf(c.Args[len(c.Args)-1])
	return defuse.Has(o.Calls, "WithScrub") || defuse.Has(o.Maybe, "WithScrub")
}

// IsDetach reports whether a function is one by which a handler hands its request's arena over.
func IsDetach(name string) bool {
	return strings.HasSuffix(name, "http.Detach") && strings.HasPrefix(name, api.Path)
}

// ArenasOf returns the arguments of a call that stand for arenas.
func ArenasOf(c *ssa.CallCommon) (list []ssa.Value) {
	for _, x := range c.Args {
		if state.IsHandle(x.Type()) {
			list = append(list, x)
		}
	}
	return list
}

// This part follows a value to its source, and to the stores in it, one step at a time.

// IsGiven reports whether callers know the element of a key: the key is a parameter, or a part of one. A function that
// deletes it is taken to delete the caller's element.
//
//	func (s *server) unregister(id int) { delete(s.running, id) }
func IsGiven(key ssa.Value) bool {
	switch x := Source(key).(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return true
	case *ssa.Convert:
		return IsGiven(x.X)
	}
	return false
}

// OnlyStored reports whether a result is only stored in a global. A weak pointer whose value nobody loads does no harm.
func OnlyStored(v ssa.Value) bool {
	uses := api.Uses(v)
	for _, use := range uses {
		st, ok := use.(*ssa.Store)
		if !ok {
			return false
		}
		if _, ok := st.Addr.(*ssa.Global); !ok {
			return false
		}
	}
	return len(uses) > 0
}

// Stores returns the values stored in the elements of a new slice, by their indices.
func Stores(list ssa.Value) (items []ssa.Value) {
	for at, st := range defuse.Items(list) {
		if n, ok := defuse.Int(at.Index); ok {
			for n >= len(items) {
				items = append(items, nil)
			}
			items[n] = st.Val
		}
	}
	return items
}

// Unboxed returns the value that was converted to an interface.
func Unboxed(v ssa.Value) ssa.Value {
	for {
		switch v.(type) {
		case *ssa.MakeInterface, *ssa.ChangeInterface:
			v = api.Operand(v)
		default:
			return v
		}
	}
}

// Source returns the value that another one is a part of, or from which pointers lead to it: the one that a loop gets
// anew, as far as fields and pointers are followed.
func Source(v ssa.Value) ssa.Value {
	for {
		switch x := v.(type) {
		case *ssa.FieldAddr, *ssa.Field, *ssa.Extract, *ssa.TypeAssert, *ssa.ChangeType, *ssa.ChangeInterface,
			*ssa.MakeInterface:
			v = api.Operand(v)
		case *ssa.UnOp:
			if x.Op != token.MUL {
				return v
			}
			v = x.X
		default:
			return v
		}
	}
}

// Written returns the values stored in a variable; for other values, the value itself.
func Written(v ssa.Value) (list []ssa.Value) {
	if _, ok := v.(*ssa.Alloc); ok {
		for st := range defuse.StoresTo(v) {
			list = append(list, st.Val)
		}
	}
	if list == nil {
		list = []ssa.Value{v}
	}
	return list
}

// Last returns the value that a load's block has stored in the variable before, or the load itself: functions with
// deferred calls have their results in variables.
func Last(v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return v
	}
	for _, i := range load.Block().Instrs {
		if st, ok := i.(*ssa.Store); ok && st.Addr == load.X {
			v = st.Val
		}
	}
	return v
}

// This part recognizes, by their parameters, functions that handle one request, whose arena ends with them.

// RequestParams returns how many of a function's last parameters are a request, 0 if it isn't a handler of net/http, a
// framework, or RPCs.
func RequestParams(fn *ssa.Function) int {
	params := fn.Signature.Params()
	n := params.Len()
	if n == 0 {
		return 0
	}
	last := params.At(n - 1).Type()
	if slices.ContainsFunc(std.Contexts, func(c [2]string) bool { return api.IsNamed(last, c[0], c[1]) }) {
		return 1
	}
	if n >= 2 && api.IsNamed(params.At(n-2).Type(), "net/http", "ResponseWriter") &&
		api.IsNamed(last, "net/http", "Request") || isRPC(fn.Signature) {
		return 2
	}
	return 0
}

// isRPC reports whether a function has the parameters and results of an RPC's handler: a context and a message, of
// protobuf itself or in a Request of package connect, and a reply and an error.
func isRPC(sig *types.Signature) bool {
	params, n := sig.Params(), sig.Params().Len()
	if n != 2 || sig.Results().Len() != 2 || !shape.IsError(sig.Results().At(1).Type()) ||
		!api.IsNamed(params.At(0).Type(), "context", "Context") {
		return false
	}
	m := params.At(1).Type()
	if api.IsNamed(m, "connectrpc.com/connect", "Request") {
		return true
	}
	_, pointer := m.Underlying().(*types.Pointer)
	method, _, _ := types.LookupFieldOrMethod(m, false, nil, "ProtoReflect")
	return pointer && method != nil
}

// calls reports whether a function contains a call that is accepts.
func calls(fn *ssa.Function, is func(c *ssa.CallCommon) bool) bool {
	for c := range api.Calls(fn) {
		if is(c.Common()) {
			return true
		}
	}
	return false
}

// KeepsRequest reports whether an RPC's handler calls Keep, which leaves the arena to the collector.
func KeepsRequest(fn *ssa.Function) bool {
	return isRPC(fn.Signature) && calls(fn, func(c *ssa.CallCommon) bool {
		name := CalleeName(c)
		return strings.HasPrefix(name, api.Path+"/contrib/") && strings.HasSuffix(name, ".Keep")
	})
}

// DecodesRequest reports whether the message of an RPC's handler is in the arena of its context: the function fetches
// that arena, or the package imports a decoder that uses it.
func DecodesRequest(fn *ssa.Function) bool {
	if !isRPC(fn.Signature) || fn.Pkg == nil {
		return false
	}
	for _, p := range fn.Pkg.Pkg.Imports() {
		switch strings.TrimPrefix(p.Path(), api.Path+"/contrib/") {
		case "arenagrpc", "arenaconnect":
			return true
		}
	}
	ctx := ssa.Value(fn.Params[len(fn.Params)-2])
	return calls(fn, func(c *ssa.CallCommon) bool {
		k := api.Callee(c)
		return k != nil && k.Verb == api.FromContext && c.Args[0] == ctx
	})
}

// This part finds types along a path of fields, elements and pointers, as in summaries' names.

// LastField splits a pool's name into the object's and the field's.
func LastField(path string) (object, field string) {
	path = strings.TrimSuffix(path, "*&")
	n := strings.LastIndexByte(path, '.')
	if n < 0 || strings.ContainsAny(path[n:], "*[&(@") {
		return "", ""
	}
	return path[:n], path[n:]
}

// FirstStep splits the first step off a path: "*", ".name", "[]" or the like.
func FirstStep(path string) (step, rest string) {
	if n := strings.IndexAny(path[1:], "*.[@(#&"); path[0] != '*' && n >= 0 {
		return path[:n+1], path[n+1:]
	}
	if path[0] == '*' {
		return path[:1], path[1:]
	}
	return path, ""
}

// Along returns the type at the end of a path from another type, nil if unknown, and the last field on it.
func Along(t types.Type, path string) (end types.Type, last *types.Var) {
	for path != "" && t != nil {
		step, rest := FirstStep(path)
		next, field := Stepped(t, step)
		t, path, last = next, rest, cmp.Or(field, last)
	}
	return t, last
}

// Stepped returns the type to which a step leads from a type, nil if unknown, and the field, if the step is one. The
// target of an interface's pointer isn't known, and needn't be.
func Stepped(t types.Type, step string) (types.Type, *types.Var) {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		if step == "*" {
			return u.Elem(), nil
		}
	case *types.Struct:
		for field := range u.Fields() {
			if step == "."+field.Name() {
				return field.Type(), field.Origin()
			}
		}
	case *types.Slice:
		if step == "*" {
			return t, nil
		} else if step == state.Elements {
			return u.Elem(), nil
		}
	case *types.Array:
		if step == state.Elements {
			return u.Elem(), nil
		}
	case *types.Map:
		switch step {
		case "*":
			return t, nil
		case state.Elements:
			return u.Elem(), nil
		case state.Keys:
			return u.Key(), nil
		}
	case *types.Interface, *types.Signature:
		if step == "*" {
			return types.Typ[types.Invalid], nil // no further steps from there
		}
	}
	return nil, nil
}
