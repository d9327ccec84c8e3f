// Package keeps finds the certain effects of functions in packages unrelated to arenas: result i leads to argument j;
// argument j is kept in the receiver, in argument k, in a global, by a goroutine.
//
//	func (c *Cache) Add(key string, v any) {
//		e := &entry{key, v}
//		c.list.PushFront(e)
//		c.items[key] = e
//	}
//
//	Stores   into {0 "*[in]"}: {1 ""}, {2 ""}
//
// Package transfer, which analyzes functions related to arenas, costs too much for all dependencies of a program. This
// package visits each instruction a few times, and its summaries have less: of a place in a container only that it is
// inside. They leave out effects on some paths only, but ignore paths on which the function reports a failure, or gets
// an empty argument.
//
// It must not depend on arenas, nor on states.
package keeps

import (
	"go/types"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	build "github.com/harena-go/arena/arenavet/internal/engine/program"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// The limits of the analysis: a larger function is taken to keep nothing, and of a larger package only the first
// functions are analyzed, which are callees of others.
const (
	perFunction = 2_000 // instructions
	perPackage  = 300_000
)

// rounds is the number of visits of each function: functions that call each other, or methods of an interface, use the
// previous round's results.
const rounds = 2

// Of returns the summaries of a package's functions, without empty ones. circles has its functions, callees first, and
// known returns the summaries of other packages' functions.
func Of(pkg *ssa.Package, circles [][]*ssa.Function,
	known func(*types.Func) *summary.Summary) map[*types.Func]*summary.Summary {
	p := &finder{pkg, known, map[*types.Func]*summary.Summary{}, perPackage}
	for range rounds {
		for _, circle := range circles {
			for _, fn := range circle {
				p.look(fn)
			}
		}
		p.interfaces()
	}
	p.emptiers()
	for fn, s := range p.done {
		if s.Sort(); s.Empty() || !fn.Exported() {
			delete(p.done, fn)
		}
	}
	return p.done
}

// look analyzes one function.
func (p *finder) look(fn *ssa.Function) {
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return
	}
	size := 0
	for _, b := range fn.Blocks {
		size += len(b.Instrs)
	}
	if p.left -= size; size <= perFunction && p.left > 0 {
		p.done[obj] = newFunction(p, fn).summary()
	}
}

// interfaces summarizes the methods of the package's interfaces: the stores that all implementing types of the package
// have. Whether a type implements a generic interface goes by the names of its methods.
func (p *finder) interfaces() {
	scope := p.pkg.Pkg.Scope()
	for _, name := range scope.Names() {
		i, ok := scope.Lookup(name).Type().Underlying().(*types.Interface)
		if _, isType := scope.Lookup(name).(*types.TypeName); !ok || !isType {
			continue
		}
		for m := range i.ExplicitMethods() {
			if stores := p.common(i, m.Name()); len(stores) > 0 {
				p.done[m] = &summary.Summary{Stores: stores}
			}
		}
	}
}

// common returns the stores that a method has in all types that implement an interface.
func (p *finder) common(i *types.Interface, method string) (list []summary.Store) {
	scope, first := p.pkg.Pkg.Scope(), true
	for _, name := range scope.Names() {
		tn, ok := scope.Lookup(name).(*types.TypeName)
		if !ok || tn.IsAlias() || types.IsInterface(tn.Type()) || !implements(tn.Type(), i) {
			continue
		}
		fn, _, _ := types.LookupFieldOrMethod(tn.Type(), true, p.pkg.Pkg, method)
		s := p.done[fn.(*types.Func).Origin()]
		if s == nil {
			return nil
		}
		stores := slices.Clone(s.Stores)
		for n := range stores {
			if stores[n].Into.Param == 0 {
				stores[n].Into.Path = within
			}
		}
		if first {
			list, first = stores, false
		}
		list = slices.DeleteFunc(list, func(x summary.Store) bool { return !slices.Contains(stores, x) })
	}
	return list
}

func implements(t types.Type, i *types.Interface) bool {
	for m := range i.Methods() {
		obj, _, _ := types.LookupFieldOrMethod(t, true, m.Pkg(), m.Name())
		if fn, ok := obj.(*types.Func); !ok || fn.Signature().Params().Len() != m.Signature().Params().Len() {
			return false
		}
	}
	return true
}

// emptiers adds Clears to methods whose names suggest it, if other methods of the type keep something in the receiver.
// A wrong guess loses a finding, and invents none.
func (p *finder) emptiers() {
	kept := map[*types.TypeName]map[string]bool{}
	for fn, s := range p.done {
		for _, x := range s.Stores {
			if t := receiver(fn); t != nil && x.Into.Param == 0 {
				if kept[t] == nil {
					kept[t] = map[string]bool{}
				}
				kept[t][x.Into.Path] = true
			}
		}
	}
	for fn, s := range p.done {
		t := receiver(fn)
		s.Clears = slices.DeleteFunc(s.Clears, func(x summary.Sym) bool { return x.Param != 0 || !kept[t][x.Path] })
	}
	for t, paths := range kept {
		empty := func(m *types.Func) {
			if !empties(m.Name()) {
				return
			}
			if p.done[m] == nil {
				p.done[m] = &summary.Summary{}
			}
			for path := range paths {
				summary.Add(&p.done[m].Clears, summary.Sym{Param: 0, Path: path})
			}
		}
		if i, ok := t.Type().Underlying().(*types.Interface); ok {
			for m := range i.ExplicitMethods() {
				empty(m)
			}
		} else if named, ok := t.Type().(*types.Named); ok {
			for m := range named.Methods() {
				empty(m)
			}
		}
	}
}

// receiver returns the type of a method's receiver, nil if the function isn't a method.
func receiver(fn *types.Func) *types.TypeName {
	recv := fn.Signature().Recv()
	if recv == nil {
		return nil
	}
	if n := api.Named(recv.Type()); n != nil {
		return n.Origin().Obj()
	}
	return nil
}

// This part returns the summaries of callees.

// A finder analyzes the functions of a package.
type finder struct {
	pkg   *ssa.Package
	known func(*types.Func) *summary.Summary
	done  map[*types.Func]*summary.Summary
	left  int // remaining instructions
}

// of returns the summary of a callee, nil if there is none.
func (p *finder) of(c *ssa.CallCommon) *summary.Summary {
	fn := c.Method
	if !c.IsInvoke() {
		callee := api.StaticCallee(c)
		if callee == nil {
			return nil
		}
		fn, _ = callee.Object().(*types.Func)
	}
	if fn == nil || fn.Pkg() == nil {
		return nil
	}
	fn = fn.Origin()
	if s := p.known(fn); s != nil || fn.Pkg() != p.pkg.Pkg {
		return s
	}
	return p.done[fn]
}

// empties reports whether a method's name suggests that something leaves its receiver, or that it waits until others
// are done.
func empties(name string) bool {
	for _, verb := range verbs {
		rest, ok := strings.CutPrefix(name, verb)
		if !ok {
			rest, ok = strings.CutPrefix(name, strings.ToLower(verb[:1])+verb[1:])
		}
		if ok && (rest == "" || !unicode.IsLower(rune(rest[0]))) {
			return true
		}
	}
	return false
}

// verbs are the beginnings of such names.
var verbs = []string{"Remove", "Delete", "Del", "Purge", "Clear", "Reset", "Evict", "Invalidate", "Pop", "Drop",
	"Flush", "Close", "Free", "Release", "Discard", "Drain", "Take", "Dequeue", "Forget", "Expire", "Truncate",
	"Shrink", "Stop", "Wait", "Join", "Shutdown", "Sync", "Empty", "Unset", "Unregister", "Resize", "Return", "Done",
	"End", "Finish", "Commit", "Rollback", "Cancel", "GetAnd", "LoadAnd", "Init"}

// within is the path to a container's contents.
const within = "*" + state.Inside

// This part applies the effects of callees.

// call processes a call.
func (f *function) call(i ssa.CallInstruction) {
	c := i.Common()
	if name := api.Builtin(c); name != "" {
		f.builtin(i, name, c.Args)
		return
	}
	if _, ok := i.(*ssa.Go); ok {
		given := f.is(c.Value)
		for _, a := range c.Args {
			given = append(given[:len(given):len(given)], f.is(a)...)
		}
		f.events = append(f.events, event{at: i, refs: given, gives: true})
		return
	}
	s := f.of(c)
	if s == nil {
		return
	}
	for _, x := range s.Stores {
		if x.Flow.Kind == summary.Same {
			f.stored(i, x)
		}
	}
	for _, x := range s.Clears {
		for _, r := range f.follow(i, summary.Sym{Param: x.Param}) {
			f.altered[r.root] = true
		}
	}
	for _, x := range s.Gives {
		f.events = append(f.events, event{at: i, refs: f.follow(i, x.What), gives: true})
	}
	if v := i.Value(); v != nil {
		f.results(v, s)
	}
}

// stored applies a store of a callee.
func (f *function) stored(i ssa.CallInstruction, x summary.Store) {
	refs := f.follow(i, x.Flow.From)
	if x.Into.Param < 0 {
		f.events = append(f.events, event{at: i, refs: refs, global: x.Into})
		return
	}
	n := strings.LastIndexByte(x.Into.Path, '*')
	if n < 0 {
		return
	}
	to, part := x.Into, x.Into.Path[n+1:]
	to.Path = to.Path[:n]
	f.put(steps(f.follow(i, to), part), refs, i)
}

// follow evaluates a name in a callee's summary.
func (f *function) follow(i ssa.CallInstruction, x summary.Sym) []ref {
	arg := api.Arg(i.Common(), x.Param)
	if arg == nil {
		return nil
	}
	refs := f.is(arg)
	first, rest, more := strings.Cut(x.Path, "*")
	if first != "" {
		refs = f.part(arg, first, i)
	}
	for more {
		first, rest, more = strings.Cut(rest, "*")
		if path, ok := strings.CutSuffix(first, "&"); ok {
			return steps(refs, path)
		}
		refs = f.load(steps(refs, first), i)
	}
	return refs
}

// results records the results of a call: arguments, and values made by the callee that lead to some.
func (f *function) results(v *ssa.Call, s *summary.Summary) {
	tuple := v.Call.Signature().Results().Len() > 1
	var is []ref
	for _, x := range s.Results {
		if x.Kind != summary.Same || len(x.Out) < 2 {
			continue
		}
		name, rest := x.Out[:2], x.Out[2:]
		refs := f.follow(v, x.From)
		if rest != "" {
			to := ref{root: v, path: strings.TrimPrefix(rest, "*"), addr: true}
			if tuple {
				to.path = name + to.path
			}
			is = append(is, ref{root: v, addr: rest[0] == '*'})
			f.put([]ref{to}, refs, v)
		} else if tuple {
			f.content[v] = append(f.content[v], cell{"=" + name, refs, v})
		} else {
			is = append(is, refs...)
		}
	}
	f.set(v, is)
}

// builtin processes a call of a built-in function.
func (f *function) builtin(i ssa.CallInstruction, name string, args []ssa.Value) {
	if name != "append" && name != "copy" || len(args) != 2 {
		return
	}
	var items []ref
	if e := shape.Elem(args[1].Type()); e != nil && shape.HasPointers(e) {
		items = f.load(steps(f.is(args[1]), state.Elements), i)
	}
	if name == "copy" {
		f.put(steps(f.is(args[0]), state.Elements), items, i)
		return
	}
	if v := i.Value(); v != nil {
		made := ref{root: v, addr: true}
		f.put(steps([]ref{made}, state.Elements), items, i)
		f.set(v, append([]ref{made}, f.is(args[0])...))
	}
}

// This part finds values that are no longer kept when the function returns. In doubt it assumes that they aren't.

// undone reports whether an event's value from a parameter is gone at the end: the field is set to something else, the
// element is deleted, or the goroutine that has got it is done.
func (f *function) undone(e event, param int) bool {
	undoes := func(ssa.Instruction) bool { return false }
	passesOn := e.gives
	switch i := e.at.(type) {
	case *ssa.Send, *ssa.Select:
		passesOn = true
	case *ssa.Store:
		if isCut(e) {
			return true
		}
		undoes = func(j ssa.Instruction) bool { return j != i && f.overwrites(j, e, param) }
	case *ssa.MapUpdate:
		undoes = func(j ssa.Instruction) bool {
			return api.IsBuiltin(j, "clear") ||
				api.IsBuiltin(j, "delete") && (j.Parent() != f.fn || j.(ssa.CallInstruction).Common().Args[1] == i.Key)
		}
	}
	for i := range code.After(e.at) {
		c, ok := i.(ssa.CallInstruction)
		if i != e.at && (undoes(i) || passesOn && code.Waits(i) || ok && f.clears(c, e)) {
			return true
		}
	}
	for d := range api.Of[*ssa.Defer](f.fn) {
		if f.clears(d, e) || f.takes(d, e) {
			return true
		}
	}
	return inLiterals(f.fn, undoes) || f.takenOut(e)
}

// overwrites reports whether an instruction sets an event's field to something else. A literal is taken to do so.
func (f *function) overwrites(i ssa.Instruction, e event, param int) bool {
	st, ok := i.(*ssa.Store)
	if !ok || e.field == nil || shape.Holder(st.Addr) != e.field {
		return false
	}
	isParam := func(x summary.Sym) bool { return x.Param == param }
	return i.Parent() != f.fn || isCut(event{at: i, field: e.field}) ||
		!slices.ContainsFunc(f.reach(f.is(st.Val), i), isParam)
}

// isCut reports whether a field is set to the beginning of its old slice: the end is gone.
func isCut(e event) bool {
	cut, ok := e.at.(*ssa.Store).Val.(*ssa.Slice)
	if !ok || cut.High == nil || e.field == nil {
		return false
	}
	old, ok := cut.X.(*ssa.UnOp)
	return ok && shape.Holder(old.X) == e.field
}

// inLiterals reports whether a literal of a function has an instruction, which may run at the end.
func inLiterals(fn *ssa.Function, is func(ssa.Instruction) bool) bool {
	return slices.ContainsFunc(fn.AnonFuncs, func(literal *ssa.Function) bool {
		for i := range api.Instrs(literal) {
			if is(i) {
				return true
			}
		}
		return inLiterals(literal, is)
	})
}

// clears reports whether a callee sets the event's field to something else.
func (f *function) clears(c ssa.CallInstruction, e event) bool {
	s := f.of(c.Common())
	if s == nil {
		return false
	}
	return slices.ContainsFunc(s.Clears, func(x summary.Sym) bool {
		arg := api.Arg(c.Common(), x.Param)
		isThat := func(r ref) bool { return r.root == e.into.root && r.path == "" }
		return arg != nil && isField(x.Path) && x.Path == e.into.path && slices.ContainsFunc(f.is(arg), isThat)
	})
}

// takenOut reports whether each path from an event that is a call has a call of a method that empties something, as
// with push and pop.
func (f *function) takenOut(e event) bool {
	if _, ok := e.at.(ssa.CallInstruction); !ok {
		return false
	}
	has := map[*ssa.BasicBlock]bool{}
	for i := range code.After(e.at) {
		if c, ok := i.(*ssa.Call); ok && f.takes(c, e) {
			has[i.Block()] = true
		}
	}
	returns := func(b *ssa.BasicBlock) bool { return build.Return(b) != nil }
	return has[e.at.Block()] || len(has) > 0 && !f.leads(e.at.Block(), has, returns)
}

// takes reports whether a call is of a method that takes something out of the root where the event keeps its value.
func (f *function) takes(i ssa.CallInstruction, e event) bool {
	c := i.Common()
	isMethod := c.IsInvoke() || c.StaticCallee() != nil && c.StaticCallee().Signature.Recv() != nil
	return isMethod && empties(code.ShortName(c)) && slices.ContainsFunc(f.is(api.Arg(c, 0)), func(r ref) bool {
		return r.root == e.into.root && e.into.root != nil
	})
}
