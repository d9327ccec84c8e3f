package misuse

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
)

// This file holds slices of the memory of collections, which is another one when they have
// grown. It must not depend on whether a collection has grown: that it may have is enough to
// write to a slice, or to go on with what was written. Pointers that Map.Ref returns are in
// mapref.go.

// views are methods of package collections that return memory of their receiver, each
// with the methods of it that may move the memory.
var views = map[string]string{
	"Slice.Slice":  " Append Grow Insert AppendSeq ",
	"Buffer.Bytes": " Write WriteString WriteByte WriteRune Grow ReadFrom ",
}

// view reports writes to what a call returns, if the receiver may have grown since.
func (c *check) view(call *ssa.Call) {
	name, ok := collections(&call.Call)
	c.hasRefs = c.hasRefs || name == "Map.Ref"
	moves := views[name]
	if !ok || moves == "" || len(call.Call.Args) == 0 {
		return
	}
	receiver := call.Call.Args[0]
	for _, use := range api.Uses(receiver) {
		other, ok := use.(*ssa.Call)
		if !ok || other == call || len(other.Call.Args) == 0 || other.Call.Args[0] != receiver {
			continue
		}
		grows, ok := collections(&other.Call)
		if !ok || !strings.Contains(moves, " "+grows[strings.IndexByte(grows, '.')+1:]+" ") || !before(call, other) {
			continue
		}
		for _, w := range writes(call) {
			if before(other, w) {
				c.report(w.Pos(), "this writes to what %s has returned in line %d; since then %s may "+
					"have moved it", name,
					c.pass.Fset.Position(call.Pos()).Line, grows)
				return
			}
		}
	}
}

// writes returns the instructions that write to what a value points to.
func writes(v ssa.Value) (all []ssa.Instruction) {
	defuse.Within(v, func(at ssa.Value, use ssa.Instruction) {
		if st, ok := use.(*ssa.Store); ok && st.Addr == at {
			all = append(all, use)
		}
	})
	return all
}

// collections returns the name of a method of package collections, as in "Map.Ref".
func collections(c *ssa.CallCommon) (string, bool) {
	fn := api.StaticCallee(c)
	if fn == nil {
		return "", false
	}
	if fn.Object() == nil || fn.Object().Pkg() == nil || fn.Object().Pkg().Path() != api.Path+"/collections" ||
		fn.Signature.Recv() == nil {
		return "", false
	}
	n := named(fn.Signature.Recv().Type())
	if n == nil {
		return "", false
	}
	return n.Obj().Name() + "." + fn.Name(), true
}
