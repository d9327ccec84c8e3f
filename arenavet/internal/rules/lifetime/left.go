package lifetime

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/record"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/rules/finding"
)

// This file finds fields that a function leaves behind: it resets an arena, in a field of a struct, and another field
// of that struct leads into the arena, as functions of the package have set it. The targets of fields come from
// summaries alone, when all are final.
//
//	func (p *profile) reset() { p.arena.Reset() }
//	func (p *profile) load() *user {
//		if p.user == nil { p.user = arena.New[user](p.arena) }
//		return p.user         after reset: dead
//	}
//
// It is a certain mistake if the function and its callers neither set nor clear the field on any path, and each
// function that sets it has read it before: they can't see that it is dead.

// A fields looks for such fields.
type fields struct{ *record.Program }

// Left adds the findings to those of the functions. All summaries must be final.
func Left(program *record.Program, found map[*ssa.Function]finding.Set) {
	p := fields{program}
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
				read := p.readFirst(fn, field)
				if read != nil && !p.sets(fn, field) && !slices.ContainsFunc(slices.Concat(p.Circles...),
					func(f *ssa.Function) bool { return p.calls(f, fn) && p.sets(f, field) }) {
					p.reportLeft(found[fn], fn, k, field, read)
				}
			}
		}
	}
}

// field returns the last field of a name of a function's callers.
func (p fields) field(fn *ssa.Function, x summary.Sym) *types.Var {
	return (&record.Function{Program: p.Program, Fn: fn}).FieldOf(x)
}

// ownArena returns the field that holds an arena, and the path to its struct.
func (p fields) ownArena(fn *ssa.Function, x summary.Sym) (object string, field *types.Var) {
	if object, name := code.LastField(x.Path); name != "" {
		return object, p.field(fn, x)
	}
	return "", nil
}

// sets reports whether a function may set or clear a field.
func (p fields) sets(fn *ssa.Function, field *types.Var) bool {
	sum := p.Summaries[fn]
	is := func(x summary.Sym) bool { return p.field(fn, x) == field }
	return sum.Unknown || stores(fn, field) ||
		slices.ContainsFunc(sum.Clears, is) || slices.ContainsFunc(sum.Replaces, is) ||
		slices.ContainsFunc(sum.Stores, func(x summary.Store) bool { return is(x.Into) })
}

// stores reports whether a function has a store to a field: it may store the old value, emptied.
func stores(fn *ssa.Function, field *types.Var) bool {
	for st := range api.Of[*ssa.Store](fn) {
		if shape.Holder(st.Addr) == field {
			return true
		}
	}
	return false
}

// readFirst returns the first read of a field in functions, other than but, that set it later; nil if a function sets
// the field, or stores into the map in it, without having read it.
func (p fields) readFirst(but *ssa.Function, field *types.Var) (first ssa.Instruction) {
	for _, fn := range slices.Concat(p.Circles...) {
		var set, read ssa.Instruction
		for i := range api.Instrs(fn) {
			switch i := i.(type) {
			case *ssa.Store:
				isPart := shape.Holder(i.Addr) == field && !isMade(api.Operand(i.Addr))
				st, ok := i.Val.Type().Underlying().(*types.Struct)
				if isPart || ok && slices.Contains(slices.Collect(st.Fields()), field) && !isMade(i.Addr) {
					set = i
				}
			case *ssa.MapUpdate:
				if load, ok := i.Map.(*ssa.UnOp); ok && shape.Holder(load.X) == field {
					set = i
				}
			case *ssa.UnOp:
				if read == nil && shape.Holder(i.X) == field && !isFilled(i) && !p.setsBefore(fn, field, i) {
					read = i
				}
			}
		}
		if set == nil || fn == but || read == nil && len(p.Summaries[fn].Kills) > 0 {
			continue
		}
		if read == nil || fn.Parent() != nil { // a literal's function may clear it
			return nil
		}
		if first == nil || state.Position(read) < state.Position(first) {
			first = read
		}
	}
	return first
}

// setsBefore reports whether a function may have set a field before it loads it, itself or by a call.
func (p fields) setsBefore(fn *ssa.Function, field *types.Var, load ssa.Instruction) bool {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			set := false
			switch i := i.(type) {
			case *ssa.Store:
				set = shape.Holder(i.Addr) == field
			case *ssa.Call:
				callee := i.Call.StaticCallee()
				set = callee != nil && p.Summaries[callee] != nil && p.sets(callee, field)
			}
			// In a loop each comes after the other.
			if set && code.Leads(i, load, nil, p.Guard.Spend) && (b != load.Block() && b.Dominates(load.Block()) ||
				!code.Leads(load, i, nil, p.Guard.Spend)) {
				return true
			}
		}
	}
	return false
}

// isFilled reports whether a value is a map into which something is stored.
func isFilled(v ssa.Value) bool {
	return slices.ContainsFunc(api.Uses(v), func(use ssa.Instruction) bool {
		m, ok := use.(*ssa.MapUpdate)
		return ok && m.Map == v
	})
}

// isMade reports whether an address is of a variable that the function has made.
func isMade(addr ssa.Value) bool {
	_, ok := addr.(*ssa.Alloc)
	return ok
}

func (p fields) calls(caller, fn *ssa.Function) bool {
	for c := range api.Calls(caller) {
		if api.StaticCallee(c.Common()) == fn {
			return true
		}
	}
	return false
}

// reportLeft reports a field, at the first call on all paths of a function that ends the arena.
func (p fields) reportLeft(found finding.Set, fn *ssa.Function, k summary.Kill, field *types.Var,
	read ssa.Instruction) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			c, ok := i.(ssa.CallInstruction)
			if !ok || !code.Always(i, p.Guard.Spend) {
				continue
			}
			known, callee := api.Callee(c.Common()), p.Program.Summaries[api.StaticCallee(c.Common())]
			if known != nil && (known.Verb == api.Reset || known.Verb == api.Put) || known == nil && callee != nil &&
				slices.ContainsFunc(callee.Kills, func(x summary.Kill) bool { return x.Verb == k.Verb }) {
				name := field.Name()
				if k.Root.Param >= 0 && k.Root.Param < len(fn.Params) {
					name = fn.Params[k.Root.Param].Name() + "." + name
				}
				zero := "nil"
				if b, ok := field.Type().Underlying().(*types.Basic); ok && b.Kind() == types.String {
					zero = `""`
				}
				at := p.Pass.Fset.Position(state.Position(read))
				found.Add(finding.Escape, i, nil, state.Tag{}, fmt.Sprintf(
					"after this %s %s still points to reclaimed memory, and line %d reads it: set %[2]s = %[4]s first",
					k.Verb, name, at.Line, zero))
				return
			}
		}
	}
}
