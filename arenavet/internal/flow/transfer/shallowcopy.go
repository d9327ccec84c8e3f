package transfer

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds copies of elements that are structs, by functions of the standard library
// such as slices.Clone and maps.Clone. What their fields lead to isn't copied. The table of
// the library says only that elements are copied; the call tells their type.

// A shallowCopy is a place with elements, and where they were copied from.
type shallowCopy struct {
	to   summary.Sym // Param is -1 if it is in the result
	from state.Value // with the paths of fields
	elem types.Type
}

// shallowCopies returns what a call copies in structs that are elements. It is asked before
// the call, which may empty what it has returned before.
func (f *interpreter) shallowCopies(s *state.State, i ssa.CallInstruction, sum *summary.Summary,
	all []state.Value) (list []shallowCopy) {
	copies := func(to summary.Sym, t types.Type, x summary.Flow) {
		elem := elementAt(t, to.Path)
		if elem == nil || x.Kind != summary.Same || x.From.Param >= len(all) ||
			!strings.HasSuffix(x.From.Path, state.Elements) {
			return
		}
		if _, ok := shape.Struct(elem); !ok || !shape.HasPointers(elem) {
			return
		}
		holder := x.From
		holder.Path = holder.Path[:strings.LastIndexByte(holder.Path, '*')]
		v := s.Load(f.Follow(s, i, holder, all), x.From.Path[len(holder.Path)+1:], elem)
		if v = f.setLater(elem, v); len(v) > 0 {
			list = append(list, shallowCopy{to, v, elem})
		}
	}
	if v := i.Value(); v != nil && v.Call.Signature().Results().Len() == 1 {
		for _, x := range sum.Results {
			copies(summary.Sym{Param: -1, Path: strings.TrimPrefix(x.Out, state.First)}, v.Type(), x)
		}
	}
	args := i.Common().Args
	for _, x := range sum.Stores {
		if x.Flow.Out == "" && x.Into.Param >= 0 && x.Into.Param < len(args) && !i.Common().IsInvoke() {
			copies(x.Into, args[x.Into.Param].Type(), x.Flow)
		}
	}
	return list
}

// elementAt returns the type of what is at a path from a value of a type, if that is the
// value itself or an element of it.
func elementAt(t types.Type, path string) types.Type {
	switch path {
	case "":
		return t
	case "*" + state.Elements:
		return shape.Elem(t)
	case "*" + state.Keys:
		if m, ok := t.Underlying().(*types.Map); ok {
			return m.Key()
		}
	}
	return nil
}

// copyShallow puts what a call has copied where it has copied it, and returns the result.
func (f *interpreter) copyShallow(s *state.State, i ssa.CallInstruction, list []shallowCopy, result state.Value,
	all []state.Value) state.Value {
	for _, x := range list {
		if x.to.Path == "" {
			result, _ = result.Join(x.from)
			continue
		}
		into := result
		if x.to.Param >= 0 {
			into = all[x.to.Param]
		} else if result == nil {
			continue
		}
		for t := range into.All() {
			if t.Is(state.Ptr) && (x.to.Param >= 0 || t.Loc.Site == ssa.Instruction(i)) {
				s.Put(i, state.Cell{Loc: t.Loc, Path: t.Off + x.to.Path[1:]}, x.from, x.elem, false)
			}
		}
	}
	return result
}

// setLater leaves out what the function sets itself in elements of such a type: that is how
// a deep copy is made of a shallow one.
//
//	list = slices.Clone(list)
//	for i := range list { list[i].words = slices.Clone(list[i].words) }
func (f *interpreter) setLater(elem types.Type, v state.Value) state.Value {
	if len(v) == 0 {
		return nil
	}
	set := map[string]bool{}
	f.setInElements(f.Fn, elem, set, true)
	return v.Only(func(t state.Tag) bool {
		for path := range set {
			if strings.HasPrefix(t.Path, path) {
				return false
			}
		}
		return true
	})
}

// setInElements notes the paths of fields that a function sets in elements of a type, or that
// functions of this package set to which it passes such a slice. An element whose
// address is passed on may be set as a whole.
func (f *interpreter) setInElements(fn *ssa.Function, elem types.Type, set map[string]bool, calls bool) {
	isElem := func(v ssa.Value) bool {
		at, ok := v.(*ssa.IndexAddr)
		if !ok || !types.Identical(shape.Elem(at.Type()), elem) {
			return false
		}
		_, one := at.Index.(*ssa.Const) // as in a list of arguments
		return !one
	}
	for _, b := range fn.Blocks {
		f.Spend(len(b.Instrs))
		for _, i := range b.Instrs {
			switch i := i.(type) {
			case *ssa.Store:
				path, addr := "", i.Addr
				for at, ok := addr.(*ssa.FieldAddr); ok; at, ok = addr.(*ssa.FieldAddr) {
					path, addr = "."+shape.Field(at.X.Type(), at.Field)+path, at.X
				}
				if isElem(addr) {
					set[path] = true
				}
			case *ssa.MapUpdate:
				if _, made := i.Map.(*ssa.MakeMap); !made && types.Identical(i.Value.Type(), elem) {
					set[""] = true
				}
			case ssa.CallInstruction:
				callee := i.Common().StaticCallee()
				for _, a := range i.Common().Args {
					if isElem(a) {
						set[""] = true
					} else if e := shape.Elem(a.Type()); calls && e != nil && types.Identical(e, elem) &&
						callee != nil && callee.Pkg == f.Program.SSA {
						f.setInElements(callee, elem, set, false)
					}
				}
			}
		}
	}
}
