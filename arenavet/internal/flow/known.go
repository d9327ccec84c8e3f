package flow

import (
	"fmt"
	"go/constant"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// known takes a state past a call of package arena.
func (f *function) known(s *state, i ssa.CallInstruction, k *api.Func, args []value, deferred bool) value {
	c := i.Common()
	arg := func(n int) value {
		v := api.Arg(c, n)
		if v == nil {
			return nil
		}
		return f.value(s, v)
	}
	from := arg(k.From)
	switch k.Verb {
	case api.NewArena, api.NewPool, api.NewShared, api.Get, api.Local, api.Child:
		return f.obtain(s, i, k, from)
	case api.FromContext:
		return f.fromContext(i, from)
	case api.NewContext:
		v := arg(k.Alias).clone()
		for t, d := range from {
			if t.kind == handle {
				t.path = "@ctx"
				v[t] = d
			}
		}
		return v
	case api.For:
		f.touch(s, i, from, k.Name)
		return from.only(func(t tag) bool { return t.kind == handle })
	case api.Alloc:
		return f.allocates(s, i, k, c, arg)
	case api.KeepAlive, api.MakeMark:
		f.touch(s, i, from, k.Name)
		if k.Verb == api.MakeMark {
			return f.mark(s, i, from)
		}
	case api.Reset, api.Rewind, api.Put, api.Free:
		f.takeBack(s, i, k, from, arg(k.Mark), deferred)
	case api.Do:
		return f.does(s, i, arg(k.Func))
	case api.Clone:
		return f.cloned(s, i, from)
	case api.DeepClone:
		f.usedArgs(s, i, c, args)
	case api.Harmless:
		if k.Name == "Arena.Reserve" {
			f.touch(s, i, from, k.Name)
		}
	}
	return nil
}

// obtain returns a new arena, or Shared.
func (f *function) obtain(s *state, i ssa.CallInstruction, k *api.Func, from value) value {
	kind := map[api.Verb]rootKind{api.Get: lent, api.Local: child, api.Child: child}[k.Verb]
	if kind == unknownArena {
		kind = newArena
	}
	r := f.renew(s, i, kind)
	if kind == child {
		f.touch(s, i, from, k.Name)
		r.parent = f.resolve(from, api.Arg(i.Common(), k.From))
	}
	r.shared = k.Verb == api.NewShared || k.Verb == api.NewPool
	r.scrub = f.pkg.scrubs(i.Common())
	if kind == lent {
		r.pool = f.resolve(from, nil)
	}
	return value{tag{kind: handle, root: r}: nil, tag{kind: ptr, loc: f.loc(r.key+"*", nil, true)}: nil}
}

// renew returns the root that an instruction makes. What it has made before,
// in a loop, is another one from now on.
func (f *function) renew(s *state, i ssa.Instruction, kind rootKind) *root {
	key := fmt.Sprintf("made %p", i)
	r := f.root(key, kind)
	r.site = i
	old := f.root("older "+key, older)
	old.site, old.parent, old.shared = i, r.parent, r.shared
	f.spend(len(s.vals) + len(s.cells))
	s.each(func(t tag, d *death) (tag, *death) {
		if t.root == r {
			t.root = old
		}
		return t, d
	})
	for p := range s.pending {
		if p.root == r {
			delete(s.pending, p)
		}
	}
	return r
}

func (f *function) fromContext(i ssa.CallInstruction, ctx value) value {
	if v := ctx.part("@ctx"); v != nil {
		return v
	}
	return f.result(i)
}

// allocates returns memory of an arena.
func (f *function) allocates(s *state, i ssa.CallInstruction, k *api.Func, c *ssa.CallCommon, arg func(int) value) value {
	from := arg(k.From)
	f.touch(s, i, from, k.Name)
	if k.Into >= 0 {
		f.used(s, i, arg(k.Into), "is used")
	} else {
		f.usedOthers(s, i, k, c)
	}
	f.used(s, i, arg(k.Alias), "is appended to")
	v := i.Value()
	if v == nil {
		return nil
	}
	r := f.resolve(from, api.Arg(c, k.From))
	l := f.fresh(i, "")
	path, t := "", v.Type()
	if tuple, ok := t.(*types.Tuple); ok {
		path, t = "#0", tuple.At(0).Type()
	}
	f.fill(s, i, k, arg, l, t)
	x := value{tag{kind: ptr, loc: l}: nil}
	if r != nil && !f.nothing(k, c, t) {
		x[tag{kind: mem, root: r, site: i}] = nil
	}
	if a := arg(k.Alias); a != nil {
		x, _ = x.join(a)
	}
	return x.as(path)
}

// nothing says whether what is allocated takes no memory.
func (f *function) nothing(k *api.Func, c *ssa.CallCommon, t types.Type) bool {
	if e := elem(t); e != nil {
		return sizeless(e)
	}
	x, ok := api.Arg(c, 1).(*ssa.Const)
	return ok && k.Name == "Arena.AllocString" && x.Value != nil && constant.StringVal(x.Value) == ""
}

// fill puts into new memory what the call is told to.
func (f *function) fill(s *state, i ssa.CallInstruction, k *api.Func, arg func(int) value, l *loc, t types.Type) {
	e := elem(t)
	if e == nil || !hasPointers(e) {
		f.forget(s, l)
		return
	}
	var items value
	if k.Alias >= 0 {
		items = f.loadAll(s, arg(k.Alias), "[]", e)
	}
	if k.Elems {
		items, _ = items.join(f.loadAll(s, arg(k.Into), "[]", e))
	}
	f.forget(s, l)
	if items != nil {
		f.put(s, i, cell{l, "[]"}, items, e, false, 0)
	} else if k.Into >= 0 {
		f.put(s, i, cell{l, ""}, arg(k.Into), e, true, 0)
	}
}

// mark returns a mark, and notes what is older than that.
func (f *function) mark(s *state, i ssa.CallInstruction, from value) value {
	r := f.resolve(from, api.Arg(i.Common(), 0))
	if r == nil {
		return nil
	}
	f.spend(len(s.vals) + len(s.cells))
	old := map[tag]bool{}
	note := func(v value) {
		for t, d := range v {
			if d == nil && (t.kind <= handle || t.kind == mark) {
				old[bare(t)] = true
			}
		}
	}
	for _, v := range s.vals {
		note(v)
	}
	for _, v := range s.cells {
		note(v)
	}
	s.before[i] = old
	f.renewMark(s, i)
	old[bare(tag{kind: mark, root: r, site: i})] = true // Rewind doesn't end its own mark
	return value{tag{kind: mark, root: r, site: i, path: ".arena"}: nil}
}

// renewMark forgets what was known of earlier marks of the same call.
func (f *function) renewMark(s *state, i ssa.Instruction) {
	for k, v := range s.vals {
		s.vals[k] = v.only(func(t tag) bool { return t.kind != mark || t.site != i })
	}
	for k, v := range s.cells {
		if x := v.only(func(t tag) bool { return t.kind != mark || t.site != i }); len(x) < len(v) {
			s.cells[k] = x
		}
	}
}

// bare is a tag without its place in a value.
func bare(t tag) tag { return tag{kind: t.kind, root: t.root, site: t.site} }

// does takes a state past Pool.Do.
func (f *function) does(s *state, i ssa.CallInstruction, fn value) value {
	f.pkg.doing(fn, 0)
	f.lend(s, i, fn, 0)
	return f.result(i)
}

// lend calls functions with an arena as argument n that ends with the call.
func (f *function) lend(s *state, i ssa.CallInstruction, fn value, n int) {
	for _, t := range targetsOf(fn) {
		sum := f.pkg.summary(t.fn)
		if sum == nil {
			continue
		}
		all := f.all(s, t, nil)
		if n := n + t.hidden(); n < len(all) {
			r := f.root(fmt.Sprintf("lent %p", i), opaque)
			r.site = i
			all[n] = value{tag{kind: handle, root: r}: nil}
		}
		f.apply(s, i, sum, all, false)
	}
}

// cloned is a shallow copy on the heap.
func (f *function) cloned(s *state, i ssa.CallInstruction, from value) value {
	f.used(s, i, from, "is cloned")
	if i.Value() == nil {
		return nil
	}
	e := elem(i.Value().Type())
	if e == nil || !hasPointers(e) {
		return nil
	}
	path := ""
	if _, ok := i.Value().Type().Underlying().(*types.Slice); ok {
		path = "[]"
	}
	l := f.fresh(i, "")
	f.forget(s, l)
	f.put(s, i, cell{l, path}, f.loadAll(s, from, path, e), e, true, 0)
	return value{tag{kind: ptr, loc: l}: nil}
}
