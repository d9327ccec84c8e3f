package arena

import (
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena/internal/asan"
	"github.com/harena-go/arena/internal/inspect"
	"github.com/harena-go/arena/internal/layout"
)

// An Arena allocates values that live and die together. See the package's
// documentation for the lifetimes that Reset, Rewind and Free give them.
//
// The zero Arena is ready to use and has the default options; NewArena makes
// one with others. A nil *Arena is the Go heap: all allocating functions work
// with it, and Reset, Rewind and Free do nothing. An Arena must not be copied
// after its first use.
//
// An Arena belongs to one goroutine at a time. The values in it may be shared
// like any others.
type Arena struct {
	_ noCopy

	// The memory of values without pointers; in a self-contained arena, of all.
	region

	// self is the arena itself while it may be used without further ado; see
	// check. A zero Arena is not ready, a freed one not usable, a copy another
	// one, and a local of a Shared has to ask each time.
	self  *Arena
	state state

	watch *watch // of a checked arena

	// plainUpTo is up to how many bytes of a type may be pointers for its values
	// to go into the arena's own region: none, or in a self-contained arena any.
	// The others go to slabs.
	plainUpTo uint

	config config

	slabs  []*slab   // in the order in which they were made
	table  []*slab   // the same by type, a hash table of a power of two, half empty
	recent [16]*slab // those from which New took last, by the same hash

	owner *owner // of the chunks of a self-contained arena
	leash *leash // of its children; nil if it has had none
	kept  []any  // what KeepAlive was given

	marks     []mark     // those that Rewind accepts, oldest first
	positions []position // of the slabs at the marks
	serial    uint64     // of the newest mark or child

	budget   *Arena  // the arena whose limit counts: itself, its parent's; or nil
	allow    uintptr // of the budget, what may be handed out until it is counted again
	parent   *Arena  // of a child
	children family
	older    *Arena // siblings, see family
	younger  *Arena
	born     uint64  // parent's serial at the child's birth
	lent     uintptr // in a Pool: what children that have ended have used, since the turn began

	lease   *lease   // of an arena from a Pool, and of its children
	account *account // counts chunks towards the limit of a Pool or a Shared; or nil
	shared  *Shared  // of which this is a local, or a local's child

	sharedLife uint32 // of a local: life of the root

	graves  graves // with the race detector: memory that was taken back
	rewound *owner // of what a Rewind in progress takes back

	highWater uintptr // largest use seen so far; see noteUse
	resets    int
	grown     bool // by a chunk since the last Reset
	ending    bool // all of it is being taken back; see abandon.go
}

// A state says what an arena may be used for.
type state uint8

const (
	live   state = iota // everything; also that of a zero Arena
	freed               // nothing any more, after Free
	ended               // nothing any more, after the end of the parent's life
	pooled              // nothing until Pool.Get hands it out again
)

// noCopy makes go vet report copies of what contains it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// NewArena returns an empty arena. It takes no memory until the first
// allocation. It panics if the options contradict each other.
func NewArena(opts ...Option) *Arena {
	a := &Arena{config: defaults}
	for _, o := range opts {
		o.apply(&a.config)
	}
	a.config.resolve("NewArena")
	a.init()
	return a
}

// init makes a zero Arena, or a new one with its options, ready.
func (a *Arena) init() {
	if a.config == (config{}) {
		a.config = defaults
	}
	a.arena = a
	if a.shared == nil {
		a.self = a
	}
	a.unit = objectAlign
	a.windowless = asan.On || !layout.Trusted || a.guarded()
	a.first = a.config.chunk
	a.next = a.first
	if a.config.limit > 0 {
		a.budget = a
	}
	if inspect.All.Load() != nil {
		a.config.checks |= CheckObjects
	}
	if a.config.checks != 0 {
		a.watch = newWatch(a.config.checks)
	}
	if a.config.noScan {
		a.plainUpTo = ^uint(0)
		a.owner = &owner{arena: a}
	}
}

// New allocates a zero T.
//
// It is inlined. For a T without pointers, and for any T in a self-contained
// arena, it is a handful of instructions that subtract from a counter. Other
// values come from a slab, a chunk of one type, which is found by the type;
// [For] saves that search.
//
// It panics if the arena was freed, and with a *LimitError if its budget
// doesn't allow for the value.
func New[T any](a *Arena) (p *T) {
	if a == nil {
		return new(T)
	}
	return (*T)(a.region.bump(a, p, unsafe.Sizeof(*p), newSlow))
}

// NewOf allocates a T and sets it to v. It panics as [New] does.
func NewOf[T any](a *Arena, v T) (p *T) {
	if a == nil {
		p = new(T) // not &v, which would move v to the heap in any case
	} else {
		p = (*T)(a.region.bump(a, p, unsafe.Sizeof(v), newSlow))
	}
	*p = v
	return
}

// bump is the fast path: it takes size bytes from the window of a's region, if the
// arena and the type allow it. zero is a nil pointer to the type.
//
// It must stay so small that New and NewOf, into which it is inlined, can be
// inlined themselves; a test checks it. That is why it rounds all sizes to 8
// bytes, is a method of the region, and gets the slow path as a parameter: calling
// that costs 17 of the 80 nodes that the compiler allows, an ordinary call 57.
//
// The order of the conditions matters. left is 0 in an arena that was never
// used or was freed, and stays 0 while layout.Trusted is false; the descriptor
// isn't looked at then. It must be greater than size, not equal, so that it is
// never used up, and a value of size zero doesn't slip through either.
//
// The source names left once only: the Free of a Shared may set it to 0 meanwhile,
// and not every build keeps what it has loaded.
func (r *region) bump(a *Arena, zero any, size uintptr, slow func(a *Arena, zero any) unsafe.Pointer) unsafe.Pointer {
	size = (r.left - size) &^ (objectAlign - 1)
	if int(size) <= 0 || (*layout.Iface)(unsafe.Pointer(&zero)).Ptr.Elem.PtrBytes > a.plainUpTo { // facts 5, 6
		return slow(a, zero)
	}
	r.left = size
	return unsafe.Add(r.base, size) // fact 1
}

// newSlow allocates a value when bump can't: one with pointers, or one for
// which the window isn't open. The first case is nearly as hot as bump itself.
func newSlow(a *Arena, zero any) unsafe.Pointer {
	key := unsafe.Pointer((*layout.Iface)(unsafe.Pointer(&zero)).Ptr) // layout.Key, without a copy of zero
	if s := a.recent[hash(key)%uintptr(len(a.recent))]; s != nil && s.objects == key {
		// One load of left, as in bump.
		if left := s.left; left > s.unit {
			left -= s.unit
			s.left = left
			return unsafe.Add(s.base, left) // fact 1
		}
	}
	return newSlower(a, zero)
}

//go:noinline
func newSlower(a *Arena, zero any) unsafe.Pointer {
	a.check("New")
	a.watch.expect(zero, single)
	t := layout.Of(zero)
	if t.Size == 0 {
		return unsafe.Pointer(&nowhere)
	}
	if t.PtrBytes <= a.plainUpTo {
		return a.takeTop(uintptr(t.Size))
	}
	s := a.slabOfObjects(t, zero)
	a.recent[hash(s.objects)%uintptr(len(a.recent))] = s
	return s.takeTop(s.unit)
}

// nowhere is where values of size zero are. Its type is aligned to 8 bytes on 32-bit
// machines too.
var nowhere atomic.Uint64

// check is called on each slow path: it makes a zero Arena ready, and panics if
// the arena was freed or copied, or is in a pool.
func (a *Arena) check(op string) {
	if a.self != a {
		a.checkSlow(op)
	}
}

//go:noinline
func (a *Arena) checkSlow(op string) {
	switch {
	case a.idle():
		panicEnded(op, a)
	case a.arena == a: // a local of a Shared
		return
	case a.arena != nil:
		panic("arena: " + op + ": the Arena is a copy of another; pass a *Arena instead")
	}
	a.init()
}

// over says whether the arena's life has ended.
func (a *Arena) over() bool {
	return a.state == freed || a.state == ended || a.shared != nil && a.shared.freed.Load()
}

// idle says whether nothing can be in use of the arena: its life has ended, or
// it waits in a Pool for the next one.
func (a *Arena) idle() bool { return a.over() || a.state == pooled }

// regionOf returns the region for slices of T, given a nil *T and its layout.
func (a *Arena) regionOf(t *layout.Type, zero any) *region {
	if t.PtrBytes > a.plainUpTo {
		return &a.slabOf(t, zero).region
	}
	return &a.region
}

// Owns reports whether p points into memory that the arena has handed out and
// not taken back. It takes time in proportion to the number of chunks. The Go
// heap (a nil arena) and a freed arena own nothing, and a child's memory isn't
// its parent's.
func (a *Arena) Owns(p unsafe.Pointer) bool {
	if a == nil || a.idle() {
		return false
	}
	if a.region.owns(p) {
		return true
	}
	for _, s := range a.slabs {
		if s.owns(p) {
			return true
		}
	}
	return false
}

// Reserve makes room for bytes more of values without pointers (in a
// self-contained arena, of any values), in one chunk: they are then allocated
// without further chunks. It panics if bytes is negative or out of range, if
// the arena was freed, and with a *LimitError if the budget doesn't allow for
// them. On the Go heap it does nothing.
func (a *Arena) Reserve(bytes int) {
	if bytes < 0 {
		panicNegative("Reserve", "bytes", bytes)
	}
	if uintptr(bytes) > maxBytes {
		panicSize("Reserve", uintptr(bytes))
	}
	if a == nil {
		return
	}
	a.check("Reserve")
	a.reserve(uintptr(bytes))
}

// KeepAlive keeps v alive as long as the arena's values: in a self-contained
// arena that is while anything points into it, also after Free; in others,
// whose values keep alive what they point to anyhow, it is until Free. Reset
// lets go of v, and so does a Rewind to a mark from before, but in a self-contained
// arena not before its older values have no pointers to v any more. On the Go heap it
// does nothing.
//
// It is what a value in a self-contained arena that points outside needs.
func (a *Arena) KeepAlive(v any) {
	if a == nil {
		return
	}
	a.check("KeepAlive")
	a.kept = push(a, a.kept, v)
}

// An owner is what each chunk of a self-contained arena points to. It keeps
// all of them alive, through the arena or, after Free, by itself.
//
// The arena, its owner and its chunks are a cycle, which is harmless for the
// GC as long as nothing in it has a finalizer. Nothing has.
type owner struct {
	arena  *Arena
	chunks []chunk
	big    []chunk
	kept   []any
	header *Arena   // arena, once that has ended: values may point to it
	locals []*Arena // of a Shared, that have ended before it or with it; likewise
	parent *owner   // of what was taken back by Rewind: that of what stayed
	leash  *leash   // of a child

	limbo   limbo
	orphans bool // values of a child or a local that was freed may point to this life's

	bytes uintptr // of chunks that were abandoned
}

// A leash is what the owner of a child's chunks holds the parent's by: the child's
// values may point to the parent's, and may live on after the child's Free. Nothing else
// holds it, so that it tells whether they do; see watchEnd.
type leash struct{ owner *owner }

// lead returns the arena's leash.
func (a *Arena) lead() *leash {
	if a.leash == nil && a.owner != nil {
		a.leash = &leash{a.owner}
	}
	return a.leash
}
