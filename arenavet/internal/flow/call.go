package flow

import (
	"fmt"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// args returns what the operands of a call are, the receiver first.
func (f *function) args(s *state, c *ssa.CallCommon) []value {
	var args []value
	if c.IsInvoke() {
		args = append(args, f.value(s, c.Value))
	}
	for _, a := range c.Args {
		args = append(args, f.value(s, a))
	}
	return args
}

// call takes a state past a call, and returns the result. deferred says that it
// is made by defer, at the end of the function.
func (f *function) call(s *state, i ssa.CallInstruction, deferred bool) value {
	c := i.Common()
	if b, ok := c.Value.(*ssa.Builtin); ok {
		return f.builtin(s, i, b.Name(), c)
	}
	args := f.args(s, c)
	if known := f.pkg.callee(c); known != nil {
		return f.known(s, i, known, args, deferred)
	}
	name := calleeName(c)
	if waits(name) {
		f.wait(s)
	}
	if polls(name) {
		f.poll(s)
	}
	if locks(name) {
		f.summary.Locks = true
	}
	if n, ok := spawns[name]; ok {
		if n < len(args) {
			what := byGo
			if strings.HasPrefix(name, "net/http") || strings.HasPrefix(name, "(*net/http") {
				what = byHandler
			}
			f.goes(s, i, c.Args[n-shift(c)], nil, what)
		}
		if name == afterFunc {
			return value{tag{kind: ptr, loc: f.fresh(i, "stop")}: nil}
		}
		return f.result(i)
	}
	if !c.IsInvoke() && c.StaticCallee() == nil {
		f.stops(s, f.value(s, c.Value))
		f.lends(c, f.value(s, c.Value), args)
	}
	if v, ok := f.contains(s, i, name, args); ok {
		f.usedArgs(s, i, c, args)
		return v
	}
	switch {
	case name == "context.WithValue" && len(args) == 3:
		return f.holds(s, i, args[0], args[2])
	case name == "runtime.AddCleanup" && len(args) == 3:
		for t, d := range f.reach(s, args[2]) {
			if t.kind == mem && d == nil {
				s.pending[pending{at: i, root: t.root, site: t.site}] = true
			}
		}
	}
	if views, ok := viewOf(name); ok {
		f.usedArgs(s, i, c, args)
		return f.view(s, i, views, args)
	}
	var result value
	applied := false
	targets := f.targets(s, c)
	for _, target := range targets {
		if sum := f.pkg.summary(target.fn); sum != nil {
			if len(targets) > 1 {
				sum = f.certain(sum, targets)
			}
			if target.closure == nil {
				f.usedArgs(s, i, c, args)
			}
			r := f.apply(s, i, sum, f.all(s, target, args), deferred)
			result, _ = result.join(r)
			applied = true
		}
	}
	if applied {
		return result
	}
	f.usedArgs(s, i, c, args)
	f.callbacks(s, i, c, name, args)
	return f.result(i)
}

func shift(c *ssa.CallCommon) int {
	if c.IsInvoke() {
		return 1
	}
	return 0
}

// result returns a result of which nothing is known.
func (f *function) result(i ssa.CallInstruction) value {
	v := i.Value()
	if v == nil {
		return nil
	}
	return f.opaque(fmt.Sprintf("result %p", i), nil, v.Type(), "", 0)
}

// view returns a result that may share memory with an argument.
func (f *function) view(s *state, i ssa.CallInstruction, arg int, args []value) value {
	if i.Value() == nil || arg >= len(args) {
		return nil
	}
	v := args[arg]
	if _, ok := coreStruct(i.Value().Type()); ok {
		return spread(v, i.Value().Type(), 0)
	}
	if t, ok := i.Value().Type().(*types.Tuple); ok {
		var w value
		for n := range t.Len() {
			if hasPointers(t.At(n).Type()) && !types.Identical(t.At(n).Type(), types.Universe.Lookup("error").Type()) {
				w, _ = w.join(v.as(fmt.Sprintf("#%d", n)))
			}
		}
		return w
	}
	e := elem(i.Value().Type())
	if _, ok := i.Value().Type().Underlying().(*types.Signature); ok { // a sequence of views, or of elements
		if _, text := elem(i.Common().Args[arg].Type()).(*types.Basic); elem(i.Common().Args[arg].Type()) != nil && !text {
			return v
		}
		l := f.fresh(i, "")
		f.forget(s, l)
		f.put(s, i, cell{l, "[]"}, v, nil, false, 0)
		return value{tag{kind: ptr, loc: l}: nil}
	}
	if _, ok := i.Value().Type().Underlying().(*types.Slice); !ok || !hasPointers(e) || arg < len(args) && sameElem(i, arg, e) {
		return v
	}
	l := f.fresh(i, "") // a slice of views
	f.forget(s, l)
	f.put(s, i, cell{l, "[]"}, v, e, false, 0)
	return value{tag{kind: ptr, loc: l}: nil}
}

// sameElem says whether an argument is a slice of the same elements.
func sameElem(i ssa.CallInstruction, arg int, e types.Type) bool {
	args := i.Common().Args
	if arg >= len(args) {
		return false
	}
	x := elem(args[arg].Type())
	return x != nil && types.Identical(x, e)
}

// callbacks takes a state past the functions that an unknown function is given,
// if it calls them before it returns.
func (f *function) callbacks(s *state, i ssa.CallInstruction, c *ssa.CallCommon, name string, args []value) {
	for _, a := range args {
		for _, t := range targetsOf(a) {
			loop := strings.HasPrefix(t.fn.Synthetic, "range-over-func")
			if !callsBack(name) && !loop {
				continue
			}
			params := []value(nil)
			if loop { // over views, or elements
				params = []value{f.content(s, f.value(s, c.Value), "[]"), f.content(s, f.value(s, c.Value), "[]")}
				params = params[:min(len(t.fn.Params), 2)]
			}
			if sum := f.pkg.summary(t.fn); sum != nil {
				f.apply(s, i, sum, f.all(s, t, params), false)
			}
		}
	}
}

// deferred notes a call for the end of the function. Its operands are
// evaluated now, but for simplicity their values then are taken.
func (f *function) deferred(s *state, d *ssa.Defer) {
	for n, x := range s.defers {
		if x == d { // in a loop
			s.defers = append(s.defers[:n:n], s.defers[n+1:]...)
			break
		}
	}
	s.defers = append(s.defers, d)
}

// builtin takes a state past a call of a builtin function.
func (f *function) builtin(s *state, i ssa.CallInstruction, name string, c *ssa.CallCommon) value {
	args := f.args(s, c)
	switch name {
	case "append":
		return f.appended(s, i, c, args)
	case "copy":
		f.used(s, i, args[0], "is written to")
		f.used(s, i, args[1], "is used")
		if e := elem(c.Args[1].Type()); e != nil && hasPointers(e) {
			f.store(s, i, args[0].moved("[]"), f.loadAll(s, args[1], "[]", e), e)
		}
	case "delete", "clear":
		f.usedIf(len(args) > 1 && isString(c.Args[len(args)-1].Type()), s, i, args[len(args)-1])
		for t := range args[0] {
			if t.kind == ptr {
				s.set(cell{t.loc, t.off + "[]"}, value{})
				s.set(cell{t.loc, t.off + "[k]"}, value{})
			}
		}
	case "print", "println":
		f.usedArgs(s, i, c, args)
	case "min", "max":
		var v value
		for _, a := range args {
			f.used(s, i, a, "is used")
			v, _ = v.join(a)
		}
		return v
	case "String", "StringData", "Slice", "SliceData", "Add":
		return args[0]
	}
	return nil
}

// appended is the builtin append.
func (f *function) appended(s *state, i ssa.CallInstruction, c *ssa.CallCommon, args []value) value {
	f.used(s, i, args[0], "is appended to")
	result := args[0].clone()
	e := elem(c.Args[0].Type())
	if len(args) > 1 {
		f.used(s, i, args[1], "is used")
		if e != nil && hasPointers(e) {
			l := f.fresh(i, "")
			items, _ := f.loadAll(s, args[0], "[]", e).join(f.loadAll(s, args[1], "[]", e))
			f.forget(s, l)
			f.put(s, i, cell{l, "[]"}, items, e, false, 0)
			result[tag{kind: ptr, loc: l}] = nil
		}
	}
	return result
}
