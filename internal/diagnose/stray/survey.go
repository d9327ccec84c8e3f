// Package stray looks for hidden pointers: pointers in a self-contained arena to memory that may be freed, since the GC
// doesn't see them. It works in programs with arenatest, for arenas in which each allocation has a chunk of its own,
// labelled with the type of the value. It depends on chunks, their labels, and the relations between arenas. It must
// not depend on its callers.
//
//	(1) Before values die, all of them are walked by their types. The target of
//	    a pointer is nearly always found at once: an object of the same arena or
//	    its parent's, something that KeepAlive was given, or the program's
//	    constants and variables (see static).
//	(2) Only if pointers remain, the heap is dumped. The dump has the objects, and
//	    shows which ones are reached from those that KeepAlive was given.
//	(3) Pointers to other objects, or to freed ones, are reported.
//
// Memory from Alloc and Realloc isn't walked: it has no type.
package stray

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/engine/walk"
	"github.com/harena-go/arena/internal/tuning"
)

// An Arena is the package's view of an arena. Arenas are compared with ==, as keys of maps. The goroutine that has the
// arena calls all methods.
type Arena interface {
	Name() string
	Plain() *memory.Region           // all of its memory; each big chunk has one object
	Kept() []any                     // values given to KeepAlive
	Left() ([]memory.Chunk, []any)   // objects of former locals, and the values that they kept
	Header() Span                    // the arena itself, which its values keep alive
	Parent() Arena                   // nil if there is none
	Children(yield func(Arena) bool) // the youngest first
	Born() uint64                    // the serial number of its birth
	IsLocal() bool                   // values may point to its siblings' values
	Fresh() int                      // objects allocated since the last call
	Record() *Record
	Handler() *func(inspect.Stray) // nil without a handler of its own

	// ReclaimedAt returns the reclaimed allocation at an address and its arena; site is nil if there is none.
	ReclaimedAt(addr uintptr, gone bool) (arena string, site *watch.Site, by *watch.Stack)
}

// A Record is the package's memory of an arena between looks.
type Record struct {
	credit   int           // objects that may be walked
	reported map[kind]bool // kinds of pointers
	looked   bool          // at all present values
}

// SetLooked records whether all present values have been examined. The next look then has nothing to do, unless
// something was allocated since.
func (n *Record) SetLooked(yes bool) { n.looked = yes }

// A pointer may be hidden: it leads out of the reachable memory. It is at offset in the chunk of an arena. Its target
// is an address, so that the survey itself keeps nothing alive.
type pointer struct {
	arena  Arena
	chunk  *memory.Chunk
	offset uintptr
	to     uintptr
}

// A kind of pointers is reported once: a loop that stores the same hidden pointer a thousand times is one mistake.
type kind struct {
	typ    reflect.Type
	offset uintptr     // in the value
	stack  watch.Stack // of the allocation
}

// A survey is one look at an arena and its children. It is made, used and dropped while the arena's goroutine waits.
type survey struct {
	walker    walk.Walker
	reachable map[Arena]*reachable
	found     []pointer
}

// Look reports the hidden pointers in the objects of a from first on, and in all children born after a serial number.
// Those objects die next. It does nothing if all was examined, or if it would cost too much. For the locals of a Shared
// it is too early: other locals still use objects to which they may point. Objects before first stay valid, and are
// examined when they die.
func Look(a Arena, first int, born uint64) {
	n := a.Record()
	if fresh := a.Fresh(); fresh > 0 {
		n.looked = false
		n.credit += fresh * tuning.WalksPerObject
	}
	if n.looked || !n.affords(a) {
		return
	}
	s := survey{reachable: map[Arena]*reachable{}}
	s.walk(a, first, born)
	if len(s.found) > 0 && takeDump() {
		_ = s.lookUp() // without a dump nothing is known
	}
}

// LookAtAll reports all hidden pointers of a and its children, at any cost. It returns an error if they can't be found
// out. It takes a heap dump only if a pointer needs one.
func LookAtAll(a Arena) error {
	s := survey{reachable: map[Arena]*reachable{}}
	s.walk(a, 0, 0)
	if len(s.found) == 0 {
		return nil
	}
	return s.lookUp()
}

// takeDump uses up one of the heap dumps that arenatest allows before Reset and the like. They are limited so that
// correct programs that give maps to KeepAlive don't pay for a dump at each Reset. Goroutines may call it concurrently:
// one that makes the counter negative corrects it.
func takeDump() bool {
	if inspect.Dumps.Add(-1) >= 0 {
		return true
	}
	inspect.Dumps.Add(1)
	return false
}

// affords reports whether the credit covers a walk through the arena and its family, and pays for it. If not, nothing
// is paid, and the credit grows.
func (n *Record) affords(a Arena) bool {
	cost := 0
	for ; a != nil; a = a.Parent() {
		cost += len(a.Plain().Big())
	}
	if cost > n.credit {
		return false
	}
	n.credit -= cost
	return true
}

// walk finds the pointers of an arena and of its children that need a second look. It leaves out objects of unknown
// type, and objects before first, which stay valid.
func (s *survey) walk(a Arena, first int, born uint64) {
	l := s.of(a)
	objects := a.Plain().Big()
	for i := first; i < len(objects); i++ {
		c := &objects[i]
		site := watch.SiteOf(c)
		t, n := site.Values()
		if site.Elem == nil || n == 0 || site.Moved() {
			continue
		}
		s.walker.Values(t, c.Mem, n, func(offset, to uintptr) {
			if !static.holds(to) && !l.allows(to) {
				s.found = append(s.found, pointer{a, c, offset, to})
			}
		})
	}
	for c := range a.Children {
		if c.Born() > born {
			s.walk(c, 0, 0)
		}
	}
}

// lookUp looks up the remaining pointers in a heap dump, and reports the hidden ones. The dump needs the values given
// to KeepAlive, as pointers to memory reached from them are correct, and the spans of the arenas' own objects.
func (s *survey) lookUp() error {
	addrs := make([]uintptr, len(s.found))
	for i, f := range s.found {
		addrs[i] = f.to
	}
	var kept []uintptr
	var own []inspect.Block
	for _, l := range s.reachable {
		for i := range l.kept {
			kept = append(kept, uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&l.kept[i]))[1])) // fact 9
		}
		for _, o := range l.objects {
			own = append(own, inspect.Block{Addr: o.Start, Size: o.End - o.Start})
		}
	}
	slices.SortFunc(own, func(a, b inspect.Block) int { return cmp.Compare(a.Addr, b.Addr) })
	// Only addresses are passed: a pointer among them would be found in the dump.
	places, err := inspect.Places(addrs, kept, own)
	if err != nil {
		return err
	}
	s.report(places)
	return nil
}

// report reports each kind of hidden pointers once, with the number of further ones. It counts first, as the number is
// known only at the end.
func (s *survey) report(places []inspect.Place) {
	more := map[kind]int{}
	var first []int
	for i, f := range s.found {
		switch places[i].Kind {
		case inspect.Static:
			static.learn(f.to)
		case inspect.OnHeap, inspect.Gone:
			k := f.kind()
			if n := f.arena.Record(); !n.reported[k] && len(n.reported) < tuning.MaxKinds {
				if n.reported == nil {
					n.reported = map[kind]bool{}
				}
				n.reported[k] = true
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

// kind returns the kind: elements of a slice have the same field at the same offset.
func (f *pointer) kind() kind {
	site := watch.SiteOf(f.chunk)
	t, _ := site.Values()
	return kind{t, f.offset % t.Size(), site.Stack}
}

// report passes a pointer, with the number of others of its kind, to the arena's handler or else to the one for all
// arenas.
func (f *pointer) report(p inspect.Place, more int) {
	site := watch.SiteOf(f.chunk)
	t, _ := site.Values()
	i, offset := f.offset/t.Size(), f.offset%t.Size()
	e := inspect.Stray{
		Arena:     f.arena.Name(),
		Type:      site.String(),
		Field:     site.String(),
		Target:    walk.Target(t, unsafe.Add(f.chunk.Mem, i*t.Size()), offset, p.First), // fact 11
		Size:      p.Size,
		More:      more,
		Allocated: site.Stack.Frames(),
		Owner:     ownerOf(f.arena, f.to, p.Kind == inspect.Gone),
	}
	if site.What == watch.Many {
		e.Field += "[" + strconv.FormatUint(uint64(i), 10) + "]"
	}
	e.Field += walk.Path(t, offset)
	if h := f.arena.Handler(); h != nil {
		(*h)(e)
	} else if all := inspect.All.Load(); all != nil {
		(*all)(e)
	}
}
