package code

import (
	"go/constant"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// This file finds returns of functions that had nothing to do. It must not depend on states.

// ReturnsUnchanged reports whether a return is taken because the function's input is empty, before it has done
// anything. The other returns make the summary: after a caller has filled the input, those count.
//
//	func (b *batch) flush() error {
//		if len(b.rows) == 0 {
//			return nil
//		}
//		defer b.arena.Reset()
//		return b.write()
//	}
func ReturnsUnchanged(i *ssa.Return) bool {
	for b := i.Block(); isQuiet(b); b = b.Preds[0] {
		if len(b.Preds) != 1 {
			return false
		}
		branch := build.Branch(b.Preds[0])
		if branch != nil && isPartOfGiven(EmptyIf(branch.Cond, b.Preds[0].Succs[0] == b)) {
			return true
		}
	}
	return false
}

// isQuiet reports whether a block changes nothing, but for locks.
func isQuiet(b *ssa.BasicBlock) bool {
	for _, i := range b.Instrs {
		switch i := i.(type) {
		case *ssa.Store:
			if _, isOwn := i.Addr.(*ssa.Alloc); !isOwn { // such as a result, where something is deferred
				return false
			}
		case *ssa.MapUpdate, *ssa.Send, *ssa.Go, *ssa.Select, *ssa.Panic:
			return false
		case ssa.CallInstruction:
			if _, isBuiltin := i.Common().Value.(*ssa.Builtin); !isBuiltin &&
				!isOfPackage(CalleeName(i.Common()), "sync", "errors", "fmt") {
				return false
			}
		}
	}
	return true
}

// isOfPackage reports whether a function's name is of one of some packages.
func isOfPackage(name string, packages ...string) bool {
	name = strings.TrimLeft(name, "(*")
	for _, p := range packages {
		if strings.HasPrefix(name, p+".") {
			return true
		}
	}
	return false
}

// EmptyIf returns the value that is empty, or lacks the element, if a condition is true or false, as holds says; nil if
// unknown:
//
//	x == nil   len(x) == 0   _, ok := x[k]; !ok
func EmptyIf(cond ssa.Value, holds bool) ssa.Value {
	switch c := cond.(type) {
	case *ssa.UnOp:
		if c.Op == token.NOT {
			return EmptyIf(c.X, !holds)
		}
	case *ssa.Extract:
		if look, ok := c.Tuple.(*ssa.Lookup); ok && c.Index == 1 && !holds {
			return look.X
		}
	case *ssa.BinOp:
		if c.Op == token.EQL && holds || c.Op == token.NEQ && !holds {
			if x := equalsNothing(c.X, c.Y); x != nil {
				return x
			}
			return equalsNothing(c.Y, c.X)
		}
	}
	return nil
}

// equalsNothing returns the value that is empty if x is k.
func equalsNothing(x, k ssa.Value) ssa.Value {
	c, ok := k.(*ssa.Const)
	switch {
	case !ok:
	case c.IsNil() && !state.IsHandle(x.Type()):
		return x
	case c.Value != nil && c.Value.Kind() == constant.Int && c.Int64() == 0:
		if call, ok := x.(*ssa.Call); ok && isLen(call) {
			return call.Call.Args[0]
		}
	}
	return nil
}

func isLen(call *ssa.Call) bool {
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "len"
}

// isPartOfGiven reports whether a value is in a field of a parameter, or of a captured variable.
func isPartOfGiven(v ssa.Value) bool {
	if _, ok := v.(*ssa.Parameter); ok || v == nil {
		return false // the caller knows whether it is nil
	}
	switch Source(v).(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return true
	}
	return false
}
