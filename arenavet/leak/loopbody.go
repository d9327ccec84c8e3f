package leak

import (
	"go/constant"
	"go/token"
	"strings"

	"github.com/harena-go/arena/arenavet/internal/defuse"
	"golang.org/x/tools/go/ssa"
)

// This file holds bodies of loops over functions, which are functions in SSA form. Each way out
// of the loop has a number, which the body leaves in a variable, and which is asked for behind
// the loop:
//
//	for l := range strings.Lines(s) {         yield := func(l string) bool {
//		if l == "" {
//			return errEmpty                     jump = 1; return false
//		}                                     }
//	}                                         strings.Lines(s)(yield); if jump == 1 { return errEmpty }

// An exit is a way out of the loop that has a variable.
type exit struct {
	jump   ssa.Value
	number int64
}

// body looks at the body of a loop that captures the value, and reports whether it is one of which
// each way out is known to give the value back or not to.
func (t *trace) body(closure *ssa.MakeClosure, fn *ssa.Function, v ssa.Value) bool {
	if fn.Synthetic != "range-over-func yield" {
		return false
	}
	var jump ssa.Value
	b := &body{ends: map[ssa.Instruction]end{}, given: map[int64]bool{}, not: map[int64]bool{}}
	for i, x := range fn.FreeVars {
		if strings.HasPrefix(x.Name(), "jump$") {
			jump, b.jump = closure.Bindings[i], x
		}
		if closure.Bindings[i] == v {
			b.ends = t.c.follow(x).ends
		}
	}
	for _, e := range b.ends {
		if e != given {
			return false
		}
	}
	if jump == nil || len(b.ends) == 0 {
		return false
	}
	(&defuse.Walk[bool]{Visit: b.visit}).From(fn.Blocks[0], false)
	if b.goesOn {
		return false
	}
	if t.exits == nil {
		t.exits = map[exit]bool{}
	}
	for n := range b.given {
		if !b.not[n] {
			t.exits[exit{jump, n}] = true
		}
	}
	return true
}

// A body is a walk through the body of a loop. Its state reports whether the value was given back.
type body struct {
	ends       map[ssa.Instruction]end
	jump       ssa.Value      // the variable with the number of the exit
	given, not map[int64]bool // exits that are reached after the value was given back, and before
	goesOn     bool           // the loop may go on with the value given back, or leave by an exit that isn't known
}

func (w *body) visit(i ssa.Instruction, given bool) (bool, bool) {
	given = given || w.ends[i] != none
	put, ok := i.(*ssa.Store)
	if !ok || put.Addr != w.jump {
		return given, !w.goesOn
	}
	switch n, ok := put.Val.(*ssa.Const); {
	case !ok || given && n.Int64() == 0:
		w.goesOn = true
	case given:
		w.given[n.Int64()] = true
	default:
		w.not[n.Int64()] = true
	}
	return given, !w.goesOn
}

// exitOf returns the exit that a condition asks for.
func exitOf(cond ssa.Value) exit {
	op, ok := cond.(*ssa.BinOp)
	if !ok || op.Op != token.EQL {
		return exit{}
	}
	jump, isLoad := op.X.(*ssa.UnOp)
	number, isConst := op.Y.(*ssa.Const)
	if !isLoad || !isConst || jump.Op != token.MUL || number.Value == nil || number.Value.Kind() != constant.Int {
		return exit{}
	}
	if _, ok := jump.X.(*ssa.Alloc); !ok {
		return exit{}
	}
	return exit{jump.X, number.Int64()}
}
