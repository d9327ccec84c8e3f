package leak

import (
	"fmt"
	"go/constant"
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/ignore"
	"github.com/harena-go/arena/arenavet/internal/program"
)

// A walk follows the paths on which an arena isn't given back.
type walk struct {
	loan  loan
	trace *trace
	holds map[string]bool // conditions at the beginning of the loan, and whether they hold
	leak  ssa.Instruction // where the arena is lost

	recovers bool // the function goes on after a panic
}

// check reports a loan that isn't given back on some path.
func (c *checker) check(pass *analysis.Pass, fn *ssa.Function, l loan) {
	w := &walk{loan: l, trace: c.followLoan(l), holds: code.NewPaths(fn, c.Guard.Spend).Conditions(l.call.Block())}
	var message string
	switch never := len(w.trace.ends) == 0; {
	case l.shared && isMain(fn):
		return
	case l.shared && never:
		message = fmt.Sprintf("the Shared from %s is never freed: add defer s.Free()", l.from)
	default:
		w.recovers = recovers(fn)
		(&defuse.Walk[struct{}]{Visit: w.visit, Edge: func(from, b *ssa.BasicBlock, n int) bool {
			return !w.impossible(b, n) && !firstRound(from, b, n)
		}}).Behind(l.call, struct{}{})
		if w.leak == nil {
			return
		}
		if l.shared {
			message = fmt.Sprintf("the Shared from %s isn't freed %s: add defer s.Free()", l.from, w.where(pass.Fset))
			break
		}
		message = fmt.Sprintf("the arena from %s %s", l.from, w.fate(pass.Fset, never))
	}
	ignore.Report(pass, analysis.Diagnostic{Pos: l.call.Pos(), Message: message})
}

// isMain reports whether a function ends with the program.
func isMain(fn *ssa.Function) bool {
	return fn.Name() == "main" && fn.Pkg != nil && fn.Pkg.Pkg.Name() == "main" ||
		fn.Name() == "init" || strings.HasPrefix(fn.Name(), "init#")
}

// fate returns the message about an arena.
func (w *walk) fate(fset *token.FileSet, never bool) string {
	switch {
	case never:
		return "is never put back into the pool: add defer pool.Put(a), or use Pool.Do"
	case w.leak == w.loan.call:
		return "isn't put back " + w.where(fset)
	case isPanic(w.leak):
		return fmt.Sprintf("isn't put back after the panic in line %d, from which the function "+
			"recovers: put it back by defer",
			fset.Position(w.leak.Pos()).Line)
	}
	return "isn't put back " + w.where(fset) + ": put it back on every path, best by defer"
}

// where returns the end of the function at which the arena is lost, in words.
func (w *walk) where(fset *token.FileSet) string {
	if w.leak == w.loan.call {
		return "before the loop gets the next one"
	}
	if w.leak.Pos().IsValid() {
		return fmt.Sprintf("where the function returns in line %d", fset.Position(w.leak.Pos()).Line)
	}
	return "where the function ends"
}

// visit looks for the end of a path on which the arena isn't given back.
func (w *walk) visit(i ssa.Instruction, _ struct{}) (on struct{}, goesOn bool) {
	if w.leak != nil || w.trace.ends[i] != none {
		return on, false
	}
	switch i.(type) {
	case *ssa.Panic:
		if w.recovers {
			w.leak = i
		}
		return on, false
	case *ssa.Return:
		w.leak = i
	case *ssa.Call:
		if i == w.loan.call {
			w.leak = i
		}
	}
	return on, w.leak == nil
}

func isPanic(instr ssa.Instruction) bool {
	_, ok := instr.(*ssa.Panic)
	return ok
}

// recovers reports whether a function defers a literal that recovers.
func recovers(fn *ssa.Function) bool {
	for _, literal := range fn.AnonFuncs {
		if api.CallsBuiltin(literal, "recover") {
			return true
		}
	}
	return false
}

// impossible reports whether the i'th edge from b isn't taken as long as the loan lasts: the arena isn't nil, the call
// that lent it didn't fail, and the conditions at its beginning still hold.
func (w *walk) impossible(b *ssa.BasicBlock, i int) bool {
	branch := program.Branch(b)
	if branch == nil {
		return false
	}
	if op, ok := branch.Cond.(*ssa.BinOp); ok && (op.Op == token.EQL || op.Op == token.NEQ) &&
		(defuse.IsNil(op.X) || defuse.IsNil(op.Y)) {
		equal := (op.Op == token.EQL) == (i == 0)
		for _, v := range []ssa.Value{op.X, op.Y} {
			if w.trace.is[v] {
				return equal
			}
			if v == w.loan.failed && v != nil {
				return !equal
			}
		}
	}
	key, not := code.ConditionOf(branch.Cond)
	held, known := w.holds[key]
	return known && held != ((i == 0) != not)
}

// firstRound reports whether the i'th edge from b leaves a loop that was only just entered and runs at least once: for
// range 3.
func firstRound(from, b *ssa.BasicBlock, i int) bool {
	branch := program.Branch(b)
	if branch == nil || i != 1 {
		return false
	}
	cmp, ok := branch.Cond.(*ssa.BinOp)
	if !ok || cmp.Op != token.LSS {
		return false
	}
	start, end := comingFrom(from, b, cmp.X), comingFrom(from, b, cmp.Y)
	return start != nil && end != nil && constant.Compare(start, token.LSS, end)
}

// comingFrom returns the constant that v is in block b if the path comes from another block, or nil.
func comingFrom(from, b *ssa.BasicBlock, v ssa.Value) constant.Value {
	switch v := v.(type) {
	case *ssa.Const:
		if v.Value != nil && v.Value.Kind() == constant.Int {
			return v.Value
		}
	case *ssa.Phi:
		if i := slices.Index(b.Preds, from); i >= 0 && v.Block() == b {
			return comingFrom(nil, b, v.Edges[i])
		}
	case *ssa.BinOp:
		x, y := comingFrom(from, b, v.X), comingFrom(from, b, v.Y)
		if v.Op == token.ADD && v.Block() == b && x != nil && y != nil {
			return constant.BinaryOp(x, token.ADD, y)
		}
	}
	return nil
}
