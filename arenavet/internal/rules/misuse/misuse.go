// Package misuse finds calls that can't be meant as they are written.
package misuse

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine"
	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/guard"
	"github.com/harena-go/arena/arenavet/internal/engine/program"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/rules"
	"github.com/harena-go/arena/arenavet/internal/rules/finding"
	"github.com/harena-go/arena/arenavet/internal/rules/ignore"
)

const doc = `report calls of package arena that can't be meant as they are written

The result of Append and Grow is dropped: the slice has its old length, or is
somewhere else now. An arena is put back, or freed, by a defer in a loop: all of
them are held until the function ends. A value in an arena has a finalizer, a
cleanup or a weak pointer: the garbage collector knows chunks, and not what is in
them.`

// Analyzer is the check.
var Analyzer = rules.Check("misuse", doc, run, program.Analyzer, engine.Analyzer)

func run(pass *analysis.Pass) {
	rules.Report(pass, finding.Misuse)
	p := program.Of(pass)
	if p == nil {
		return
	}
	g := guard.New(pass)
	for _, fn := range p.Funcs {
		c := &check{pass, g}
		g.Run(fn, func() { c.function(fn) })
	}
	g.Done()
}

// A check checks one function.
type check struct {
	pass  *analysis.Pass
	guard *guard.Guard
}

func (c *check) function(fn *ssa.Function) {
	for i := range api.Instrs(fn) {
		c.guard.Spend(1)
		switch i := i.(type) {
		case *ssa.Defer:
			c.deferred(i)
		case *ssa.Call:
			if f := api.Callee(&i.Call); f != nil {
				c.dropped(i, f)
			}
		}
	}
}

func (c *check) report(pos token.Pos, format string, args ...any) {
	ignore.Report(c.pass, analysis.Diagnostic{Pos: pos, Message: fmt.Sprintf(format, args...)})
}

// dropped reports a needed result that nobody uses. New's result may be dropped, to measure the cost of an allocation.
func (c *check) dropped(call *ssa.Call, f *api.Func) {
	if f.Verb != api.Alloc || f.Alias < 0 || len(api.Uses(call)) > 0 || isBenchmark(call.Parent()) {
		return
	}
	c.report(call.Pos(), "the result of %s is dropped: the slice that was passed keeps its length, and "+
		"may not be where it was", f.Name)
}

// isBenchmark reports whether a function, or the one around it, is a benchmark or a test, which may call for the sake
// of calling.
func isBenchmark(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		for _, p := range fn.Params {
			if n := api.Named(p.Type()); n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "testing" {
				return true
			}
		}
	}
	return false
}

// deferred reports a defer in a loop that gives back an arena taken in the loop.
func (c *check) deferred(d *ssa.Defer) {
	f := api.Callee(d.Common())
	if f == nil || f.Verb != api.Put && f.Verb != api.Free {
		return
	}
	call, ok := api.Arg(d.Common(), f.From).(*ssa.Call)
	if !ok || !c.leads(d, d) || !c.leads(d, call) || program.Return(d.Block()) != nil { // leaves the loop at once
		return
	}
	if from := api.Callee(&call.Call); from != nil &&
		(from.Verb == api.Get || from.Verb == api.NewArena || from.Verb == api.NewShared) {
		c.report(d.Pos(), "the deferred %s in a loop is made when the function ends: until then each "+
			"turn takes another arena", f.Name)
	}
}

func (c *check) leads(from, to ssa.Instruction) bool { return code.Leads(from, to, nil, c.guard.Spend) }
