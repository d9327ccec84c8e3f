package state

import (
	"go/types"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/shape"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file holds what is put into memory. A store is strong if it is known to be
// to one place: what was there is gone. Otherwise it is weak: what was there may be
// there still (Chase, Wegman and Zadeck, PLDI 1990).
//
//	p.x = v     strong if p is one pointer; weak if p may be several
//	s[i] = v    weak: all elements are one cell
//	m[k] = v    weak
//	*p = v      of a struct: a store to each of its fields
//
// A Loc may stand for many objects, and a store changes only one of them. That is
// ignored: most often the newest is meant, and what the others hold is forgotten. It
// loses findings. But with weak stores each pointer that a loop sets anew would give a
// wrong finding.

// Numbered is the path to the n-th part of what has no names for them.
func Numbered(n int) string { return "." + strconv.Itoa(n) }

// Store puts a value of a type where an address leads to. An address in memory that
// is dead leads nowhere: the store was reported already. The store is strong if
// there is only one address that it may be.
func (s *State) Store(i ssa.Instruction, addr, v Value, t types.Type) {
	one := addr.pointers() == 1 || len(v) == 0 // code that empties one of several knows which one; see Put
	for _, e := range addr {
		if t0 := &e.node.Tag; t0.Is(Ptr) && e.death == nil {
			s.Put(i, Cell{t0.Loc, t0.Off}, v, t, one)
		}
	}
}

// pointers is how many pointers a value may be.
func (v Value) pointers() int {
	n := 0
	for _, e := range v {
		if e.node.Is(Ptr) {
			n++
		}
	}
	return n
}

// Put puts a value of a type into a cell, in place of what is there if strong is
// set and it is known to be just that one: an element is one of many. A nil type
// stands for any.
func (s *State) Put(i ssa.Instruction, c Cell, v Value, t types.Type, strong bool) {
	s.put(i, c, v, t, strong, 0)
}

func (s *State) put(i ssa.Instruction, c Cell, v Value, t types.Type, strong bool, depth int) {
	if depth > maxNested || len(c.Path) > summary.MaxPath || t != nil && !shape.HasPointers(t) {
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
	// Here the cell is one of its own, not made of parts.
	s.note(i, c, v)
	// Only now can what was there be forgotten.
	if strong && !Several(c.Path) {
		if v == nil {
			v = Value{}
		}
		s.Set(c, v)
		return
	}
	// A weak store. What was in unknown memory has to be spelled out before
	// something is added to it: from now on the cell is known.
	old, ok := s.Known(c)
	if !ok && c.Loc.decoded {
		old = s.decoded(c, t)
	} else if !ok && c.Loc.Unknown {
		old = s.initial(c)
	}
	s.Spend(1)
	s.Set(c, s.merge(old, v, true))
}

// note remembers who has put memory, a function, or a context's arena, into a cell, for
// messages to point there.
func (s *State) note(i ssa.Instruction, c Cell, v Value) {
	for n := range v {
		t := &v[n].node.Tag
		if t.Kind != Mem && t.Kind != Func && (t.Kind != Handle || !t.Root.Lent) {
			continue
		}
		x := s.cell(c)
		x.puts, s.stored = noted(x.puts, t, i), true
	}
}

// noted adds to what was put into a cell. Of a tag that was put there before, the last
// one counts.
func noted(puts []Put, t *Tag, by ssa.Instruction) []Put {
	for n := range puts {
		if q := &puts[n]; q.Tag == *t {
			q.By = by
			return puts
		}
	}
	return append(puts, Put{*t, by})
}

// Assign puts a value where a name leads to, given the arguments: to what the last pointer on
// the way points to. A name without a pointer is that of a copy, which the caller doesn't see.
// A strong assignment to what may be several places does nothing, unless it is of nothing: it
// can't replace what is there, and only a weak assignment adds to it.
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

// Make returns new memory, which an instruction makes in place of what it has made
// before. What an earlier turn of a loop has made is the same Loc, and gets empty:
// what still points to that, which is rare, points to the new one from now on.
func (s *State) Make(i ssa.Instruction, part string) *Loc {
	l := s.Fresh(i, part)
	s.Empty(l)
	return l
}

// Empty empties memory that is made anew.
func (s *State) Empty(l *Loc) {
	for _, c := range l.cells {
		s.cells.remove(c.number, &c.at)
	}
}

// Keep puts values where they die with all others, as long as a call takes.
// Arguments that are held in variables of the analysis only would stay alive when
// the callee resets an arena.
func (s *State) Keep(i ssa.Instruction, vs []Value) *Loc {
	l := s.Fresh(i, "args")
	for n, v := range vs {
		x := s.cell(Cell{l, Numbered(n)})
		s.cells.set(x.number, &x.at, x, v)
	}
	return l
}

// Take takes them out again, in the order in which they were put in, and leaves
// nothing behind.
func (s *State) Take(l *Loc, n int) []Value {
	vs := make([]Value, n)
	for n := range vs {
		x := s.cell(Cell{l, Numbered(n)})
		vs[n], _ = s.cells.get(x.number, &x.at)
		s.cells.remove(x.number, &x.at)
	}
	return vs
}

// Clobber forgets what is in memory that values lead to, and in globals: something
// about which nothing is known may have changed it. Memory that is reached through a
// name of the caller's is named after it (From), so that it is enough to look at
// names.
func (s *State) Clobber(vs []Value) {
	reached := map[*Loc]bool{}
	for _, v := range vs {
		s.Walk(v, map[*Loc]bool{}, func(_ Cell, t Tag, _ *Death) {
			if t.Kind == Ptr {
				reached[t.Loc] = true
			}
		})
	}
	s.cells.keep(func(r *row[*cell]) bool {
		// What is behind a pointer in memory that may have changed isn't what it was,
		// either.
		for l := r.key.Loc; l != nil; l = l.From {
			if reached[l] || l.Sym != nil && l.Sym.Param < 0 {
				return false
			}
		}
		return true
	})
}

// large is from how many tags on it pays to remember what was done with a value. Where containers
// lead to each other most cells hold one of a few, of hundreds of tags, and get the same one added.
const large = 12

// A merged is a question to Replace or Join.
type merged struct {
	v, w       *entry
	lenV, lenW int
	replaces   bool
}

// merge is v.Join(w), or v.Replace(w), which it remembers of large values.
func (p *Places) merge(v, w Value, replaces bool) Value {
	do := func() Value {
		if replaces {
			return v.Replace(w)
		}
		u, _ := v.Join(w)
		return u
	}
	if len(v) == 0 || len(w) == 0 || len(v)+len(w) < large {
		return do()
	}
	key := merged{&v[0], &w[0], len(v), len(w), replaces}
	u, ok := p.merges[key]
	if !ok {
		p.Spend(len(v) + len(w))
		if u = do(); !u.same(v) {
			u = p.known(u)
		}
		p.merges[key] = u
	}
	return u
}

// known returns the value that is the same as v and was there first.
func (p *Places) known(v Value) Value {
	hash := uint64(len(v))
	for n := range v {
		hash = (hash ^ v[n].order) * 0x9E3779B97F4A7C15
		hash ^= hash >> 29
	}
	for _, u := range p.values[hash] {
		if slices.EqualFunc(u, v, func(d, e entry) bool {
			return d.death == e.death && (d.node == e.node || d.node.Tag == e.node.Tag)
		}) {
			return u
		}
	}
	p.values[hash] = append(p.values[hash], v)
	return v
}
