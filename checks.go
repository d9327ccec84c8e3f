package arena

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/harena-go/arena/internal/asan"
	"github.com/harena-go/arena/internal/block"
	"github.com/harena-go/arena/internal/fill"
	"github.com/harena-go/arena/internal/inspect"
	"github.com/harena-go/arena/internal/memory"
)

// This file holds what a checked arena does: it doesn't use memory again that it
// takes back, but watches whether it dies. judge.go finds out, escape.go tells.

// Checks says how an arena looks for misuse; see [WithChecks].
type Checks uint8

const (
	// CheckResets makes Reset, Rewind, Put and the end of a child give up their
	// memory instead of using it again, and report as an [Escape] what is still
	// referenced after three GC cycles. What is in such memory stays as it was,
	// so that a misuse is found, but does no harm. The runtime may keep a stopped
	// timer, and what its function refers to, until it would have fired; that
	// counts as a reference. What a self-contained arena takes back is not reported as
	// long as values of its freed children are in use, which may point there, or if a
	// local of a Shared was freed with values before the Reset. Allocating costs the
	// same as in other arenas; giving up a chunk costs some microseconds, and
	// taking a new one what the Go heap takes. It suits production, for one
	// arena in many: see [WithCheckRate].
	CheckResets Checks = 1 << iota

	// CheckObjects, which includes CheckResets, allocates everything by itself
	// and notes its call stack, so that the report names the type and the line.
	// What is taken back is overwritten: pointers with addresses at which
	// the program faults, lengths with 219, other bytes with 0xDB; who writes to
	// it is found too. It is for tests: allocating takes microseconds.
	CheckObjects
)

// WithChecks makes the arena a checked one, which finds uses of what it has
// taken back, as [OnEscape] reports. 0 is none.
func WithChecks(c Checks) Option {
	if c&^(CheckResets|CheckObjects) != 0 {
		panic("arena: WithChecks: unknown checks " + utoa(uintptr(c)) + "; CheckResets and CheckObjects are possible")
	}
	return optionFunc(func(o *config) { o.checks = c })
}

// A watch is what a checked arena has in addition to others.
type watch struct {
	checks Checks
	number uint // of the arena
	times  uint // that memory was taken back

	// What is being allocated: a nil pointer to the type, if it is known.
	zero any
	what shape

	suspects []suspect // what was taken back, and the judge doesn't know of yet

	credit int                // how many objects may be walked; see strays.go
	strays map[strayKind]bool // that were reported
	looked bool               // all strays were
}

// A shape says what an allocation is for.
type shape uint8

const (
	single shape = iota // one value
	many                // the elements of a slice
	text
	raw
)

// A site is an allocation.
type site struct {
	elem  reflect.Type // nil if it is unknown
	what  shape
	size  uintptr // bytes asked for
	room  uintptr // and those that it got, with what alignment took
	stack pcs
}

// A suspect is a block that should die, since what was in it has been taken back.
type suspect struct {
	block weak.Pointer[byte]
	size  uintptr
	site  *site // nil without CheckObjects

	// What it was overwritten with, with CheckObjects.
	trap unsafe.Pointer

	elem reflect.Type // of a slab's chunk; else nil
	all  bool         // of a self-contained arena: all that was taken back at a time

	leash weak.Pointer[leash] // by which others may hold it rightly
}

// watches counts checked arenas.
var watches atomic.Uint32

func newWatch(c Checks) *watch {
	return &watch{checks: c, number: uint(watches.Add(1))}
}

// objects says whether everything is allocated by itself. Unchecked arenas have no
// watch.
func (w *watch) objects() bool { return w != nil && w.checks&CheckObjects != 0 }

// expect is told what will be allocated next.
func (w *watch) expect(zero any, what shape) {
	if w != nil {
		w.zero, w.what = zero, what
	}
}

// site returns the allocation of size bytes that was expected.
func (w *watch) site(size, room uintptr) *site {
	s := &site{what: w.what, size: size, room: room}
	w.credit += walksPerObject
	w.looked = false
	if w.zero != nil {
		s.elem = reflect.TypeOf(w.zero).Elem()
	}
	if s.what == single {
		s.size = s.elem.Size() // without padding
	}
	runtime.Callers(4, s.stack[:])
	return s
}

// suspectChunks is called when chunks were given up.
func (w *watch) suspectChunks(r *memory.Region, gone []memory.Chunk) {
	for i := range gone {
		w.suspects = append(w.suspects,
			suspect{block: weak.Make((*byte)(gone[i].Mem)), size: gone[i].Total, elem: r.Type()})
	}
}

// suspectGeneration is called when all chunks that o keeps were given up.
func (w *watch) suspectGeneration(o *owner) {
	if len(o.chunks) > 0 && !w.objects() {
		p := (*byte)(unsafe.Pointer(o))
		w.suspects = append(w.suspects, suspect{block: weak.Make(p), size: o.bytes, all: true})
	}
}

// scribble overwrites what was given up, in an arena with CheckObjects. owned says that
// the chunks are those of a self-contained arena.
func (w *watch) scribble(gone []memory.Chunk, owned bool) {
	trap := fill.Trap(w.number, w.times)
	for i := range gone {
		c := &gone[i]
		if owned {
			block.SetOwner(c.Mem, nil)
		}
		asan.Unpoison(c.Mem, c.Size)
		site := siteOf(c)
		s := suspect{block: weak.Make((*byte)(c.Mem)), size: site.size, site: site, trap: trap}
		s.scribble(c.Mem, !owned)
		w.suspects = append(w.suspects, s)
	}
}

// siteOf returns the allocation that has a chunk of its own.
func siteOf(c *memory.Chunk) *site { return (*site)(c.Label) }

// scribble fills a dead block, which is at p. scanned says whether the GC looks
// into it.
func (s *suspect) scribble(p unsafe.Pointer, scanned bool) {
	switch t, n := s.site.values(); {
	case n == 0:
	case scanned:
		fill.Dead(t, p, n, s.trap)
	default:
		fill.DeadUnscanned(t, p, n, s.trap)
	}
}

// touched says whether somebody has written to the dead block at p.
func (s *suspect) touched(p unsafe.Pointer) bool {
	t, n := s.site.values()
	return n > 0 && !fill.Untouched(t, p, n, s.trap)
}

// values returns what the allocation holds, n values of a type.
func (s *site) values() (t reflect.Type, n int) {
	if s.elem == nil {
		return reflect.TypeFor[byte](), int(s.room)
	}
	if size := s.elem.Size(); size > 0 {
		return s.elem, int(s.size / size)
	}
	return s.elem, 0
}

// indict returns a trial of what was taken back, if it is to be watched. The caller's
// stack is that of the call that took it back.
func (w *watch) indict(a *Arena) *trial {
	if w == nil || len(w.suspects) == 0 {
		return nil
	}
	t := &trial{name: a.config.name, handler: a.config.onEscape, suspects: w.suspects}
	runtime.Callers(3, t.stack[:])
	w.suspects = nil
	if w.objects() {
		endings.note(ending{t.name, uintptr(fill.Trap(w.number, w.times)), t.stack})
	}
	w.times++
	return t
}

// An ending is a call that took memory back.
type ending struct {
	name  string // of the arena
	trap  uintptr
	stack pcs
}

// endings remembers the last calls, oldest first, that took memory back in
// arenas with CheckObjects: to explain a fault, when the arena may be gone.
var endings endingList

type endingList struct {
	mu   sync.Mutex
	list []ending
}

// maxEndings is how many there are.
const maxEndings = 256

func (l *endingList) note(e ending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) >= maxEndings {
		l.list = slices.Delete(l.list, 0, maxEndings/4)
	}
	l.list = append(l.list, e)
}

// of returns those of arenas with a name.
func (l *endingList) of(name string) (list []inspect.Ending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.list {
		if e.name == name {
			list = append(list, inspect.Ending{Trap: e.trap, Place: callSite(e.stack.frames())})
		}
	}
	return list
}

func init() {
	inspect.Freed = func(a any) bool { return a.(*Arena).over() }
	inspect.Endings = endings.of
	inspect.Lent = func(pool any) []string { return pool.(*Pool).lent() }
}

// lent returns the stacks of the calls of Get of those arenas with CheckObjects
// that were neither put back nor freed.
func (p *Pool) lent() (stacks []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.leases {
		if l.taken != nil && l.turns.Load()%2 == 1 {
			stacks = append(stacks, stackText(l.taken.frames()))
		}
	}
	return stacks
}
