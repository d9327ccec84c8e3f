package flow

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// This file holds how arenas end, and what happens to their memory.

// resolve returns the arena that a value is, or nil if it is none.
func (f *function) resolve(v value, from ssa.Value) *root {
	var roots []*root
	for t := range v {
		if t.kind == handle && t.path == "" && !slices.Contains(roots, t.root) {
			roots = append(roots, t.root)
		}
	}
	switch len(roots) {
	case 1:
		return roots[0]
	case 0:
		return f.resolveAddress(v, from)
	}
	slices.SortFunc(roots, func(a, b *root) int { return strings.Compare(a.key, b.key) })
	key := "any"
	for _, r := range roots {
		key += " " + r.key
	}
	r := f.root(key, anyOf)
	r.members = roots
	return r
}

// resolveAddress is resolve for an arena that is a part of a variable.
func (f *function) resolveAddress(v value, from ssa.Value) *root {
	var one *tag
	for t := range v {
		if t.kind != ptr || t.path != "" {
			continue
		}
		if one != nil {
			return nil
		}
		one = &t
	}
	if one == nil {
		return nil
	}
	r := f.root("at "+one.loc.key+one.off, unknownArena)
	r.sym, r.name = one.loc.sym.add(one.off+"&"), one.loc.name+one.off
	if from != nil {
		r.shared = api.TypeOf(from.Type()) == api.Shared
		if r.object == nil {
			r.object = holder(from)
		}
	}
	return r
}

// within says whether r ends with outer.
func within(r, outer *root) bool {
	for ; r != nil; r = r.parent {
		if r == outer {
			return true
		}
	}
	return false
}

// death returns the death that an instruction brings.
func (f *function) death(at ssa.Instruction, verb string, deferred bool) *death {
	key := fmt.Sprintf("%p %s %v", at, verb, deferred)
	d := f.pkg.deaths[key]
	if d == nil {
		d = &death{at: at, verb: verb, deferred: deferred}
		f.pkg.deaths[key] = d
	}
	return d
}

// takeBack takes a state past Reset, Rewind, Put and Free.
func (f *function) takeBack(s *state, i ssa.CallInstruction, k *api.Func, from, at value, deferred bool) {
	r := f.resolve(from, api.Arg(i.Common(), k.From))
	if r == nil {
		return
	}
	if k.Verb == api.Put || k.Verb == api.Rewind {
		f.touch(s, i, from, k.Name)
	} else {
		f.share(s, i, r, k.Name)
		if over(from) {
			return
		}
	}
	switch k.Verb {
	case api.Rewind:
		f.checkMark(s, i, r, at)
	case api.Put:
		f.checkPool(s, i, r, api.Arg(i.Common(), k.Pool))
	}
	f.end(s, r, f.death(i, verbOf(k.Name), deferred), at)
}

// over says whether an arena has ended already, so that Reset and Free do nothing.
func over(v value) bool {
	for t, d := range v {
		if t.kind == handle && t.path == "" && d != nil && d.verb != "Pool.Put" {
			return true
		}
	}
	return false
}

// checkMark reports a mark that Rewind refuses.
func (f *function) checkMark(s *state, i ssa.CallInstruction, r *root, at value) {
	for t, d := range at {
		switch {
		case t.kind != mark:
		case d != nil && !f.contradiction(d.at, i):
			f.report(s, UseAfter, i, d, tag{kind: handle}, fmt.Sprintf("Rewind: the mark is stale after %s %s", d.verb, f.where(d.at)))
		case t.root != r && made(t.root) && (made(r) || r.sym != nil):
			f.report(s, UseAfter, i, nil, tag{}, "Rewind: the mark is of another arena")
		}
	}
}

// made says whether this function has made an arena.
func made(r *root) bool {
	return r.site != nil && (r.kind == newArena || r.kind == lent || r.kind == child)
}

// checkPool reports an arena that Put refuses.
func (f *function) checkPool(s *state, i ssa.CallInstruction, r *root, pool ssa.Value) {
	p := f.resolve(f.value(s, pool), nil)
	switch {
	case r.kind == child && made(r), r.kind == newArena && made(r) && !r.unsure:
		f.report(s, UseAfter, i, nil, tag{}, "Put: the arena isn't from a pool")
	case r.pool != nil && p != nil && p != r.pool && made(p) && made(r.pool):
		f.report(s, UseAfter, i, nil, tag{}, "Put: the arena is from another pool")
	}
}

func verbOf(name string) string {
	if name == "Pool.Put" {
		return name
	}
	return name[strings.IndexByte(name, '.')+1:]
}

// end ends the life of what r has handed out, since a mark if there is one, and
// of r itself if d is more than a Reset.
func (f *function) end(s *state, r *root, d *death, at value) {
	since, known := f.since(s, r, d, at)
	if !known {
		return
	}
	f.record(s, r, d, at)
	f.pendingAt(s, r, d)
	freed := d.verb == "Free"
	f.spend(len(s.vals) + len(s.cells))
	s.each(func(t tag, old *death) (tag, *death) {
		if old != nil || t.root == nil || !within(t.root, r) || since != nil && since(t) {
			return t, old
		}
		switch t.kind {
		case mem:
			if freed && !t.root.scrub {
				return t, nil
			}
			return t, d
		case handle:
			if t.root != r || d.verb == "Pool.Put" || freed || d.do {
				return t, d
			}
		case mark:
			return t, d
		}
		return t, old
	})
	if r.kind == anyOf && (d.verb == "Pool.Put" || freed) {
		f.endEither(s, r, d)
	}
	if c := f.calls[r]; d.verb != "Free" {
		for _, x := range c {
			if !slices.Contains(f.summary.Calls, x) {
				f.summary.Calls = append(f.summary.Calls, x)
			}
		}
	}
}

// endEither ends an arena that is one of several, in the values that may be all
// of them.
func (f *function) endEither(s *state, r *root, d *death) {
	change := func(v value) value {
		if len(v) < 2 || f.resolve(v, nil) != r {
			return v
		}
		v = v.clone()
		for t, old := range v {
			if t.kind == handle && old == nil {
				v[t] = d
			}
		}
		return v
	}
	for k, v := range s.vals {
		s.vals[k] = change(v)
	}
	for k, v := range s.cells {
		s.cells[k] = change(v)
	}
}

// since returns what is older than the mark of a Rewind. Nothing is known of a
// mark that comes from elsewhere.
func (f *function) since(s *state, r *root, d *death, at value) (older func(tag) bool, known bool) {
	if d.verb != "Rewind" {
		return nil, true
	}
	marks, param := []ssa.Instruction{}, false
	for t := range at {
		switch {
		case t.kind == mark && t.root == r:
			marks = append(marks, t.site)
		case t.kind == ptr && t.loc.sym != nil && t.loc.sym.Param >= 0:
			param = true
		}
	}
	if len(marks) == 0 && !param {
		return nil, false
	}
	return func(t tag) bool {
		if t.kind == handle && t.root == r || param && t.site == nil {
			return true
		}
		for _, m := range marks {
			if s.before[m][bare(t)] {
				return true
			}
		}
		return false
	}, true
}

// record notes for callers what has ended.
func (f *function) record(s *state, r *root, d *death, at value) {
	if r.object != nil && d.verb != "Free" && d.verb != "Rewind" {
		f.pkg.resettable[r.object] = true
	}
	if r.sym == nil || d.do {
		return
	}
	k := Kill{Root: *r.sym, Verb: d.verb, Mark: -1}
	if d.verb == "Rewind" {
		for t := range at {
			if t.kind == ptr && t.loc.sym != nil && t.loc.sym.Param >= 0 && t.loc.sym.Path == ".arena*" {
				k.Mark = t.loc.sym.Param
			}
		}
		if k.Mark < 0 {
			return // a mark of its own: the caller's memory is older
		}
	}
	s.may, s.must = maps.Clone(s.may), maps.Clone(s.must)
	if s.may == nil {
		s.may = map[Kill]bool{}
	}
	if s.must == nil {
		s.must = map[Kill]bool{}
	}
	s.may[k], s.must[k] = true, true
}

// touch is the use of an arena itself, to allocate or take back. The arena must
// not have ended, and no other goroutine may be using it.
func (f *function) touch(s *state, i ssa.Instruction, from value, name string) {
	for t, d := range from {
		if t.kind != handle || t.path != "" {
			continue
		}
		if t.root.sym != nil {
			add(&f.summary.Needs, *t.root.sym)
		}
		if d != nil && !f.contradiction(d.at, i) {
			f.report(s, UseAfter, i, d, t, fmt.Sprintf("%s: the arena is used after %s %s", short(name), d.verb, f.where(d.at)))
		}
	}
	if r := f.resolve(from, nil); r != nil {
		f.share(s, i, r, name)
	}
}

func short(name string) string { return name[strings.IndexByte(name, '.')+1:] }
