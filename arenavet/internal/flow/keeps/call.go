package keeps

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file applies the effects of callees.

// call processes a call.
func (f *function) call(i ssa.CallInstruction) {
	c := i.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		f.builtin(i, b.Name(), c.Args)
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
	arg := code.Argument(i, x.Param)
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
