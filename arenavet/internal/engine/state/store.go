package state

import (
	"go/types"
	"maps"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
)

// This file stores into memory. A store to a single known place is strong: it replaces the old value. Otherwise it is
// weak: the old value may still be there (Chase, Wegman and Zadeck, PLDI 1990).
//
//	p.x = v     strong if p is one pointer; weak if p may be several
//	s[i] = v    weak: all elements are one cell
//	m[k] = v    weak
//	*p = v      of a struct: a store to each of its fields
//
// A Loc may stand for many objects, and a store changes only one of them. That is ignored: usually the newest is meant,
// and the others' contents are dropped. It loses findings. But with weak stores each pointer that a loop sets anew
// would give a wrong finding.

// Numbered is the path to the n-th part of a value whose parts have no names.
func Numbered(n int) string { return "." + strconv.Itoa(n) }

// Store stores a value of a type at an address. A dead address is skipped: the store was reported already. The store is
// strong if the address has one target.
func (s *State) Store(i ssa.Instruction, addr, v Value, t types.Type) {
	one := addr.pointers() == 1 || len(v) == 0 // code that clears one of several places knows which; see Put
	for _, e := range addr {
		if t0 := &e.node.Tag; t0.Is(Ptr) && e.death == nil {
			s.Put(i, Cell{t0.Loc, t0.Off}, v, t, one)
		}
	}
}

// pointers returns the number of pointers that a value may be.
func (v Value) pointers() int {
	n := 0
	for _, e := range v {
		if e.node.Is(Ptr) {
			n++
		}
	}
	return n
}

// Put stores a value of a type into a cell. It replaces the old value if strong is set and the cell stands for one
// place: an element is one of many. A nil type stands for any.
func (s *State) Put(i ssa.Instruction, c Cell, v Value, t types.Type, strong bool) {
	s.put(i, c, v, t, strong, 0)
}

func (s *State) put(i ssa.Instruction, c Cell, v Value, t types.Type, strong bool, depth int) {
	if depth > maxNested || len(c.Path) > summary.MaxPath || t != nil && !shape.HasPointers(t) || c.Loc.text {
		return
	}
	if strong && c.Loc.decoded && !strings.HasSuffix(c.Path, Decoded) {
		if all := (Cell{c.Loc, c.Path + Decoded}); s.In(all) != nil {
			s.Set(all, Value{})
		}
	}
	if t != nil {
		switch u := t.Underlying().(type) {
		case *types.Struct:
			for field := range u.Fields() {
				path := "." + field.Name()
				s.put(i, Cell{c.Loc, c.Path + path}, v.Part(path), field.Type(), strong, depth+1)
			}
			return
		case *types.Array:
			s.put(i, Cell{c.Loc, c.Path + "[]"}, v.Part("[]"), u.Elem(), strong, depth+1)
			return
		}
	}
	// Here the cell has no parts.
	s.note(i, c, v)
	// Only now can the old value go.
	if strong && !Several(c.Path) {
		if v == nil {
			v = Value{}
		}
		s.Set(c, v)
		return
	}
	// A weak store. The initial contents of unknown memory must be made explicit before something is added: from now on
	// the cell is known.
	old, ok := s.Known(c)
	if !ok && c.Loc.decoded {
		old = s.decoded(c, t)
	} else if !ok && c.Loc.Unknown {
		old = s.initial(c)
	}
	s.Spend(1 + (len(old)+len(v))/rowsPerStep)
	s.Set(c, old.Replace(v))
}

// note records the instruction that puts memory, a function, or a context's arena into a cell, for messages.
func (s *State) note(i ssa.Instruction, c Cell, v Value) {
	for n := range v {
		t := &v[n].node.Tag
		if t.Kind != Mem && t.Kind != Func && (t.Kind != Handle || !t.Root.Lent) {
			continue
		}
		s.list(c)
		c.Loc.puts[c.Path], s.stored = noted(c.Loc.puts[c.Path], t, i), true
	}
}

// noted adds a put to a cell's list. A later put of the same tag replaces the earlier one.
func noted(puts []Put, t *Tag, by ssa.Instruction) []Put {
	for n := range puts {
		if q := &puts[n]; q.Tag == *t {
			q.By = by
			return puts
		}
	}
	return append(puts, Put{*t, by})
}

// Assign stores a value at a name, given the arguments: into the target of the last pointer on the path. A name without
// a pointer is that of a copy, which the caller doesn't see. A strong update needs a single target; clearing (nil) also
// works on several.
func (s *State) Assign(i ssa.Instruction, into summary.Sym, all []Value, v Value, strong bool) {
	n := strings.LastIndexByte(into.Path, '*')
	if n < 0 || v == nil && !strong {
		return
	}
	p := s.Follow(summary.Sym{Param: into.Param, Global: into.Global, Path: into.Path[:n]}, all)
	one := p.pointers() == 1
	for _, e := range p {
		t := &e.node.Tag
		if !t.Is(Ptr) || strong && !one && v != nil {
			continue
		}
		if c := (Cell{t.Loc, t.Off + into.Path[n+1:]}); v == nil { // also all elements, which the callee has cleared
			s.Set(c, Value{})
		} else if !s.Decodes(i, c, v) {
			s.Put(i, c, v, nil, strong)
		}
	}
}

// Make returns the new memory that an instruction makes. Memory of an earlier loop iteration is the same Loc and is
// cleared: pointers to it, which are rare, point to the new one from now on.
func (s *State) Make(i ssa.Instruction, part string) *Loc {
	l := s.Fresh(i, part)
	s.Empty(l)
	return l
}

// Empty empties memory that is made anew.
func (s *State) Empty(l *Loc) {
	for _, path := range l.Paths {
		delete(s.cells, Cell{l, path})
	}
}

// Keep stores values for the time of a call, so that ends reach them. Arguments in variables of the analysis would stay
// alive when the callee resets an arena.
func (s *State) Keep(i ssa.Instruction, vs []Value) *Loc {
	l := s.Fresh(i, "args")
	for n, v := range vs {
		s.Set(Cell{l, Numbered(n)}, v)
	}
	return l
}

// Take returns the values in the order in which Keep stored them, and removes them.
func (s *State) Take(l *Loc, n int) []Value {
	vs := make([]Value, n)
	for n := range vs {
		c := Cell{l, Numbered(n)}
		vs[n] = s.cells[c]
		delete(s.cells, c)
	}
	return vs
}

// Clobber drops the contents of memory reachable from values, and of globals, since unknown code may have changed them.
// Memory that is reached through a caller's name is named after it (From), so comparing names is enough.
func (s *State) Clobber(vs []Value) {
	reached := map[*Loc]bool{}
	for _, v := range vs {
		s.Walk(v, map[*Loc]bool{}, func(_ Cell, t Tag, _ *Death) {
			if t.Kind == Ptr {
				reached[t.Loc] = true
			}
		})
	}
	maps.DeleteFunc(s.cells, func(c Cell, _ Value) bool {
		// Nor is the target of a pointer in such memory the same.
		for l := c.Loc; l != nil; l = l.From {
			if reached[l] || l.Sym != nil && l.Sym.Param < 0 {
				return true
			}
		}
		return false
	})
}
