package flow

import (
	"go/constant"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
)

// This file holds returns at which there was nothing to do. It may not know states.

// isIdle says whether a function returns since there is nothing in what it works on, and has done nothing. What it does
// otherwise is what callers are told: whoever has put something there finds it to be done.
//
//	func (b *batch) flush() error {
//		if len(b.rows) == 0 {
//			return nil
//		}
//		defer b.arena.Reset()
//		return b.write()
//	}
func isIdle(i *ssa.Return) bool {
	for b := i.Block(); isQuiet(b); b = b.Preds[0] {
		if len(b.Preds) != 1 {
			return false
		}
		branch, ok := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If)
		if ok && isEmpty(branch.Cond, b.Preds[0].Succs[0] == b) {
			return true
		}
	}
	return false
}

// isQuiet says whether a block changes nothing, but for locks.
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
			if _, isBuiltin := i.Common().Value.(*ssa.Builtin); !isBuiltin && !isOfPackage(calleeName(i.Common()), "sync", "errors", "fmt") {
				return false
			}
		}
	}
	return true
}

// isOfPackage says whether a function's name is of one of some packages.
func isOfPackage(name string, packages ...string) bool {
	name = strings.TrimLeft(name, "(*")
	for _, p := range packages {
		if strings.HasPrefix(name, p+".") {
			return true
		}
	}
	return false
}

// isEmpty says whether a condition, if it is as holds says, means that there is nothing somewhere that the function was given:
//
//	x == nil   len(x) == 0   _, ok := x[k]; !ok
func isEmpty(cond ssa.Value, holds bool) bool {
	switch c := cond.(type) {
	case *ssa.UnOp:
		return c.Op == token.NOT && isEmpty(c.X, !holds)
	case *ssa.Extract:
		look, ok := c.Tuple.(*ssa.Lookup)
		return ok && c.Index == 1 && !holds && isPartOfGiven(look.X)
	case *ssa.BinOp:
		if holds != (c.Op == token.EQL) || c.Op != token.EQL && c.Op != token.NEQ {
			return false
		}
		for _, x := range [2][2]ssa.Value{{c.X, c.Y}, {c.Y, c.X}} {
			if k, ok := x[1].(*ssa.Const); ok && k.IsNil() && !state.IsHandle(x[0].Type()) {
				return isPartOfGiven(x[0])
			} else if ok && k.Value != nil && k.Value.Kind() == constant.Int && k.Int64() == 0 {
				call, ok := x[0].(*ssa.Call)
				return ok && isLen(call) && isPartOfGiven(call.Call.Args[0])
			}
		}
	}
	return false
}

func isLen(call *ssa.Call) bool {
	b, ok := call.Call.Value.(*ssa.Builtin)
	return ok && b.Name() == "len"
}

// isPartOfGiven says whether a value is in a field of a parameter, or of a variable around the function.
func isPartOfGiven(v ssa.Value) bool {
	if _, ok := v.(*ssa.Parameter); ok {
		return false // that it is nil is for the caller to know
	}
	switch source(v).(type) {
	case *ssa.Parameter, *ssa.FreeVar:
		return true
	}
	return false
}
