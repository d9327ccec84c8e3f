// Package misuse finds calls that can't be meant as they are written.
package misuse

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/flow"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/guard"
	"github.com/harena-go/arena/arenavet/internal/ignore"
	"github.com/harena-go/arena/arenavet/internal/program"
)

const doc = `report calls of package arena that can't be meant as they are written

The result of Append and Grow is dropped: the slice has its old length, or is
somewhere else now. Two slices are appended to one: both begin where that ends,
so that the second overwrites what the first has put there; clip it,
s[:len(s):len(s)], if both are needed. An arena is put back, or freed, by a defer
in a loop: all of them are held until the function ends. A value in an arena has
a finalizer, a cleanup or a weak pointer: the garbage collector knows chunks, and
not what is in them. A pointer or slice that Ref, Slice or Bytes has returned is
written to after its container has grown, and is in what was left behind.

Functions of the package that append to what they are given and return it count
as Append, those that return what Ref has returned count as Ref.`

// Analyzer is the check.
var Analyzer = &analysis.Analyzer{
	Name:             "misuse",
	Doc:              doc,
	Requires:         []*analysis.Analyzer{program.Analyzer, flow.Analyzer, ignore.Analyzer},
	RunDespiteErrors: true, // see package program
	Run:              run,
}

func run(pass *analysis.Pass) (any, error) {
	flow.Report(pass, finding.Misuse, nil)
	p := program.Of(pass)
	if p == nil {
		return nil, nil
	}
	g := guard.New(pass)
	all := &slicesOf{kept: map[types.Object]bool{}, room: map[types.Object]bool{}, helpers: map[*ssa.Function]*grower{}}
	for _, fn := range p.Funcs {
		g.Run(fn, func() { all.stores(fn, g) })
	}
	for _, fn := range p.Funcs {
		g.Run(fn, func() { all.helper(fn) })
	}
	hasRefs := false
	for _, fn := range p.Funcs {
		c := &check{pass: pass, guard: g, slices: all, reach: map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool{}}
		g.Run(fn, func() { c.function(fn) })
		hasRefs = hasRefs || c.hasRefs
	}
	if hasRefs {
		(&refs{pass: pass, guard: g, kept: all.kept}).check(p.Funcs)
	}
	g.Done()
	return nil, nil
}

// A check looks at one function.
type check struct {
	pass   *analysis.Pass
	guard  *guard.Guard
	slices *slicesOf
	reach  map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool // blocks that can be reached from one

	hasRefs bool // it calls Map.Ref
}

func (c *check) function(fn *ssa.Function) {
	var grown []growth // slices that are appended to, in the order of source
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			c.guard.Spend(1)
			switch i := i.(type) {
			case *ssa.Defer:
				c.deferred(i)
			case *ssa.Call:
				if g, ok := c.slices.growth(i); ok {
					grown = append(grown, g)
				}
				if f := api.Callee(&i.Call); f != nil {
					c.dropped(i, f)
				} else {
					c.view(i)
				}
			}
		}
	}
	for n, x := range grown {
		for _, y := range grown[n:] {
			if c.overwrites(x, y) {
				break
			}
		}
	}
}

func (c *check) report(pos token.Pos, format string, args ...any) {
	ignore.Report(c.pass, analysis.Diagnostic{Pos: pos, Message: fmt.Sprintf(format, args...)})
}

// dropped reports a result that is needed and that nobody has. That of New may be
// dropped by who measures what an allocation costs.
func (c *check) dropped(call *ssa.Call, f *api.Func) {
	if f.Verb != api.Alloc || f.Alias < 0 || len(api.Uses(call)) > 0 || isBenchmark(call.Parent()) {
		return
	}
	c.report(call.Pos(), "the result of %s is dropped: the slice that was passed keeps its length, and "+
		"may not be where it was", f.Name)
}

// isBenchmark reports whether a function, or the one around it, is a benchmark or a test,
// which may call for the sake of calling.
func isBenchmark(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		for _, p := range fn.Params {
			if n := named(p.Type()); n != nil && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "testing" {
				return true
			}
		}
	}
	return false
}

// deferred reports a defer in a loop that gives an arena back which the loop has taken.
func (c *check) deferred(d *ssa.Defer) {
	f := api.Callee(d.Common())
	if f == nil || f.Verb != api.Put && f.Verb != api.Free {
		return
	}
	call, ok := api.Arg(d.Common(), f.From).(*ssa.Call)
	if !ok || !c.follows(d.Block(), d.Block()) || !c.follows(d.Block(), call.Block()) || !returnsInLoop(d) {
		return
	}
	if from := api.Callee(&call.Call); from != nil &&
		(from.Verb == api.Get || from.Verb == api.NewArena || from.Verb == api.NewShared) {
		c.report(d.Pos(), "the deferred %s in a loop is made when the function ends: until then each "+
			"turn takes another arena", f.Name)
	}
}

// returnsInLoop reports whether the loop goes on after a defer: the block of one that
// returns at once is left.
func returnsInLoop(d *ssa.Defer) bool {
	_, returns := d.Block().Instrs[len(d.Block().Instrs)-1].(*ssa.Return)
	return !returns
}

// overwrites reports a second Append to the same slice, whose first result
// is used later: also the same call in a loop, to a slice from outside.
func (c *check) overwrites(x, y growth) bool {
	base := x.base
	if !c.sameSlice(x, y) || !hasRoom(base) || len(api.Uses(x.Call)) == 0 || len(api.Uses(y.Call)) == 0 {
		return false
	}
	if x.Call == y.Call {
		// In a loop, to what was there before the loop, and what comes of it is kept.
		if !c.follows(x.Block(), x.Block()) || definedIn(base, x.Block(), c) || !kept(x.Call) {
			return false
		}
		c.report(x.Pos(), "each turn of the loop appends to the same slice: what one has appended the "+
			"next overwrites; clip it, s[:len(s):len(s)]")
		return true
	}
	if !before(x.Call, y.Call) && !c.followsWithin(base, x.Block(), y.Block()) ||
		!c.usedAfter(x.Call, y.Call) {
		return false
	}
	c.report(y.Pos(), "this is appended to the same slice as in line %d, and overwrites what that has "+
		"appended; clip it, s[:len(s):len(s)]",
		c.pass.Fset.Position(x.Pos()).Line)
	return true
}

// hasRoom reports whether there may be room behind a slice: nil, copies and what was clipped have
// none, and what is emptied is meant to be written anew.
func hasRoom(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const:
		return false
	case *ssa.Slice:
		n, ok := v.High.(*ssa.Const)
		return v.Max == nil && !(ok && n.Value != nil && n.Int64() == 0)
	case *ssa.Call:
		if f := api.Callee(&v.Call); f != nil {
			return f.Name != "CopySlice" && f.Name != "Clone" &&
				!(f.Name == "MakeSlice" && same(api.Arg(&v.Call, 1), api.Arg(&v.Call, 2)))
		}
		return !isClip(&v.Call)
	}
	return true
}

// isClip reports whether a call is one of slices.Clip.
func isClip(c *ssa.CallCommon) bool {
	fn := api.StaticCallee(c)
	return fn != nil && fn.Pkg != nil && fn.Pkg.Pkg.Path() == "slices" && fn.Name() == "Clip"
}

// kept reports whether a value is put somewhere: what is only printed, or passed to a
// function, may be done with when the next turn begins.
func kept(v ssa.Value) bool {
	for _, use := range api.Uses(v) {
		switch use := use.(type) {
		case *ssa.Store:
			if items := defuse.Arguments(use.Addr); use.Val == v && (items == nil || isAppended(items)) {
				return true
			}
		case *ssa.MapUpdate, *ssa.Send:
			return true
		}
	}
	return false
}

// isAppended reports whether the variadic arguments of a call are appended to a slice.
func isAppended(items *ssa.Slice) bool {
	return slices.ContainsFunc(api.Uses(items), func(use ssa.Instruction) bool {
		call, ok := use.(*ssa.Call)
		if !ok {
			return false
		}
		f := api.Callee(&call.Call)
		return f != nil && f.Name == "Append" || api.IsBuiltin(call, "append")
	})
}

// before reports whether two instructions of one block are in this order.
func before(x, y ssa.Instruction) bool {
	if x.Block() != y.Block() {
		return false
	}
	for _, i := range x.Block().Instrs {
		if i == x {
			return true
		}
		if i == y {
			return false
		}
	}
	return false
}

// usedAfter reports whether the result of a call is used after another one.
func (c *check) usedAfter(x, y *ssa.Call) bool {
	for _, use := range api.Uses(x) {
		switch use := use.(type) {
		case *ssa.DebugRef:
			continue
		case *ssa.Phi: // is used on the way from each block that brings it
			for n, v := range use.Edges {
				if from := use.Block().Preds[n]; v == ssa.Value(x) &&
					(from == y.Block() || c.follows(y.Block(), from)) {
					return true
				}
			}
			continue
		}
		if use != ssa.Instruction(y) &&
			(before(y, use) || use.Block() != y.Block() && c.follows(y.Block(), use.Block())) {
			return true
		}
	}
	return false
}

// definedIn reports whether a value is computed in a loop with a block.
func definedIn(v ssa.Value, b *ssa.BasicBlock, c *check) bool {
	i, ok := v.(ssa.Instruction)
	return ok && i.Block() != nil && c.follows(b, i.Block())
}

// followsWithin reports whether a block can be reached from another one while a value stays what
// it is: not through the block that computes it, as in the next turn of a loop.
func (c *check) followsWithin(v ssa.Value, from, to *ssa.BasicBlock) bool {
	i, ok := v.(ssa.Instruction)
	if !ok {
		return c.follows(from, to)
	}
	seen := map[*ssa.BasicBlock]bool{i.Block(): true}
	program.Walk(seen, from.Succs, program.Succs)
	c.guard.Spend(len(seen))
	return to != i.Block() && seen[to]
}

// follows reports whether a block can be reached from another one, or from itself.
func (c *check) follows(from, to *ssa.BasicBlock) bool {
	seen := c.reach[from]
	if seen == nil {
		seen = map[*ssa.BasicBlock]bool{}
		c.reach[from] = seen
		program.Walk(seen, from.Succs, program.Succs)
		c.guard.Spend(len(seen))
	}
	return seen[to]
}

func named(t types.Type) *types.Named {
	t = types.Unalias(t)
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	n, _ := t.(*types.Named)
	return n
}
