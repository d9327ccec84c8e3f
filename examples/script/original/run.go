package script

import (
	"fmt"
	"io"
)

// An interp runs one program once.
type interp struct {
	out     io.Writer
	globals []any
	frame   []any // the variables of the function that runs
	result  any   // of return
	buf     []byte
	depth   int
	steps   int // of loops and calls
}

// maxSteps is how many turns of loops and calls a script may have.
const maxSteps = 1_000_000

// A signal says how a block ended.
type signal uint8

const (
	done signal = iota
	left
	again
	returned
)

func (in *interp) step(line int) {
	if in.steps++; in.steps > maxSteps {
		fail(line, "this takes too long")
	}
}

func (in *interp) block(body []stmt) signal {
	for _, s := range body {
		if how := in.do(s); how != done {
			return how
		}
	}
	return done
}

func (in *interp) do(s stmt) signal {
	switch s := s.(type) {
	case *assign:
		in.set(s.to, in.eval(s.value))
	case *choice:
		if truth(in.eval(s.test)) {
			return in.block(s.then)
		}
		return in.block(s.else_)
	case *while:
		for truth(in.eval(s.test)) {
			in.step(0)
			if how := in.block(s.body); how == returned {
				return how
			} else if how == left {
				break
			}
		}
	case *each:
		return in.each(s)
	case *back:
		in.result = nil
		if s.value != nil {
			in.result = in.eval(s.value)
		}
		return returned
	case *jump:
		return s.how
	default:
		in.eval(s)
	}
	return done
}

// each runs a loop over the items of a list, or the keys of a dict, that there are when it begins.
func (in *interp) each(s *each) signal {
	var items []any
	var keys []string
	switch over := in.eval(s.over).(type) {
	case *List:
		items = over.Items
	case *Dict:
		keys = over.Keys
	default:
		fail(s.line, "%s has no items", kindOf(over))
	}
	for i := range max(len(items), len(keys)) {
		in.step(s.line)
		if keys != nil {
			in.set(s.at, keys[i])
		} else {
			in.set(s.at, items[i])
		}
		if how := in.block(s.body); how == returned {
			return how
		} else if how == left {
			break
		}
	}
	return done
}

func (in *interp) set(to expr, v any) {
	switch to := to.(type) {
	case *local:
		in.frame[to.slot] = v
	case *global:
		in.globals[to.slot] = v
	case *index:
		switch x := in.eval(to.x).(type) {
		case *List:
			*item(x, in.eval(to.at), to.line) = v
		case *Dict:
			x.Set(want[string](to.line, in.eval(to.at)), v)
		default:
			fail(to.line, "%s has no items", kindOf(x))
		}
	}
}

// item returns where an item of a list is.
func item(l *List, at any, line int) *any {
	i := want[int64](line, at)
	if i < 0 || i >= int64(len(l.Items)) {
		fail(line, "there is no item %d of %d", i, len(l.Items))
	}
	return &l.Items[i]
}

func (in *interp) eval(x expr) any {
	switch x := x.(type) {
	case *constant:
		return x.value
	case *local:
		return in.frame[x.slot]
	case *global:
		return in.globals[x.slot]
	case *not:
		return !truth(in.eval(x.x))
	case *negated:
		return -want[int64](x.line, in.eval(x.x))
	case *binary:
		return in.binary(x)
	case *index:
		switch v := in.eval(x.x).(type) {
		case *List:
			return *item(v, in.eval(x.at), x.line)
		case *Dict:
			return v.Get(want[string](x.line, in.eval(x.at)))
		default:
			fail(x.line, "%s has no items", kindOf(v))
		}
	case *call:
		return in.call(x)
	case *listOf:
		l := &List{make([]any, len(x.items))}
		for i, item := range x.items {
			l.Items[i] = in.eval(item)
		}
		return l
	case *dictOf:
		d := NewDict(len(x.keys))
		for i, key := range x.keys {
			d.Set(key, in.eval(x.values[i]))
		}
		return d
	}
	panic(fmt.Sprintf("no expression: %T", x))
}

func (in *interp) call(x *call) any {
	in.step(x.line)
	if in.depth++; in.depth > maxDepth {
		fail(x.line, "calls are too deep")
	}
	fn := in.eval(x.fn)
	switch fn := fn.(type) {
	case *Func:
		if len(x.args) != fn.params {
			fail(x.line, "%s wants %d values, not %d", fn.name, fn.params, len(x.args))
		}
		frame := make([]any, fn.slots)
		for i, arg := range x.args {
			frame[i] = in.eval(arg)
		}
		around := in.frame
		in.frame = frame
		how := in.block(fn.body)
		in.frame = around
		in.depth--
		if how == returned {
			return in.result
		}
		return nil
	case *builtin:
		if len(x.args) != fn.args {
			fail(x.line, "%s wants %d values, not %d", fn.name, fn.args, len(x.args))
		}
		args := make([]any, len(x.args))
		for i, arg := range x.args {
			args[i] = in.eval(arg)
		}
		in.depth--
		return fn.call(in, x.line, args)
	}
	fail(x.line, "%s can't be called", kindOf(fn))
	return nil
}

func (in *interp) binary(x *binary) any {
	v := in.eval(x.x)
	switch x.op {
	case or:
		return truth(v) || truth(in.eval(x.y))
	case and:
		return truth(v) && truth(in.eval(x.y))
	}
	w := in.eval(x.y)
	switch x.op {
	case eq:
		return v == w
	case ne:
		return v != w
	}
	if v, ok := v.(string); ok {
		return in.texts(x, v, want[string](x.line, w))
	}
	n, m := want[int64](x.line, v), want[int64](x.line, w)
	switch x.op {
	case lt:
		return n < m
	case le:
		return n <= m
	case gt:
		return n > m
	case ge:
		return n >= m
	case add:
		return n + m
	case sub:
		return n - m
	case mul:
		return n * m
	}
	if m == 0 {
		fail(x.line, "division by 0")
	}
	if x.op == div {
		return n / m
	}
	return n % m
}

func (in *interp) texts(x *binary, s, t string) any {
	switch x.op {
	case lt:
		return s < t
	case le:
		return s <= t
	case gt:
		return s > t
	case ge:
		return s >= t
	case add:
		if len(s)+len(t) > maxText {
			fail(x.line, "a text is too long")
		}
		return s + t
	}
	fail(x.line, "texts can't be subtracted, multiplied or divided")
	return nil
}

func truth(v any) bool { return v != nil && v != false }
