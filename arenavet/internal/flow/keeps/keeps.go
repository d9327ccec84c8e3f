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

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/summary"
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
// have.
func (p *finder) interfaces() {
	var all []*types.Named
	scope := p.pkg.Pkg.Scope()
	for _, name := range scope.Names() {
		if tn, ok := scope.Lookup(name).(*types.TypeName); ok && !tn.IsAlias() {
			if named, ok := tn.Type().(*types.Named); ok {
				all = append(all, named)
			}
		}
	}
	for _, named := range all {
		i, ok := named.Underlying().(*types.Interface)
		if !ok {
			continue
		}
		for m := range i.ExplicitMethods() {
			if s := p.common(all, i, m); s != nil {
				p.done[m] = s
			}
		}
	}
}

// common returns the stores that all implementations of an interface's method have. Whether a type implements a generic
// interface goes by the names of its methods.
func (p *finder) common(all []*types.Named, i *types.Interface, m *types.Func) *summary.Summary {
	var s *summary.Summary
	for _, named := range all {
		if types.IsInterface(named) || !implements(named, i) {
			continue
		}
		obj, _, _ := types.LookupFieldOrMethod(named, true, p.pkg.Pkg, m.Name())
		fn, ok := obj.(*types.Func)
		if !ok || p.done[fn.Origin()] == nil {
			return nil
		}
		stores := slices.Clone(p.done[fn.Origin()].Stores)
		for n := range stores {
			if stores[n].Into.Param == 0 {
				stores[n].Into.Path = within
			}
		}
		if s == nil {
			s = &summary.Summary{Stores: stores}
		}
		s.Stores = slices.DeleteFunc(s.Stores, func(x summary.Store) bool { return !slices.Contains(stores, x) })
	}
	if s == nil || len(s.Stores) == 0 {
		return nil
	}
	return s
}

func implements(named *types.Named, i *types.Interface) bool {
	for m := range i.Methods() {
		obj, _, _ := types.LookupFieldOrMethod(named, true, m.Pkg(), m.Name())
		if fn, ok := obj.(*types.Func); !ok ||
			fn.Signature().Params().Len() != m.Signature().Params().Len() {
			return false
		}
	}
	return i.NumMethods() > 0
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
	t := types.Unalias(recv.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok {
		return n.Origin().Obj()
	}
	return nil
}
