// Package leak finds arenas that aren't given back.
package leak

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	"github.com/harena-go/arena/arenavet/internal/engine/facts"
	"github.com/harena-go/arena/arenavet/internal/engine/program"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/rules"
	"github.com/harena-go/arena/arenavet/internal/rules/ignore"
)

const doc = `report arenas that aren't put back, and a Shared that isn't freed

An arena from Pool.Get that isn't put back on some path through the function is
lost to the pool: its memory goes to the GC, the next Get takes new chunks, and
the pool's limit counts it until the GC has found it. A Shared that is neither
freed nor reset on some path holds its chunks until the GC finds that all of its
values are dead.

Put it back on every path, best with defer pool.Put(a) right after Get, or use
Pool.Do, which does just that. Free a Shared with defer s.Free().

Not reported are arenas that are returned, stored somewhere, or given to a
function that may put them back or keep them; a function that returns an arena
from a pool, or a pointer to a struct that has it in a field, hands the duty on
to its callers. Paths that end in os.Exit or in a
panic don't count, unless the function recovers, and neither does what is in
test files: it ends with the test, and arenatest.NewPool finds it.`

// Analyzer reports arenas from a Pool that aren't put back on some path, and
// a Shared that isn't freed.
var Analyzer = rules.Check("leak", doc, run, duties)

// duties finds the functions that put arenas back, or leave that to their callers.
var duties = facts.Analyzer("duties", "find out who has to put arenas back", findDuties, new(duty))

// A duty is a fact about a function: the arenas that its callers need not, or have to, give back.
type duty struct {
	Takes uint64 // a bit for each parameter that it may put back, free, or keep
	Lends uint64 // a bit for each result that is an arena to be put back
}

func (*duty) AFact() {}

// A checker checks one package.
type checker struct{ facts.Table[duty, *duty] }

func findDuties(pass *analysis.Pass) *checker {
	c := &checker{Table: facts.New[duty](pass, program.Of(pass))}
	c.Solve(math.MaxInt, duty{Takes: ^uint64(0)}, c.duty)
	return c
}

func run(pass *analysis.Pass) {
	c := pass.ResultOf[duties].(*checker)
	for _, fn := range c.Funcs {
		if strings.HasSuffix(pass.Fset.Position(fn.Pos()).Filename, "_test.go") {
			continue
		}
		c.Guard.Run(fn, func() {
			for _, l := range c.loans(fn) {
				c.check(pass, fn, l)
			}
		})
	}
}

// duty computes the duty of a function from those of its callees. It only grows.
func (c *checker) duty(fn *ssa.Function) duty {
	d := *c.Of(fn)
	for i, p := range fn.Params {
		if i < 64 && watched(p.Type()) && len(c.follow(p).ends) > 0 {
			d.Takes |= 1 << i
		}
	}
	for _, l := range c.loans(fn) {
		if t := c.follow(l.value); t.onlyReturned() {
			d.hands(t)
		}
	}
	return d
}

// onlyReturned reports whether a value ends in no other way.
func (t *trace) onlyReturned() bool {
	for _, kind := range t.ends {
		if kind != returned {
			return false
		}
	}
	return true
}

// hands records the results in which a function returns a value.
func (d *duty) hands(t *trace) {
	for end := range t.ends {
		for i, result := range end.(*ssa.Return).Results {
			if i < 64 && t.is[result] {
				d.Lends |= 1 << i
			}
		}
	}
}

// watched reports whether values of a type may be an arena, or hold one.
func watched(t types.Type) bool {
	_, pointer := types.Unalias(t).(*types.Pointer)
	return isHandle(t) || holds(t) != api.None || !pointer && types.IsInterface(t)
}

func isHandle(t types.Type) bool { return api.TypeOf(t) == api.Arena || api.TypeOf(t) == api.Shared }

// holds returns the type of the arena in a field of the struct that a type points to, None if there is none.
func holds(t types.Type) api.Type {
	if p, ok := t.Underlying().(*types.Pointer); ok {
		if st, ok := p.Elem().Underlying().(*types.Struct); ok && api.TypeOf(t) == api.None {
			for f := range st.Fields() {
				if isHandle(f.Type()) {
					return api.TypeOf(f.Type())
				}
			}
		}
	}
	return api.None
}

func isShared(t types.Type) bool { return api.TypeOf(t) == api.Shared || holds(t) == api.Shared }

// A loan is an arena, or a Shared, that somebody has to give back.
type loan struct {
	call   *ssa.Call
	value  ssa.Value // the call or, if it has several results, one of them
	failed ssa.Value // the error of the call, if it returns one
	shared bool
	from   string // the callee's name
}

// loans returns the loans that begin in a function.
func (c *checker) loans(fn *ssa.Function) (all []loan) {
	for call := range api.Of[*ssa.Call](fn) {
		if f := api.Callee(&call.Call); f != nil {
			if f.Verb == api.Get || f.Name == "NewShared" {
				all = append(all, loan{call: call, value: call, shared: f.Verb != api.Get, from: f.Name})
			}
			continue
		}
		d := c.Callee(&call.Call)
		if d == nil {
			continue
		}
		if d.Lends != 0 {
			all = append(all, lent(call, d.Lends)...)
		}
	}
	return all
}

// lent returns the loans among the results of a call.
func lent(call *ssa.Call, lends uint64) (all []loan) {
	l := loan{call: call, from: call.Call.StaticCallee().Name()}
	if call.Call.Signature().Results().Len() == 1 {
		l.value = call
		l.shared = isShared(call.Type())
		return []loan{l}
	}
	for _, r := range api.Uses(call) {
		if e, ok := r.(*ssa.Extract); ok && types.Identical(e.Type(), types.Universe.Lookup("error").Type()) {
			l.failed = e
		}
	}
	for _, r := range api.Uses(call) {
		if e, ok := r.(*ssa.Extract); ok && lends>>e.Index&1 != 0 {
			l.value, l.shared = e, isShared(e.Type())
			all = append(all, l)
		}
	}
	return all
}

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
	w := &walk{loan: l, trace: c.follow(l.value), holds: code.NewPaths(fn, c.Guard.Spend).Conditions(l.call.Block())}
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
	_, panics := w.leak.(*ssa.Panic)
	switch {
	case never:
		return "is never put back into the pool: add defer pool.Put(a), or use Pool.Do"
	case w.leak == w.loan.call:
		return "isn't put back " + w.where(fset)
	case panics:
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
		for _, v := range []ssa.Value{defuse.Latest(op.X), defuse.Latest(op.Y)} {
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
