package flow

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds fields that a function leaves behind: it resets an arena, in a field of a struct, and
// another field of that leads into the arena, as functions of the package have set it. What a field
// leads to is known by summaries alone, when all are final.
//
//	func (p *profile) reset() { p.arena.Reset() }
//	func (p *profile) load() *user {
//		if p.user == nil { p.user = arena.New[user](p.arena) }
//		return p.user         after reset, what is dead
//	}
//
// It is a mistake for certain if the field is neither set nor cleared on any path, nor by those that call the
// function, and a function that hasn't set it asks whether it is nil or empty: that it is dead it can't see.

// findLeft finds such fields.
func (p *driver) findLeft() {
	leads := map[*types.Var][]*types.Var{} // from the field with the arena
	for fn, sum := range p.Summaries {
		for _, x := range sum.Stores {
			if object, arena := p.ownArena(fn, x.Flow.From); x.Flow.Kind == summary.Memory && arena != nil &&
				x.Into.Param == x.Flow.From.Param && x.Into.Global == x.Flow.From.Global {
				rest, ok := strings.CutPrefix(x.Into.Path, object+".")
				field := p.field(fn, x.Into)
				if ok && field != nil && field != arena && !strings.Contains(rest, ".") &&
					!slices.Contains(leads[arena], field) {
					leads[arena] = append(leads[arena], field)
				}
			}
		}
	}
	for fn, sum := range p.Summaries {
		for _, k := range sum.Kills {
			_, arena := p.ownArena(fn, k.Root)
			if arena == nil || k.Verb != summary.Reset && !slices.Contains(sum.Replaces, k.Root) {
				continue
			}
			for _, field := range leads[arena] {
				if !p.sets(fn, field) && p.asksFor(fn, field) && !slices.ContainsFunc(p.functions(),
					func(f *ssa.Function) bool { return p.calls(f, fn) && p.sets(f, field) }) {
					p.reportLeft(fn, k, field)
				}
			}
		}
	}
}

func (p *driver) functions() []*ssa.Function { return slices.Concat(p.Circles...) }

// field returns the field that a name of a function's callers ends with.
func (p *driver) field(fn *ssa.Function, x summary.Sym) *types.Var {
	return (&record.Function{Program: p.Program, Fn: fn}).FieldOf(x)
}

// ownArena returns the field in which an arena is, and the way to the struct that has the field.
func (p *driver) ownArena(fn *ssa.Function, x summary.Sym) (object string, field *types.Var) {
	if object, name := code.LastField(x.Path); name != "" {
		return object, p.field(fn, x)
	}
	return "", nil
}

// sets reports whether a function may put something into a field, or clears it.
func (p *driver) sets(fn *ssa.Function, field *types.Var) bool {
	sum := p.Summaries[fn]
	is := func(x summary.Sym) bool { return p.field(fn, x) == field }
	return sum.Unknown || slices.ContainsFunc(sum.Clears, is) || slices.ContainsFunc(sum.Replaces, is) ||
		slices.ContainsFunc(sum.Stores, func(x summary.Store) bool { return is(x.Into) })
}

// asksFor reports whether a function, but for one, asks whether a field is nil or empty before it sets it.
func (p *driver) asksFor(but *ssa.Function, field *types.Var) bool {
	for _, fn := range p.functions() {
		for _, b := range fn.Blocks {
			branch, ok := b.Instrs[len(b.Instrs)-1].(*ssa.If)
			if !ok || fn == but {
				continue
			}
			for _, holds := range []bool{true, false} {
				load, ok := code.EmptyIf(branch.Cond, holds).(*ssa.UnOp)
				if ok && fieldAt(load.X) == field && !p.setsBefore(fn, field, load) {
					return true
				}
			}
		}
	}
	return false
}

// setsBefore reports whether a function may have set a field before it loads it, itself or by a call.
func (p *driver) setsBefore(fn *ssa.Function, field *types.Var, load ssa.Instruction) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			set := false
			switch i := i.(type) {
			case *ssa.Store:
				set = fieldAt(i.Addr) == field
			case *ssa.Call:
				callee := i.Call.StaticCallee()
				set = callee != nil && p.Summaries[callee] != nil && p.sets(callee, field)
			}
			if set && code.Leads(i, load, nil, p.Guard.Spend) {
				return true
			}
		}
	}
	return false
}

// fieldAt returns the field whose address a value is.
func fieldAt(addr ssa.Value) *types.Var {
	if at, ok := addr.(*ssa.FieldAddr); ok {
		return defuse.FieldOf(at)
	}
	return nil
}

func (p *driver) calls(caller, fn *ssa.Function) bool {
	for _, b := range caller.Blocks {
		for _, i := range b.Instrs {
			if c, ok := i.(ssa.CallInstruction); ok && code.Origin(c.Common().StaticCallee()) == fn {
				return true
			}
		}
	}
	return false
}

// reportLeft reports a field, at the first call of a function that ends the arena on all paths.
func (p *driver) reportLeft(fn *ssa.Function, k summary.Kill, field *types.Var) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(ssa.CallInstruction)
			if !ok || !code.Always(i, p.Guard.Spend) {
				continue
			}
			known, callee := api.Callee(c.Common()), p.Program.Summaries[code.Origin(c.Common().StaticCallee())]
			if known != nil && (known.Verb == api.Reset || known.Verb == api.Put) || known == nil && callee != nil &&
				slices.ContainsFunc(callee.Kills, func(x summary.Kill) bool { return x.Verb == k.Verb }) {
				p.found[fn].Add(finding.Escape, i, nil, state.Tag{}, fmt.Sprintf(
					"%s reclaims what %s leads to, which isn't set to nil: where it is asked for, it is dead",
					k.Verb, field.Name()))
				return
			}
		}
	}
}
