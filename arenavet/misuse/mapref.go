package misuse

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/guard"
	"github.com/harena-go/arena/arenavet/internal/ignore"
	"github.com/harena-go/arena/arenavet/internal/program"
)

// This file holds pointers that Map.Ref has returned. They are valid until the next entry is
// added: what is written through one after that may be lost. That an entry may have been added
// is enough, unless something says that it was there already: it was asked for, was passed on
// with the map before, or the map was filled in a loop before.

// refs are the maps and references of a package.
type refs struct {
	pass   *analysis.Pass
	guard  *guard.Guard
	kept   map[types.Object]bool // fields and global variables that are set when others know them
	called map[*ssa.Function]*helper
	fixed  map[fixed][]*ssa.Function // who adds an entry of a constant key to the map in a field
}

// A helper is what a function does with maps that its parameters lead to.
type helper struct {
	ref    *effect  // on the map that it returns a reference of
	adding []effect // to which it adds an entry, whenever it returns
}

// An effect is one on the map to which fields of a parameter lead.
type effect struct {
	param  int
	fields []types.Object
	key    int        // the parameter that is the key, or -1
	fixed  *ssa.Const // the key, if it is a constant
}

type fixed struct {
	field types.Object
	key   string
}

// fixedKey returns the key of a change if it is a constant.
func (c change) fixedKey() (f fixed, ok bool) {
	k, ok := c.key.(*ssa.Const)
	if !ok || k.Value == nil || c.deletes || len(c.at.fields) == 0 {
		return f, false
	}
	return fixed{c.at.fields[len(c.at.fields)-1], k.Value.ExactString()}, true
}

// A change is a call that returns a reference of a map, or may add or delete an entry.
type change struct {
	*ssa.Call
	name    string
	at      place
	key     ssa.Value // nil if it isn't known, or there are several
	ref     bool      // it returns a reference
	deletes bool
}

// check looks at all functions of a package.
func (r *refs) check(funcs []*ssa.Function) {
	r.called, r.fixed = map[*ssa.Function]*helper{}, map[fixed][]*ssa.Function{}
	for range 2 { // helpers, and helpers that call them
		for _, fn := range funcs {
			if r.called[fn] == nil && fn.Parent() == nil {
				r.guard.Run(fn, func() { r.called[fn] = r.helper(fn) })
			}
		}
	}
	for _, fn := range funcs {
		r.guard.Run(fn, func() {
			for _, c := range r.changes(fn) {
				if k, ok := c.fixedKey(); ok {
					r.fixed[k] = append(r.fixed[k], fn)
				}
			}
		})
	}
	for _, fn := range funcs {
		r.guard.Run(fn, func() { r.function(fn) })
	}
}

// function reports writes to what references of a function point to, if an entry may have been
// added since.
func (r *refs) function(fn *ssa.Function) {
	all := r.changes(fn)
	if !slices.ContainsFunc(all, func(c change) bool { return c.ref }) {
		return
	}
	paths := &check{guard: r.guard, reach: map[*ssa.BasicBlock]map[*ssa.BasicBlock]bool{}}
	moving := slices.DeleteFunc(slices.Clone(all), func(c change) bool { return !c.deletes && r.isThere(c) })
	for _, c := range all {
		if !c.ref {
			continue
		}
		w := &walk{refs: r, ref: c, stale: map[ssa.Instruction]change{}, written: map[ssa.Instruction]bool{}}
		for _, other := range moving {
			if other.Call != c.Call && moves(c, other) {
				w.stale[other.Call] = other
			}
		}
		if len(w.stale) > 0 && !filled(c, all, paths) {
			r.writes(c.Call, w.written, 4)
			(&defuse.Walk[ssa.Instruction]{Visit: w.visit}).Behind(c.Call, nil)
		}
	}
}

// changes returns those of a function.
func (r *refs) changes(fn *ssa.Function) (all []change) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			r.guard.Spend(1)
			if call, ok := i.(*ssa.Call); ok {
				all = append(all, r.change(call)...)
			}
		}
	}
	return all
}

// change returns what a call changes.
func (r *refs) change(call *ssa.Call) (all []change) {
	args := call.Call.Args
	name, ok := collections(&call.Call)
	if ok && len(args) > 0 {
		c := change{Call: call, name: name, at: placeOf(args[0])}
		switch name {
		case "Map.Ref", "Map.Set", "Map.LoadOrStore", "Map.Swap":
			c.key, c.ref = args[1], name == "Map.Ref"
		case "Map.Delete", "Map.LoadAndDelete":
			c.key, c.deletes = args[1], true
		case "Map.Clear":
			c.deletes = true
		case "Map.Insert", "Map.UnmarshalJSON":
		default:
			return nil
		}
		return []change{c}
	}
	fn := api.StaticCallee(&call.Call)
	if fn == nil {
		return nil
	}
	h := r.called[fn]
	if h == nil {
		return nil
	}
	if h.ref != nil {
		all = append(all, h.ref.at(call, fn.Name(), true))
	}
	for _, e := range h.adding {
		all = append(all, e.at(call, fn.Name(), false))
	}
	return all
}

// at returns an effect where the function is called that has it.
func (e *effect) at(call *ssa.Call, name string, ref bool) change {
	c := change{Call: call, name: name, at: placeOf(call.Call.Args[e.param]).then(e.fields...), ref: ref}
	if e.fixed != nil {
		c.key = e.fixed
	} else if e.key >= 0 {
		c.key = call.Call.Args[e.key]
	}
	return c
}

// helper returns what a function does with maps that its parameters lead to, nil if nothing is
// known.
func (r *refs) helper(fn *ssa.Function) *helper {
	changes := r.changes(fn)
	if len(changes) == 0 {
		return nil
	}
	var h helper
	var returns []*ssa.Return
	for _, b := range fn.Blocks {
		if ret, ok := b.Instrs[len(b.Instrs)-1].(*ssa.Return); ok {
			returns = append(returns, ret)
		}
	}
	for _, c := range changes {
		param := slices.IndexFunc(fn.Params, func(p *ssa.Parameter) bool { return p == c.at.root })
		if param < 0 || c.deletes || len(returns) == 0 {
			continue
		}
		e := effect{param: param, fields: c.at.fields,
			key: slices.IndexFunc(fn.Params, func(p *ssa.Parameter) bool { return p == c.key })}
		e.fixed, _ = c.key.(*ssa.Const)
		always := true
		for _, ret := range returns {
			always = always && c.Block().Dominates(ret.Block())
		}
		if !always {
			continue
		}
		if c.ref && len(returns) == 1 && len(returns[0].Results) == 1 && returns[0].Results[0] == c.Call {
			h.ref = &e
		} else if !r.isThere(c) {
			h.adding = append(h.adding, e)
		}
	}
	if h.ref == nil && h.adding == nil {
		return nil
	}
	return &h
}

// moves reports whether another change of a function may make a reference invalid.
func moves(ref, other change) bool {
	if !ref.at.is(other.at) {
		return false
	}
	if other.key == nil {
		return true
	}
	return same(other.key, ref.key) == other.deletes
}

// isThere reports whether a change adds no entry, as far as its function says.
func (r *refs) isThere(c change) bool {
	fn := c.Parent()
	if c.key == nil {
		return false
	}
	if _, ok := c.key.(*ssa.Parameter); ok && fn.Synthetic == "range-over-func yield" { // what an iterator produces
		return true
	}
	if k, ok := c.fixedKey(); ok && slices.ContainsFunc(r.fixed[k], func(f *ssa.Function) bool { return f != fn }) {
		return true // one of several that a map has from the beginning
	}
	return r.asked(c) || r.passed(c)
}

// asked reports whether a change is made only if a map has its key.
func (r *refs) asked(c change) bool {
	for b := c.Block(); b.Idom() != nil; b = b.Idom() {
		branch := program.Branch(b.Idom())
		if branch == nil || b.Idom().Succs[0] != b || len(b.Preds) != 1 {
			continue
		}
		cond := branch.Cond
		if e, ok := cond.(*ssa.Extract); ok {
			cond = e.Tuple
		}
		call, ok := cond.(*ssa.Call)
		if !ok {
			continue
		}
		if name, _ := collections(&call.Call); (name == "Map.Has" || name == "Map.Get") &&
			placeOf(call.Call.Args[0]).is(c.at) && same(call.Call.Args[1], c.key) {
			return true
		}
	}
	return false
}

// passed reports whether a key was passed on before with a map, or with what has it: then there
// may be an entry.
func (r *refs) passed(c change) bool {
	for _, b := range c.Parent().Blocks {
		if !b.Dominates(c.Block()) {
			continue
		}
		for _, i := range b.Instrs {
			r.guard.Spend(1)
			call, ok := i.(*ssa.Call)
			if i == ssa.Instruction(c.Call) {
				break
			}
			if !ok {
				continue
			}
			if name, ok := collections(&call.Call); ok &&
				(name == "Map.Has" || name == "Map.Get" || name == "Map.Delete" || name == "Map.LoadAndDelete") {
				continue
			}
			if slices.ContainsFunc(call.Call.Args, func(v ssa.Value) bool { return same(v, c.key) }) &&
				slices.ContainsFunc(call.Call.Args,
					func(v ssa.Value) bool { return placeOf(v).root == c.at.root && !same(v, c.key) }) {
				return true
			}
		}
	}
	return false
}

// filled reports whether entries are added to a map in a loop that has ended when a reference is
// returned.
func filled(ref change, all []change, paths *check) bool {
	for _, c := range all {
		if !c.deletes && c.at.is(ref.at) && paths.follows(c.Block(), c.Block()) &&
			paths.follows(c.Block(), ref.Block()) && !paths.follows(ref.Block(), c.Block()) {
			return true
		}
	}
	return false
}

// writes adds the instructions that write to what a value points to.
func (r *refs) writes(v ssa.Value, all map[ssa.Instruction]bool, depth int) {
	if depth == 0 {
		return
	}
	defuse.Within(v, func(at ssa.Value, use ssa.Instruction) {
		r.guard.Spend(1)
		switch use := use.(type) {
		case *ssa.Store:
			if use.Addr == at {
				all[use] = true
			} else if f, ok := use.Addr.(*ssa.FieldAddr); ok {
				r.holder(f, all, depth-1)
			}
		case *ssa.Call:
			fn := use.Call.StaticCallee()
			if fn == nil || len(fn.Blocks) == 0 {
				break
			}
			for i, p := range fn.Params {
				within := map[ssa.Instruction]bool{}
				if use.Call.Args[i] == at {
					r.writes(p, within, depth-1)
				}
				if len(within) > 0 {
					all[use] = true
				}
			}
		}
	})
}

// holder adds the writes to what a field of a new struct points to, if it is set only once.
func (r *refs) holder(f *ssa.FieldAddr, all map[ssa.Instruction]bool, depth int) {
	field := defuse.FieldOf(f)
	if _, ok := f.X.(*ssa.Alloc); !ok || field == nil || r.kept[field] {
		return
	}
	var loads []ssa.Value
	stores := 0
	for f, use := range defuse.FieldUses(f.X) {
		if defuse.FieldOf(f) != field {
			continue
		}
		switch use := use.(type) {
		case *ssa.Store:
			stores++
		case *ssa.UnOp:
			loads = append(loads, use)
		}
	}
	if stores == 1 {
		for _, v := range loads {
			r.writes(v, all, depth)
		}
	}
}

// A walk goes on from where a reference is returned. Its state is the call that may have
// made the reference invalid, nil as long as there is none.
type walk struct {
	*refs
	ref     change
	stale   map[ssa.Instruction]change
	written map[ssa.Instruction]bool
	told    bool // a write was reported: one is enough
}

func (w *walk) visit(i, by ssa.Instruction) (ssa.Instruction, bool) {
	w.guard.Spend(1)
	switch {
	case w.told || i == ssa.Instruction(w.ref.Call):
		return nil, false
	case by != nil && w.written[i]:
		w.report(i, w.stale[by])
		w.told = true
		return nil, false
	case by != nil:
		return by, true
	case w.other(i):
		return nil, false
	}
	if _, ok := w.stale[i]; ok {
		by = i
	}
	return by, true
}

// other reports whether the map may be another one after an instruction.
func (w *walk) other(i ssa.Instruction) (changed bool) {
	fields := w.ref.at.fields
	switch i := i.(type) {
	case *ssa.Store:
		sets(i, func(f types.Object) { changed = changed || slices.Contains(fields, f) })
	case *ssa.Call:
		if _, ok := collections(&i.Call); ok || api.Callee(&i.Call) != nil || len(w.change(i)) > 0 {
			return false
		}
		if _, ok := i.Call.Value.(*ssa.Builtin); ok {
			return false
		}
		changed = slices.ContainsFunc(fields, func(f types.Object) bool { return w.kept[f] })
	}
	return changed
}

func (w *walk) report(i ssa.Instruction, by change) {
	line := func(c change) int { return w.pass.Fset.Position(c.Pos()).Line }
	ignore.Report(w.pass, analysis.Diagnostic{Pos: i.Pos(), Message: fmt.Sprintf(
		"this writes to what %s has returned in line %d; since then %s may have moved it", w.ref.name,
		line(w.ref), by.name)})
}
