package poolput

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/knowledge/std"
)

// This file goes back from a value to its root: the value that it is, is a part of, or shares memory with that the root
// keeps for its next user.

// root returns the root of v, which may be v itself.
func (c *checker) root(v ssa.Value) ssa.Value {
	if known, ok := c.roots[v]; ok && known != v {
		return c.root(known)
	} else if ok {
		return v
	}
	c.roots[v] = v // of a loop that leads back here
	from := c.from(v)
	if from == nil {
		return v
	}
	c.roots[v] = c.root(from)
	return c.roots[v]
}

// from returns the value one step back, nil if there is none.
func (c *checker) from(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.ChangeType, *ssa.ChangeInterface, *ssa.Slice, *ssa.IndexAddr, *ssa.MakeInterface, *ssa.TypeAssert:
		return api.Operand(v)
	case *ssa.Convert:
		if defuse.SameMemory(v) {
			return v.X
		}
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok && v.Index == 0 {
			return c.shown(call)
		} else if assert, ok := v.Tuple.(*ssa.TypeAssert); ok && v.Index == 0 {
			return assert.X
		}
	case *ssa.Call:
		return c.shown(v)
	case *ssa.Alloc:
		if only := onlyStored(v); only != nil && isText(only.Type()) {
			return only
		}
	case *ssa.FieldAddr:
		if _, ok := shape.Holder(v).Type().Underlying().(*types.Struct); ok {
			return v.X
		}
	case *ssa.Phi:
		return c.common(v)
	case *ssa.UnOp:
		return c.loaded(v)
	}
	return nil
}

// common returns the common root of all edges of a phi.
func (c *checker) common(phi *ssa.Phi) (one ssa.Value) {
	for _, e := range phi.Edges {
		if r := c.root(e); r == phi {
			continue
		} else if one != nil && r != one {
			return nil
		} else {
			one = r
		}
	}
	return one
}

// loaded returns the value behind a load: of a variable that is set once, or of a slice in a field or behind a pointer
// that is refilled.
func (c *checker) loaded(load *ssa.UnOp) ssa.Value {
	if only := onlyStored(load.X); load.Op != token.MUL || only != nil {
		return only
	}
	if !isText(load.Type()) || c.isReplaced(load) {
		return nil
	}
	at, isField := load.X.(*ssa.FieldAddr)
	_, isElement := load.X.(*ssa.IndexAddr) // which may refer to any memory
	if isElement || isField && !c.isReused(shape.Holder(at)) {
		return nil
	} else if isField {
		return at.X
	}
	return load.X
}

// onlyStored returns the value of a variable that is set once, nil for others.
func onlyStored(at ssa.Value) ssa.Value {
	switch at.(type) {
	case *ssa.Alloc, *ssa.FreeVar:
		if stored := defuse.Stored(at); len(stored) == 1 {
			return stored[0]
		}
	}
	return nil
}

// isReplaced reports whether a function sets the place from which it loads a slice to something else.
func (c *checker) isReplaced(load *ssa.UnOp) bool {
	field := func(v ssa.Value) (ssa.Value, *types.Var) {
		if at, ok := v.(*ssa.FieldAddr); ok {
			return c.root(at.X), shape.Holder(at)
		}
		return c.root(v), nil
	}
	of, name := field(load.X)
	for st := range api.Of[*ssa.Store](load.Parent()) {
		if !isText(st.Val.Type()) {
			continue
		}
		if x, f := field(st.Addr); x != of || f != name || c.root(st.Val) == of {
			continue
		}
		call, ok := c.root(st.Val).(*ssa.Call) // it may return its argument
		isGiven := func(a ssa.Value) bool { return c.root(a) == of || a == load }
		if !ok || !slices.ContainsFunc(call.Call.Args, isGiven) {
			return true
		}
	}
	return false
}

// isText reports whether values of a type are slices or strings.
func isText(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Slice:
		return true
	case *types.Basic:
		return u.Kind() == types.String
	}
	return false
}

const fasthttp = "*github.com/valyala/fasthttp."

// parts are the types of package fasthttp whose methods return parts of the receiver.
var parts = []string{"RequestCtx", "Request", "Response", "URI", "Args", "RequestHeader", "ResponseHeader"}

// showsPart reports whether a method of such a type returns bytes, or another such type.
func showsPart(name string, results *types.Tuple) bool {
	recv, ok := strings.CutPrefix(name, "("+fasthttp)
	recv, _, _ = strings.Cut(recv, ")")
	if !ok || results.Len() != 1 || !slices.Contains(parts, recv) {
		return false
	}
	t := results.At(0).Type()
	return t.String() == "[]byte" || strings.HasPrefix(t.String(), fasthttp)
}

// shown returns the argument whose memory the first result of a call shares, nil if there is none.
func (c *checker) shown(call *ssa.Call) ssa.Value {
	switch api.Builtin(&call.Call) {
	case "append", "SliceData", "String", "Slice": // of unsafe
		return call.Call.Args[0]
	}
	name, results := code.CalleeName(&call.Call), call.Call.Signature().Results()
	same := slices.Contains(strings.Fields(std.Flows(name)), state.First+"=0")
	if same || std.Shows(name) || showsPart(name, results) {
		return call.Call.Args[0]
	}
	if callee := c.Callee(&call.Call); callee != nil && callee.Shows > 0 {
		return api.Arg(&call.Call, callee.Shows-1)
	}
	return nil
}
