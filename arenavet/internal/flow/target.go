package flow

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// This file holds which functions a call may call.

// A target is a function that a call may call.
type target struct {
	fn      *ssa.Function
	closure *ssa.MakeClosure // or nil
	bound   bool             // the closure is a method value: it has captured the receiver
}

// hidden is how many arguments the target takes that the caller doesn't see.
func (t target) hidden() int {
	if t.bound {
		return 1
	}
	return 0
}

// targets returns the functions that a call may call, as far as they are known.
func (f *function) targets(s *state, c *ssa.CallCommon) []target {
	if c.IsInvoke() {
		return f.pkg.implementations(c)
	}
	if fn := c.StaticCallee(); fn != nil {
		m, _ := c.Value.(*ssa.MakeClosure)
		return []target{targetOf(fn, m)}
	}
	return targetsOf(f.value(s, c.Value))
}

func targetsOf(v value) []target {
	var ts []target
	for t := range v {
		if t.kind == fn && t.path == "" {
			switch x := t.fn.(type) {
			case *ssa.Function:
				ts = append(ts, targetOf(x, nil))
			case *ssa.MakeClosure:
				ts = append(ts, targetOf(x.Fn.(*ssa.Function), x))
			}
		}
	}
	return ts
}

// targetOf is a function, and the closure that it is the code of.
func targetOf(fn *ssa.Function, m *ssa.MakeClosure) target {
	if obj, ok := fn.Object().(*types.Func); ok && m != nil && fn.Parent() == nil {
		if method := fn.Prog.FuncValue(obj.Origin()); method != nil {
			return target{method, m, true}
		}
	}
	return target{fn, m, false}
}

// all returns what a target's summary counts: its arguments, and what it has
// captured. Without arguments they are unknown.
func (f *function) all(s *state, t target, args []value) []value {
	bs := f.bindings(s, t.closure)
	if args == nil {
		args = make([]value, max(0, len(t.fn.Params)-t.hidden()))
	}
	if t.bound {
		return append(bs, args...)
	}
	return append(args[:len(args):len(args)], bs...)
}

// bindings returns what a closure has captured.
func (f *function) bindings(s *state, m *ssa.MakeClosure) []value {
	if m == nil {
		return nil
	}
	var bs []value
	l := f.fresh(m, "")
	for n := range m.Bindings {
		bs = append(bs, s.cells[cell{l, fmt.Sprintf(".%d", n)}])
	}
	return bs
}

// certain returns what a function does to arenas that all of several do.
func (f *function) certain(sum *Summary, targets []target) *Summary {
	x := *sum
	for _, t := range targets {
		other := f.pkg.summary(t.fn)
		if other == nil {
			other = &Summary{}
		}
		x.Kills = slices.DeleteFunc(slices.Clone(x.Kills), func(k Kill) bool { return !slices.Contains(other.Kills, k) })
		x.Needs = slices.DeleteFunc(slices.Clone(x.Needs), func(n sym) bool { return !slices.Contains(other.Needs, n) })
	}
	return &x
}

// calleeName returns the full name of the function or method that is called,
// "" if that isn't known.
func calleeName(c *ssa.CallCommon) string {
	if c.IsInvoke() {
		return c.Method.FullName()
	}
	fn := c.StaticCallee()
	if fn == nil {
		return ""
	}
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if obj, ok := fn.Object().(*types.Func); ok {
		return obj.FullName()
	}
	return fn.Name()
}

// lends notes that a parameter, a function, is called with an arena.
func (f *function) lends(c *ssa.CallCommon, fn value, args []value) {
	for t := range fn {
		if t.kind != ptr || t.loc.sym == nil || t.loc.sym.Path != "*" {
			continue
		}
		for n, a := range args {
			if !isHandle(c.Args[n].Type()) {
				continue
			}
			if r := f.resolve(a, c.Args[n]); r != nil && r.sym == nil {
				f.calls[r] = append(f.calls[r], CallsFunc{t.loc.sym.Param, n})
			}
		}
	}
}
