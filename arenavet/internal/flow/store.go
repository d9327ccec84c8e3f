package flow

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// This file holds what puts values into memory.

// store puts a value where an address leads to.
func (f *function) store(s *state, i ssa.Instruction, addr, v value, t types.Type) {
	one := 0
	for t := range addr {
		if t.kind == ptr && t.path == "" {
			one++
		}
	}
	for t0, d := range addr {
		if t0.kind == ptr && t0.path == "" && d == nil {
			f.put(s, i, cell{t0.loc, t0.off}, v, t, one == 1, 0)
		}
	}
}

// put puts a value of a type into a cell, in place of what is there if it is
// known to be just that one.
func (f *function) put(s *state, i ssa.Instruction, c cell, v value, t types.Type, strong bool, depth int) {
	if depth > 3 || len(c.path) > maxPath || t != nil && !hasPointers(t) {
		return
	}
	if t != nil {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			for field := range u.Fields() {
				path := "." + field.Name()
				f.put(s, i, cell{c.loc, c.path + path}, v.part(path), field.Type(), strong, depth+1)
			}
			return
		case *types.Array:
			f.put(s, i, cell{c.loc, c.path + "[]"}, v.part("[]"), u.Elem(), strong, depth+1)
			return
		}
	}
	for t := range v {
		if t.kind == mem {
			if f.stored[c] == nil {
				f.stored[c] = map[tag]ssa.Instruction{}
			}
			f.stored[c][t] = i
		}
	}
	if strong && !several(c.path) {
		if v == nil {
			v = value{}
		}
		s.set(c, v)
		return
	}
	old, ok := s.cells[c]
	if !ok && c.loc.unknown {
		old = f.initial(c)
	}
	f.spend(len(old))
	s.set(c, old.replace(v))
}

// several says whether a path may stand for many places.
func several(path string) bool {
	for i := range path {
		if path[i] == '[' {
			return true
		}
	}
	return false
}

func (f *function) mapUpdate(s *state, i *ssa.MapUpdate) {
	key := f.value(s, i.Key)
	f.usedIf(isString(i.Key.Type()), s, i, key)
	for t := range f.value(s, i.Map) {
		if t.kind == ptr && t.path == "" {
			f.put(s, i, cell{t.loc, t.off + "[k]"}, key, i.Key.Type(), false, 0)
			f.put(s, i, cell{t.loc, t.off + "[]"}, f.value(s, i.Value), i.Value.Type(), false, 0)
		}
	}
}

// inChannel is the path to what is in a channel.
const inChannel = "[<-]"

// send puts a value into a channel, from which anybody may take it.
func (f *function) send(s *state, i ssa.Instruction, c, v value, t types.Type) {
	f.used(s, i, v, "is sent")
	for t0 := range v {
		if t0.kind == ptr && t0.loc.sym != nil && t0.loc.sym.Param >= 0 {
			add(&f.summary.Late, t0.loc.sym.Param) // as long as nobody receives it
		}
	}
	for t0 := range c {
		if t0.kind == ptr && t0.path == "" {
			f.put(s, i, cell{t0.loc, t0.off + inChannel}, v, t, false, 0)
		}
	}
	for t0, d := range f.reach(s, v) {
		switch {
		case d != nil:
		case t0.kind == mem:
			s.pending[pending{at: i, root: t0.root, site: t0.site, what: bySend}] = true
		case t0.kind == handle && !t0.root.shared && api.TypeOf(t) == api.Arena:
			s.pending[pending{at: i, root: t0.root, what: bySend}] = true
		case t0.kind == ptr:
			f.give(s, i, t0, bySend)
		}
	}
}
