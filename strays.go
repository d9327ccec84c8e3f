package arena

import (
	"cmp"
	"reflect"
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/inspect"
	"github.com/harena-go/arena/internal/memory"
	"github.com/harena-go/arena/internal/walk"
)

// This file looks for strays: pointers in a self-contained arena to what may be
// freed, since the GC doesn't see them. It does so for arenas with CheckObjects,
// which know of which type each value is, in programs with arenatest.
//
//	(1) Before values die, all of them are walked by their types. What a pointer
//	    may lead to is nearly always found out at once: an object of the same
//	    arena or its parent's, something that KeepAlive was given, or the
//	    program's constants and variables (see static).
//	(2) Only if pointers remain, the heap is dumped. It has the objects, and what
//	    is reached from those that KeepAlive was given.
//	(3) Pointers to other objects, or to where none is any more, are reported.
//
// What Alloc and Realloc have returned isn't walked: it has no type.

// A stray is a pointer that may be one.
type stray struct {
	arena  *Arena
	chunk  *memory.Chunk
	offset uintptr
	to     uintptr
}

// A strayKind is what is reported once.
type strayKind struct {
	typ    reflect.Type
	offset uintptr // in the value
	stack  pcs     // that allocated it
}

// A survey is one look at an arena and its children.
type survey struct {
	walker walk.Walker
	lands  map[*Arena]*land
	found  []stray
}

const (
	// walksPerObject is how many objects may be walked, or listed, for each that
	// is allocated: a Rewind of little in a large arena isn't preceded by a look at
	// all of it each time. What dies unseen then is only a part of such an arena.
	walksPerObject = 8

	// maxStrays is how many kinds are reported for an arena.
	maxStrays = 100
)

func init() {
	inspect.Strays = func(a any, last bool) error {
		err := a.(*Arena).findStrays(0, 0, true)
		if w := a.(*Arena).watch(); w != nil {
			w.looked = last
		}
		return err
	}
	inspect.OnStray = func(f func(inspect.Stray)) any {
		return optionFunc(func(c *config) { c.onStray = &f })
	}
}

// watchesStrays says whether somebody wants to know of strays in the arena.
func (a *Arena) watchesStrays() bool {
	return a.watch().objects() && a.owner != nil && inspect.Places != nil &&
		(a.config.onStray != nil || inspect.All.Load() != nil)
}

// lookForStrays is called before big chunks from the given one on die, and
// children that were born after a serial number. Locals of a Shared are looked
// at when that is reset: until then others use what they may point to.
func (a *Arena) lookForStrays(first int, born uint64) {
	if a.shared == nil && a.watchesStrays() && !a.watch().looked {
		_ = a.findStrays(first, born, false) // without a dump nothing is known
	}
}

// findStrays reports the strays in these chunks and children. If it isn't
// thorough it does nothing where that would cost too much.
func (a *Arena) findStrays(first int, born uint64, thorough bool) error {
	if a.idle() || !a.watchesStrays() {
		return nil
	}
	if !thorough && !a.watch().affords(a) {
		return nil
	}
	s := survey{lands: map[*Arena]*land{}}
	s.walk(a, first, born)
	if len(s.found) == 0 || !thorough && !takeDump() {
		return nil
	}
	return s.judge()
}

// takeDump takes one of the dumps of the heap that arenatest allows for before
// Reset and the like, so that correct programs, in which KeepAlive is given maps,
// aren't slowed down by a dump for each Reset.
func takeDump() bool {
	if inspect.Dumps.Add(-1) >= 0 {
		return true
	}
	inspect.Dumps.Add(1)
	return false
}

// affords pays for a walk through the arena and its family, if it can.
func (w *watch) affords(a *Arena) bool {
	cost := 0
	for p := a; p != nil; p = p.family.parent {
		cost += len(p.plain.Big())
	}
	if cost > w.credit {
		return false
	}
	w.credit -= cost
	return true
}

// walk finds the pointers of an arena and of its children that need a second look.
func (s *survey) walk(a *Arena, first int, born uint64) {
	l := s.land(a)
	objects := a.plain.Big()
	for i := first; i < len(objects); i++ {
		c := &objects[i]
		t, n := siteOf(c).values()
		if siteOf(c).elem == nil || n == 0 {
			continue
		}
		s.walker.Values(t, c.Mem, n, func(offset, to uintptr) {
			if !static.holds(to) && !l.holds(to) {
				s.found = append(s.found, stray{a, c, offset, to})
			}
		})
	}
	for c := range a.family.children {
		if c.family.born > born {
			s.walk(c, 0, 0)
		}
	}
}

// judge has the rest of the pointers looked up in a dump of the heap, and
// reports the strays.
func (s *survey) judge() error {
	addrs := make([]uintptr, len(s.found))
	for i, f := range s.found {
		addrs[i] = f.to
	}
	var kept []uintptr
	var own []inspect.Block
	for _, l := range s.lands {
		for i := range l.kept {
			kept = append(kept, uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&l.kept[i]))[1])) // fact 9
		}
		for _, o := range l.objects {
			own = append(own, inspect.Block{Addr: o.start, Size: o.end - o.start})
		}
	}
	slices.SortFunc(own, func(a, b inspect.Block) int { return cmp.Compare(a.Addr, b.Addr) })
	places, err := inspect.Places(addrs, kept, own)
	if err != nil {
		return err
	}
	s.report(places)
	return nil
}

// report tells of the strays, once of each kind.
func (s *survey) report(places []inspect.Place) {
	more := map[strayKind]int{}
	var first []int
	for i, f := range s.found {
		switch places[i].Kind {
		case inspect.Static:
			static.learn(f.to)
		case inspect.OnHeap, inspect.Gone:
			k := f.kind()
			if w := f.arena.watch(); !w.strays[k] && len(w.strays) < maxStrays {
				if w.strays == nil {
					w.strays = map[strayKind]bool{}
				}
				w.strays[k] = true
				first = append(first, i)
			}
			more[k]++
		}
	}
	for _, i := range first {
		f := s.found[i]
		f.report(places[i], more[f.kind()]-1)
	}
}

func (f *stray) kind() strayKind {
	site := siteOf(f.chunk)
	t, _ := site.values()
	return strayKind{t, f.offset % t.Size(), site.stack}
}

func (f *stray) report(p inspect.Place, more int) {
	site := siteOf(f.chunk)
	t, _ := site.values()
	i, offset := f.offset/t.Size(), f.offset%t.Size()
	e := inspect.Stray{
		Arena:     f.arena.config.name,
		Type:      site.String(),
		Field:     site.String(),
		Target:    walk.Target(t, unsafe.Add(f.chunk.Mem, i*t.Size()), offset, p.First), // fact 11
		Size:      p.Size,
		More:      more,
		Allocated: site.stack.frames(),
	}
	if site.what == many {
		e.Field += "[" + utoa(i) + "]"
	}
	e.Field += walk.Path(t, offset)
	if h := f.arena.config.onStray; h != nil {
		(*h)(e)
	} else if all := inspect.All.Load(); all != nil {
		(*all)(e)
	}
}
