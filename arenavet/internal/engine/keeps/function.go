package keeps

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file computes the values of one function in terms of its parameters and of memory that it makes. Blocks are
// processed in the order of the dominator tree, in several passes: a pass uses the previous one's values for loops.

// passes is the number of passes. A value that flows through two loops takes three.
const passes = 3

// A ref is one thing that a value may be, or the address of it.
type ref struct {
	root  ssa.Value // a parameter, a global, or the instruction that makes it
	path  string    // from root to it, as in package summary
	addr  bool      // the value is the address of it
	maybe bool      // on some paths only
}

// most bounds the refs of a value.
const most = 12

// A cell is a store of the function.
type cell struct {
	path string
	refs []ref
	at   ssa.Instruction
}

// A function is the record of one function during its analysis.
type function struct {
	*finder
	fn      *ssa.Function
	params  map[ssa.Value]int
	values  map[ssa.Value][]ref
	content map[ssa.Value][]cell // of roots
	altered map[ssa.Value]bool   // of local roots: parts were set to something else
	events  []event              // of the last pass
	filled  map[*types.Var]bool  // see isFound
}

func newFunction(p *finder, fn *ssa.Function) *function {
	f := &function{finder: p, fn: fn, params: map[ssa.Value]int{}, values: map[ssa.Value][]ref{},
		altered: map[ssa.Value]bool{}}
	for n, x := range fn.Params {
		f.params[x] = n
		if shape.HasPointers(x.Type()) && !isContext(x.Type()) {
			f.values[x] = []ref{{root: x}}
		}
	}
	blocks := fn.DomPreorder()
	var before map[ssa.Value][]cell
	n := passes
	if len(blocks) == 1 { // without a loop
		n = 1
	}
	for range n {
		// Loads see the previous pass's stores: a store may be at a loop's end.
		f.content, f.events = map[ssa.Value][]cell{}, nil
		for root, cells := range before {
			f.content[root] = slices.Clone(cells)
		}
		for _, b := range blocks {
			for _, i := range b.Instrs {
				f.instruction(i)
			}
		}
		before = f.content
	}
	return f
}

// isContext reports whether a type is context.Context: the request ends the values in a context.
func isContext(t types.Type) bool { return api.IsNamed(t, "context", "Context") }

// before reports whether one instruction precedes another on each path to that.
func (f *function) before(a, b ssa.Instruction) bool {
	if in := a.Block(); in == b.Block() {
		return slices.Index(in.Instrs, a) < slices.Index(in.Instrs, b)
	}
	return a.Block().Dominates(b.Block())
}

// set records the refs of a value.
func (f *function) set(v ssa.Value, refs []ref) {
	if shape.HasPointers(v.Type()) && len(refs) > 0 {
		f.values[v] = unique(refs)
	}
}

func unique(refs []ref) (list []ref) {
	for _, r := range refs {
		sure := r
		sure.maybe = false
		if !slices.Contains(list, r) && !slices.Contains(list, sure) && len(list) < most {
			list = append(list, r)
		}
	}
	return list
}

// is returns the refs of a value.
func (f *function) is(v ssa.Value) []ref {
	if g, ok := v.(*ssa.Global); ok {
		return []ref{{root: g, addr: true}}
	}
	return f.values[v]
}

// local reports whether the function has made a ref's root.
func (f *function) local(r ref) bool {
	_, param := f.params[r.root]
	_, global := r.root.(*ssa.Global)
	return !param && !global
}

// step returns the address of a part of a value's target.
func step(r ref, part string) ref {
	if r.addr {
		r.path += part
	} else {
		r.path += "*" + part
	}
	r.addr = true
	switch {
	case strings.Contains(r.path, state.Inside):
		r.path = r.path[:strings.Index(r.path, state.Inside)] + state.Inside
	case strings.Count(r.path, "*") > 2 || len(r.path) > summary.MaxPath:
		r.path = within
	}
	return r
}

func steps(refs []ref, part string) (list []ref) {
	for _, r := range refs {
		list = append(list, step(r, part))
	}
	return list
}

// load returns the contents of addresses.
func (f *function) load(addrs []ref, at ssa.Instruction) (list []ref) {
	whole := isWhole(at)
	for _, r := range addrs {
		if !r.addr {
			continue
		}
		r.addr = false
		sure := false
		for _, c := range f.cells(r.root) {
			rest, ok := strings.CutPrefix(r.path, c.path)
			if !ok || rest != "" && !state.StartsPath(rest) && rest[0] != '*' {
				continue
			}
			before := f.before(c.at, at)
			if !f.local(r) && (!before || strings.Contains(c.path, state.InChannel)) { // others receive it
				continue
			}
			sure = sure || before && rest == ""
			for _, x := range c.refs {
				x.maybe = x.maybe || r.maybe || !before
				if rest == "" {
					list = append(list, x)
				} else {
					x = step(x, strings.TrimPrefix(rest, "*"))
					x.addr = false
					list = append(list, x)
				}
			}
		}
		if f.local(r) && whole || !f.local(r) && !sure {
			list = append(list, r)
		}
	}
	return unique(list)
}

// cells returns the stores to a root. A copy of a struct no longer counts as that struct once a part of it was set.
func (f *function) cells(root ssa.Value) []cell {
	if !f.altered[root] || !f.local(ref{root: root}) {
		return f.content[root]
	}
	return slices.DeleteFunc(slices.Clone(f.content[root]), func(c cell) bool { return c.path == "" })
}

// isWhole reports whether an instruction may load a struct or an array, which has no cell itself.
func isWhole(i ssa.Instruction) bool {
	v, ok := i.(ssa.Value)
	if !ok {
		return true
	}
	switch types.Unalias(v.Type()).(type) {
	case *types.TypeParam, *types.Tuple:
		return true
	}
	switch v.Type().Underlying().(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

// put records a store at addresses.
func (f *function) put(addrs, refs []ref, at ssa.Instruction) {
	for _, r := range addrs {
		if !r.addr {
			continue
		}
		if st, ok := at.(*ssa.Store); r.path != "" && (!ok || shape.HasPointers(st.Val.Type())) {
			f.altered[r.root] = true
		}
		if len(refs) > 0 && !slices.ContainsFunc(f.content[r.root], func(c cell) bool {
			return c.at == at && c.path == r.path && slices.Equal(c.refs, refs)
		}) {
			f.content[r.root] = append(f.content[r.root], cell{r.path, refs, at})
		}
		if !f.local(r) && !r.maybe {
			f.events = append(f.events, event{at: at, into: r, refs: refs, field: fieldOf(at)})
		}
	}
}

// fieldOf returns the field of a store, nil if there is none.
func fieldOf(i ssa.Instruction) *types.Var {
	if st, ok := i.(*ssa.Store); ok {
		return shape.Holder(st.Addr)
	}
	return nil
}

// instruction processes one instruction.
func (f *function) instruction(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Store:
		f.put(f.pointers(i.Addr), f.is(i.Val), i)
	case *ssa.MapUpdate:
		into := steps(f.is(i.Map), state.Elements)
		f.put(into, f.is(i.Value), i)
		f.put(into, f.is(i.Key), i)
	case *ssa.Send:
		f.put(steps(f.is(i.Chan), state.InChannel), f.is(i.X), i)
	case ssa.CallInstruction:
		f.call(i)
	case ssa.Value:
		f.set(i, f.value(i))
	}
	if sel, ok := i.(*ssa.Select); ok {
		for _, s := range sel.States {
			if s.Dir == types.SendOnly {
				f.put(steps(f.is(s.Chan), state.InChannel), f.is(s.Send), sel)
			}
		}
	}
}

// value returns the refs of an instruction's result.
func (f *function) value(v ssa.Value) []ref {
	switch v := v.(type) {
	case *ssa.Alloc, *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan:
		return []ref{{root: v, addr: true}}
	case *ssa.MakeClosure:
		for _, b := range v.Bindings {
			f.put([]ref{{root: v, path: state.Elements, addr: true}}, f.is(b), v)
		}
		return []ref{{root: v, addr: true}}
	case *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.SliceToArrayPointer, *ssa.TypeAssert,
		*ssa.Slice, *ssa.Range:
		return f.is(api.Operand(v))
	case *ssa.Convert:
		if shape.IsString(v.Type()) != shape.IsString(v.X.Type()) { // a copy
			return nil
		}
		return f.is(v.X)
	case *ssa.FieldAddr:
		return steps(f.is(v.X), "."+shape.Field(v.X.Type(), v.Field))
	case *ssa.IndexAddr:
		return steps(f.is(v.X), state.Elements)
	case *ssa.Field:
		return f.part(v.X, "."+shape.Field(v.X.Type(), v.Field), v)
	case *ssa.Index:
		return f.part(v.X, state.Elements, v)
	case *ssa.Lookup, *ssa.Next:
		return f.load(steps(f.is(api.Operand(v)), state.Elements), v.(ssa.Instruction))
	case *ssa.UnOp:
		if v.Op == token.ARROW {
			return f.load(steps(f.is(v.X), state.InChannel), v)
		} else if v.Op == token.MUL {
			return f.load(f.pointers(v.X), v)
		}
	case *ssa.Extract:
		return f.extract(v)
	case *ssa.Phi:
		return f.phi(v)
	}
	return nil
}

// pointers returns the addresses that a value may be, also those loaded from memory.
func (f *function) pointers(v ssa.Value) (list []ref) {
	for _, r := range f.is(v) {
		if !r.addr {
			r = step(r, "")
		}
		list = append(list, r)
	}
	return list
}

// part returns a part of a struct or an array that is a value.
func (f *function) part(x ssa.Value, path string, at ssa.Instruction) []ref {
	list := slices.Clone(f.is(x))
	for n := range list {
		list[n].addr = true
	}
	return f.load(steps(list, path), at)
}

// extract returns one of several results.
func (f *function) extract(v *ssa.Extract) (list []ref) {
	if _, ok := v.Tuple.(*ssa.Call); !ok {
		return f.is(v.Tuple) // of a lookup or type assertion with an ok
	}
	name := state.Result(v.Index)
	for _, r := range f.values[v.Tuple] {
		if r.root == v.Tuple && r.path == "" {
			r.path = name
			list = append(list, r)
		}
	}
	for _, c := range f.content[v.Tuple] {
		if c.path == "="+name {
			list = append(list, c.refs...)
		}
	}
	return list
}

// phi returns the refs of a phi: those that aren't on all edges are marked maybe.
func (f *function) phi(v *ssa.Phi) (list []ref) {
	var ways [][]ref
	for _, e := range v.Edges {
		refs := f.is(e)
		if _, ok := e.(*ssa.Const); ok || e == ssa.Value(v) {
			continue // nothing
		}
		if _, seen := f.values[e]; !seen && e.Parent() == f.fn {
			if i, ok := e.(ssa.Instruction); ok && v.Block().Dominates(i.Block()) {
				continue // not known yet, or the same again
			}
		}
		ways = append(ways, refs)
	}
	for _, refs := range ways {
		for _, r := range refs {
			same := func(x ref) bool { return x.root == r.root && !x.maybe }
			for _, other := range ways {
				r.maybe = r.maybe || !slices.ContainsFunc(other, same)
			}
			list = append(list, r)
		}
	}
	return list
}
