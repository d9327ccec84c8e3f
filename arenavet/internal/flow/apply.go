package flow

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// apply takes a state past a call of a function that is known by its summary.
// all are the arguments, and what the function has captured.
func (f *function) apply(s *state, i ssa.CallInstruction, sum *Summary, all []value, deferred bool) value {
	f.spend(len(sum.Results) + len(sum.Stores) + len(sum.Uses))
	for _, x := range sum.Uses {
		f.used(s, i, f.follow(s, x, all), "is used by the function that is called")
	}
	for _, x := range sum.Touches {
		if r := f.resolve(f.follow(s, x, all), nil); r != nil {
			f.share(s, i, r, "call")
		}
	}
	for _, x := range sum.Needs {
		f.touch(s, i, f.follow(s, x, all), "call")
	}
	if sum.Waits {
		f.wait(s)
	}
	if sum.Polls {
		f.poll(s)
	}
	if sum.Locks {
		f.summary.Locks = true
	}
	for _, x := range sum.Stops {
		f.stops(s, f.follow(s, x, all))
	}
	if sum.Unknown {
		f.unknownCall(s, all)
		return f.result(i)
	}
	keep := f.keep(s, i, all)
	for _, x := range sum.Clears {
		f.assign(s, i, x, all, nil, true)
	}
	for _, k := range sum.Kills {
		f.kill(s, i, k, all, deferred)
	}
	all = f.take(s, keep, len(all))
	for n, x := range sum.Replaces {
		r := f.root(fmt.Sprintf("replaced %p %d", i, n), unknownArena)
		r.site = i
		f.assign(s, i, x, all, value{tag{kind: handle, root: r}: nil}, true)
	}
	for _, c := range sum.Calls {
		if c.Param < len(all) {
			f.pkg.doing(all[c.Param], c.Arg)
			f.lend(s, i, all[c.Param], c.Arg)
		}
	}
	for _, p := range sum.Pending {
		f.pend(s, i, p, all)
	}
	for _, g := range sum.Gives {
		for t, d := range f.reach(s, f.follow(s, g.What, all)) {
			if t.kind == mem && d == nil {
				s.pending[pending{at: i, root: t.root, site: t.site, what: pendingKind(g.How)}] = true
			} else if t.kind == ptr {
				f.give(s, i, t, pendingKind(g.How))
			}
		}
	}
	for _, x := range sum.Stores {
		v := f.flowing(s, i, x.Flow, all)
		if path, rest, deep := strings.Cut(x.Flow.Out, "*"); deep {
			l := f.fresh(i, fmt.Sprint(x.Into, path))
			f.put(s, i, cell{l, rest}, v, nil, false, 0)
			v = value{tag{kind: ptr, loc: l, path: path}: nil}
		} else {
			v = v.as(path)
		}
		f.assign(s, i, x.Into, all, v, false)
	}
	return f.results(s, i, sum, all)
}

// unknownCall takes a state past a call that may do anything. What is in memory
// that it knows may be something else afterwards.
func (f *function) unknownCall(s *state, all []value) {
	reached := map[*loc]bool{}
	for _, v := range all {
		for t := range f.reach(s, v) {
			if t.kind == ptr {
				reached[t.loc] = true
			}
		}
	}
	for c := range s.cells {
		for l := c.loc; l != nil; l = l.from {
			if reached[l] || l.sym != nil && l.sym.Param < 0 {
				delete(s.cells, c)
				break
			}
		}
	}
}

// keep puts values where they die with all others.
func (f *function) keep(s *state, i ssa.Instruction, vs []value) *loc {
	l := f.fresh(i, "args")
	for n, v := range vs {
		s.set(cell{l, fmt.Sprintf(".%d", n)}, v)
	}
	return l
}

// take takes them out again.
func (f *function) take(s *state, l *loc, n int) []value {
	vs := make([]value, n)
	for n := range vs {
		c := cell{l, fmt.Sprintf(".%d", n)}
		vs[n] = s.cells[c]
		delete(s.cells, c)
	}
	return vs
}

func (f *function) kill(s *state, i ssa.CallInstruction, k Kill, all []value, deferred bool) {
	r := f.resolve(f.follow(s, k.Root, all), nil)
	if r == nil {
		return
	}
	var at value
	if k.Mark >= 0 && k.Mark < len(all) {
		at = all[k.Mark].part(".arena")
	}
	f.end(s, r, f.death(i, k.Verb, deferred), at)
}

func (f *function) pend(s *state, i ssa.CallInstruction, p Pending, all []value) {
	r := f.resolve(f.follow(s, p.Root, all), nil)
	if r == nil || r.shared {
		return
	}
	q := pending{at: i, root: r, what: pendingKind(p.What)}
	if p.Memory {
		q.site = i
	}
	s.pending[q] = true
}

// assign puts a value where a name leads to.
func (f *function) assign(s *state, i ssa.Instruction, into sym, all []value, v value, strong bool) {
	n := strings.LastIndexByte(into.Path, '*')
	if n < 0 || v == nil && !strong {
		return
	}
	p := f.follow(s, sym{into.Param, into.Global, into.Path[:n]}, all)
	if into.Param < 0 && n == 0 {
		p = f.follow(s, sym{-1, into.Global, ""}, all)
	}
	one := 0
	for t := range p {
		if t.kind == ptr && t.path == "" {
			one++
		}
	}
	for t := range p {
		if t.kind == ptr && t.path == "" && (!strong || one == 1) {
			f.put(s, i, cell{t.loc, t.off + into.Path[n+1:]}, v, nil, strong, 0)
		}
	}
}

// flowing returns what a Flow brings.
func (f *function) flowing(s *state, i ssa.CallInstruction, x Flow, all []value) value {
	switch x.Kind {
	case Same:
		return f.follow(s, x.From, all)
	case Memory:
		v := value{tag{kind: ptr, loc: f.fresh(i, x.Out)}: nil}
		if r := f.resolve(f.follow(s, x.From, all), nil); r != nil {
			v[tag{kind: mem, root: r, site: i}] = nil
		}
		return v
	case New, Lent:
		return value{tag{kind: handle, root: f.made(i, x)}: nil}
	case MemoryNew:
		return value{tag{kind: ptr, loc: f.fresh(i, x.Out)}: nil, tag{kind: mem, root: f.made(i, x), site: i}: nil}
	case Dead:
		r := f.root(fmt.Sprintf("over %p", i), opaque)
		d := f.death(i, x.Verb, false)
		d.do = true
		return value{tag{kind: mem, root: r, site: i}: d}
	case DeadArena:
		r := f.root(fmt.Sprintf("over %p", i), opaque)
		d := f.death(i, x.Verb, false)
		d.do = true
		return value{tag{kind: handle, root: r}: d}
	}
	return nil
}

// made returns the arena that a callee has made.
func (f *function) made(i ssa.CallInstruction, x Flow) *root {
	kind := newArena
	if x.Kind == Lent || x.Verb == "lent" {
		kind = lent
	}
	r := f.root(fmt.Sprintf("made %p %d", i, x.ID), kind)
	r.site, r.unsure = i, true
	return r
}

// results returns the result of a call.
func (f *function) results(s *state, i ssa.CallInstruction, sum *Summary, all []value) value {
	v := i.Value()
	if v == nil {
		return nil
	}
	for _, x := range sum.Results {
		if x.Kind == New || x.Kind == Lent {
			f.renewMade(s, i, x)
		}
	}
	tuple := v.Call.Signature().Results().Len() > 1
	var out value
	known := map[string]bool{}
	inner := []Flow{}
	for _, x := range sum.Results {
		path, rest, deep := strings.Cut(x.Out, "*")
		if deep {
			_ = rest
			inner = append(inner, x)
			continue
		}
		known[path[:min(2, len(path))]] = true
		y := f.flowing(s, i, x, all)
		if !tuple {
			path = path[2:]
		}
		for t, d := range y.as(path) {
			out = out.with(t, d)
		}
	}
	brought := make([]value, len(inner))
	for n, x := range inner {
		brought[n] = f.flowing(s, i, x, all)
	}
	for _, x := range inner {
		path, _, _ := strings.Cut(x.Out, "*")
		f.forget(s, f.fresh(i, path))
	}
	for n, x := range inner {
		path, rest, _ := strings.Cut(x.Out, "*")
		l := f.fresh(i, path)
		f.put(s, i, cell{l, rest}, brought[n], nil, false, 0)
		if !tuple {
			path = path[2:]
		}
		out = out.with(tag{kind: ptr, loc: l, path: path}, nil)
	}
	for t, d := range f.result(i) {
		if tuple && len(t.path) >= 2 && known[t.path[:2]] || !tuple && len(out) > 0 {
			continue
		}
		out = out.with(t, d)
	}
	return out
}

func (f *function) renewMade(s *state, i ssa.CallInstruction, x Flow) {
	r := f.made(i, x)
	old := f.root("older "+r.key, older)
	old.site = i
	f.spend(len(s.vals) + len(s.cells))
	s.each(func(t tag, d *death) (tag, *death) {
		if t.root == r {
			t.root = old
		}
		return t, d
	})
}
