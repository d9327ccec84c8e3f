package flow

import "golang.org/x/tools/go/ssa"

// This file holds what containers of the standard library do: they keep what
// they are given, in a part of them that inside leads to.

const inside = "[in]"

// keepers are methods that keep an argument in their receiver, by number.
var keepers = map[string]int{
	"(*container/list.List).PushFront":     1,
	"(*container/list.List).PushBack":      1,
	"(*container/list.List).InsertBefore":  1,
	"(*container/list.List).InsertAfter":   1,
	"container/heap.Push":                  1,
	"(*sync.Map).Store":                    2,
	"(*sync.Map).LoadOrStore":              2,
	"(*sync.Map).Swap":                     2,
	"(*sync.Pool).Put":                     1,
	"(*sync/atomic.Pointer[T]).Store":      1,
	"(*sync/atomic.Pointer[T]).Swap":       1,
	"(*sync/atomic.Value).Store":           1,
	"(*sync/atomic.Value).Swap":            1,
	"(*bytes.Reader).Reset":                1,
	"(*strings.Reader).Reset":              1,
	"(*container/list.List).PushBackList":  1,
	"(*container/list.List).PushFrontList": 1,
}

// emptiers let go of what their receiver keeps.
var emptiers = map[string]bool{
	"(*container/list.List).Init":     true,
	"(*container/list.List).Remove":   true,
	"(*sync.Map).Delete":              true,
	"(*sync.Map).Clear":               true,
	"(*sync/atomic.Pointer[T]).Store": true,
	"(*sync/atomic.Pointer[T]).Swap":  true,
	"(*sync/atomic.Value).Store":      true,
	"(*sync/atomic.Value).Swap":       true,
}

// yielders return what their receiver keeps.
var yielders = map[string]bool{
	"(*sync.Map).Load":               true,
	"(*sync.Pool).Get":               true,
	"(*sync/atomic.Pointer[T]).Load": true,
	"(*sync/atomic.Value).Load":      true,
}

// contains takes a state past a call of a container's method, and says whether
// it is one.
func (f *function) contains(s *state, i ssa.CallInstruction, name string, args []value) (value, bool) {
	n, keeps := keepers[name]
	if len(args) == 0 || !keeps && !emptiers[name] && !yielders[name] {
		return nil, false
	}
	for t := range args[0] {
		if t.kind != ptr || t.path != "" {
			continue
		}
		c := cell{t.loc, t.off + inside}
		if emptiers[name] {
			s.set(c, value{})
		}
		if keeps && n < len(args) {
			f.put(s, i, c, args[n], nil, false, 0)
		}
	}
	if !yielders[name] || i.Value() == nil {
		return f.result(i), true
	}
	v := f.content(s, args[0], inside)
	if i.Value().Call.Signature().Results().Len() > 1 {
		v = v.as("#0")
	}
	return v, true
}

// holds returns a value that is like v, and holds x, such as a context.
func (f *function) holds(s *state, i ssa.CallInstruction, v, x value) value {
	l := f.fresh(i, "")
	f.forget(s, l)
	f.put(s, i, cell{l, inside}, x, nil, false, 0)
	w := v.clone()
	w[tag{kind: ptr, loc: l}] = nil
	return w
}

// panics looks at the value that leaves a function that Do calls.
func (f *function) panics(s *state, i *ssa.Panic) {
	n, ok := f.pkg.do[f.fn]
	if !ok || n >= len(f.fn.Params) {
		return
	}
	r := f.resolve(s.vals[f.fn.Params[n]], nil)
	if r == nil {
		return
	}
	for t := range f.reach(s, f.value(s, i.X)) {
		if t.kind == mem && within(t.root, r) {
			f.report(s, Escape, i, nil, t, "arena memory leaves Do with a panic")
		}
	}
}
