package arena

import (
	"context"
	"reflect"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tuning"
)

// This file defines the Arena, New, and the check that begins each slow path. It must not depend on how a chunk is
// divided (internal/engine/memory), nor on when memory is reclaimed (lifetime.go).

// An Arena allocates values that live and die together. The package documentation explains the lifetimes that Reset,
// Rewind and Free give them.
//
// The zero Arena is ready to use and has the default options; NewArena makes one with other options. A nil *Arena is
// the Go heap: all allocating functions work with it, and Reset, Rewind and Free do nothing. An Arena must not be
// copied after its first use.
//
// An Arena belongs to one goroutine at a time. The values in it may be shared like any others.
//
// An Arena is a handle: it has the fields of the inlined fast paths, and leads to the core, which has the rest.
type Arena struct {
	_ noCopy

	window memory.Window   // of the region for values without pointers; in a self-contained arena, of all
	types  *memory.Catalog // of the slabs, to find recent ones; nil until there is one

	// self is the arena itself while it may be used without a check. It is nil in a zero Arena, which is not
	// ready, and in a freed one; in a copy it is another arena, and a local of a Shared has to check each time.
	self *Arena

	*core // nil in a zero Arena
}

// A core is all of an arena but its handle.
type core struct {
	handle *Arena

	plain  memory.Region // of values without pointers; in a self-contained arena, of all
	memory memory.Space  // all of the arena's memory, plain included
	config *config       // never changed

	life       life
	account    account
	family     family
	owner      *owner      // of the chunks of a self-contained arena
	quarantine *quarantine // of a checked arena, and of all with the race detector
}

// A state says whether an arena may be used, and for what.
type state uint8

const (
	live   state = iota // everything; also that of a zero Arena
	freed               // nothing any more, after Free
	ended               // nothing any more, after the end of the parent's life
	pooled              // nothing until Pool.Get lends it again
)

// noCopy makes go vet report copies of a value that contains it.
type noCopy struct{}

func (*noCopy) Lock()   {}
func (*noCopy) Unlock() {}

// NewArena returns an empty arena. It takes no memory until the first allocation. It panics if the options contradict
// each other.
func NewArena(opts ...Option) *Arena {
	a := newArena(newConfig("NewArena", opts))
	a.init()
	return a
}

// newArena returns an arena that init makes ready. Its handle and its core are one object.
func newArena(c *config) *Arena {
	w := new(struct {
		Arena
		core
	})
	w.Arena.core, w.core.config = &w.core, c
	return &w.Arena
}

// init makes a zero Arena ready, or a new one with its options and relatives. The order matters: the seams use the
// options, the account and the family, which must be set before; the owner comes last, since it changes the space.
func (a *Arena) init() {
	if a.core == nil {
		a.core = &core{config: &defaults}
	}
	a.handle = a
	if inspect.All.Load() != nil && a.config.checks&CheckObjects == 0 && !a.config.lasts {
		c := *a.config
		c.checks |= CheckObjects
		a.config = &c
	}
	a.memory.Init(&a.plain, &a.window, &a.config.Config, a.isWindowless())
	if a.account.shared == nil {
		a.self = a
	} else {
		a.memory.SetShared(&a.account.shared.mu)
	}
	if p, n := a.family.parent, a.config.limit; p == nil && n > 0 {
		a.setLimit(&limit{name: a.config.name, most: n})
	} else if p != nil && p.account.share != nil {
		a.setLimit(p.account.share.limit)
	}
	if a.account.total != nil || a.account.lease != nil {
		a.memory.SetAccount((*counted)(a.core))
	}
	if a.family.parent != nil {
		a.memory.SetLender((*borrower)(a))
	}
	switch {
	case a.config.lasts:
		a.memory.SetLasting()
		a.memory.SetLearned(true)
		if a.family.parent != nil {
			a.plain.SetFirst(tuning.Chunk, nil)
		}
	case race.Enabled || a.config.checks != 0:
		a.quarantine = newQuarantine(a.config)
		a.memory.SetQuarantine((*quarantined)(a))
	}
	if a.config.noScan {
		a.setOwner(&owner{arena: a})
	}
}

// New allocates a zero T.
//
// It is inlined. For a T without pointers, and for any T in a self-contained arena, it is a handful of instructions
// that subtract from a counter. Other values come from a slab, a chunk of one type, which is found by the type; [For]
// saves that search.
//
// It panics if the arena was freed, and with a *LimitError if its budget doesn't allow for the value.
func New[T any](a *Arena) (p *T) {
	if a == nil {
		return new(T)
	}
	return (*T)(a.take(&a.window, p, unsafe.Sizeof(*p), newSlow))
}

// NewOf allocates a T and sets it to v. It panics as [New] does.
func NewOf[T any](a *Arena, v T) (p *T) {
	if a == nil {
		p = new(T) // not &v, which would move v to the heap in any case
	} else {
		p = (*T)(a.take(&a.window, p, unsafe.Sizeof(v), newSlow))
	}
	*p = v
	return
}

// NewFunc allocates a T, calls f to set it in place, and returns it. It writes a large value once, where [NewOf] would
// copy it. It panics as [New] does.
func NewFunc[T any](a *Arena, f func(p *T)) *T {
	p := New[T](a)
	f(p)
	return p
}

// take is the fast path: it takes size bytes from w, the window of the arena's plain region, if that and the type allow
// it. zero is a nil pointer to the type.
//
// It must stay small enough for New and NewOf, into which it is inlined, to be inlined themselves; a test checks that.
// That is why it rounds all sizes to 8 bytes, and why the slow path is a parameter: calling that costs 17 of the 80
// nodes that the compiler allows, an ordinary call 57. It is also why take isn't with the engine's other fast paths:
// New costs 72 nodes and NewOf 79, but 75 and 82 if they call a function of another package.
//
// The order of the conditions matters. Left is 0 in an arena that was never used or was freed, and stays 0 while
// layout.Trusted is false; the descriptor isn't read then. Left must be greater than size, not equal, so that it is
// never used up, and so that a value of size zero fails too.
//
// The source names Left once only: the Free of a Shared may set it to 0 meanwhile, and not every build keeps the loaded
// value.
func (a *Arena) take(
	w *memory.Window, zero any, size uintptr, slow func(a *Arena, zero any) unsafe.Pointer,
) unsafe.Pointer {
	size = (w.Left - size) &^ (memory.ObjectAlign - 1)
	if int(size) <= 0 || (*layout.Iface)(unsafe.Pointer(&zero)).Ptr.Elem.PtrBytes > w.UpTo { // facts 5, 6
		return slow(a, zero)
	}
	w.Left = size
	return unsafe.Add(w.Base, size) // fact 1
}

// newSlow allocates a value when take can't: one with pointers, or one for which the window isn't open. The first case
// is nearly as hot as take itself.
func newSlow(a *Arena, zero any) unsafe.Pointer {
	key := unsafe.Pointer((*layout.Iface)(unsafe.Pointer(&zero)).Ptr) // layout.Key, without a copy of zero
	if w := a.types.Recent(key); w != nil {
		// One load of Left, as in take.
		if left := w.Left; left > w.Unit {
			left -= w.Unit
			w.Left = left
			return unsafe.Add(w.Base, left) // fact 1
		}
	}
	return newSlower(a, zero)
}

// newSlower allocates a value when no window is open for it. From then on the slab that it finds is the recent one of
// its type.
//
//go:noinline
func newSlower(a *Arena, zero any) unsafe.Pointer {
	a.check("New")
	t := layout.Of(zero)
	if t.Size == 0 {
		return unsafe.Pointer(&nowhere)
	}
	if uintptr(t.Size) > maxBytes {
		panicSize("New", uintptr(t.Size))
	}
	a.expect("New", zero, watch.One)
	if t.PtrBytes <= a.window.UpTo {
		return a.plain.TakeTop(uintptr(t.Size))
	}
	return a.slabOfObjects(t, zero).TakeUnit()
}

// nowhere is the place of all values of size zero. Its type is aligned to 8 bytes on 32-bit machines too.
var nowhere atomic.Uint64

// check begins each slow path: it makes a zero Arena ready, and panics if the arena was freed or copied, or is in a
// pool.
func (a *Arena) check(op string) {
	if a.self != a {
		a.checkSlow(op)
	}
}

// checkSlow distinguishes why self isn't the arena: it is a zero Arena; it has ended or waits in a pool; it is a local,
// which checks each time; or it is a copy, whose core is another arena's.
//
//go:noinline
func (a *Arena) checkSlow(op string) {
	switch {
	case a.core == nil || a.handle == nil:
		a.init()
	case a.idle():
		panicEnded(op, a)
	case a.handle != a:
		panic("arena: " + op + ": the Arena is a copy of another; pass a *Arena instead")
	}
}

// panicEnded says why nothing can be allocated, and what to do instead.
//
//go:noinline
func panicEnded(op string, a *Arena) {
	why := " was freed; nothing can be allocated after Free"
	switch {
	case a.account.shared != nil && a.account.shared.freed.Load():
		why = " is of a Shared that was freed; nothing can be allocated after Free"
	case a.account.shared != nil && a.life.state == ended:
		why = " is of a Shared that was reset; Local returns a new one"
	case a.life.state == ended:
		why = " is the child of one that was reset, rewound or freed, and ended with it"
	case a.life.state == pooled:
		why = " was put back into its pool" + a.account.lease.ending("; Get returns one to use")
	}
	panic("arena: " + op + ": the arena" + quoted(a.name()) + why)
}

// name returns the arena's name, set by WithName.
func (a *Arena) name() string {
	if a.core == nil {
		return ""
	}
	return a.config.name
}

// over reports whether the arena's life has ended.
func (a *Arena) over() bool {
	return a.core != nil && (a.life.state == freed || a.life.state == ended ||
		a.account.shared != nil && a.account.shared.freed.Load())
}

// idle reports whether nothing of the arena can be in use: its life has ended, or it waits in a Pool for the next one.
func (a *Arena) idle() bool { return a.over() || a.core != nil && a.life.state == pooled }

// regionOf returns the region for slices of T, given a nil *T and its layout.
func (a *Arena) regionOf(t *layout.Type, zero any) *memory.Region {
	if t.PtrBytes > a.window.UpTo {
		return &a.slab(memory.KeyOf(t, false), zero).Region
	}
	return &a.plain
}

// slabOfObjects returns the slab for single values of a type.
func (a *Arena) slabOfObjects(t *layout.Type, zero any) *memory.Slab {
	s := a.slab(memory.KeyOf(t, true), zero)
	s.ServesObjects(zero)
	return s
}

// slab returns the slab with a key, for values of the type to which zero is a nil pointer.
func (a *Arena) slab(key memory.Key, zero any) *memory.Slab {
	if s := a.memory.Find(key); s != nil {
		return s
	}
	return a.newSlab(key, key.Elem(reflect.TypeOf(zero).Elem()))
}

// newSlab adds a slab for elements of type elem. In a pool its first chunk has the size that was learned for the type;
// a child takes its chunks from its parent, and doesn't need that.
func (a *Arena) newSlab(key memory.Key, elem reflect.Type) *memory.Slab {
	first := uintptr(0)
	if a.account.lease != nil && a.family.parent == nil {
		first = a.account.lease.class.work.FirstOf(key)
	}
	s := a.memory.AddSlab(key, elem, first)
	a.types = a.memory.Catalog()
	return s
}

// Owns reports whether p points into memory that is allocated from the arena. It takes time in proportion to the number
// of chunks. The Go heap (a nil arena) and a freed arena own nothing, and a child's memory isn't its parent's.
func (a *Arena) Owns(p unsafe.Pointer) bool {
	if a == nil || a.core == nil || a.idle() {
		return false
	}
	return a.memory.Owns(p)
}

// Reserve makes room for bytes more of values without pointers (in a self-contained arena, of any values), in one
// chunk: they are then allocated without further chunks. It panics if bytes is negative or out of range, if the arena
// was freed, and with a *LimitError if the budget doesn't allow for them. On the Go heap it does nothing.
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
	a.enter("Reserve")
	a.demand(uintptr(bytes))
	a.plain.Reserve(uintptr(bytes))
	a.reclaimed()
	a.leave()
}

// KeepAlive keeps v alive as long as the arena's values. A value in a self-contained arena that points outside needs
// it.
//
// In a self-contained arena v lives while anything points into the arena, also after Free. In other arenas, whose
// values keep their targets alive anyway, it lives until Free or Put. Reset releases v, and so does a Rewind to a mark
// from before. But in a self-contained arena a Rewind does so only if nothing was allocated at the mark: older values
// may have pointers to v, which nobody follows and the GC may be shown all the same. Attempts that keep something, or
// pieces of work without end beside older values, need a [Arena.Child] each, which is reset or freed. On the Go heap
// KeepAlive does nothing.
//
// Until it is released, v counts towards [WithLimit]: with the memory that it points to itself, or if that isn't known,
// as for a map, with 256 bytes. KeepAlive panics as [New] does.
func (a *Arena) KeepAlive(v any) {
	if a == nil {
		return
	}
	a.check("KeepAlive")
	a.enter("KeepAlive")
	n := a.chargeKept(v)
	m := a.ensureMarks()
	m.charged += n
	m.kept = memory.Push(&a.memory, m.kept, v)
	a.leave()
}

// NewContext returns a context with an arena, for functions that are given only a context. The context must not be
// used for longer than the arena: allocating from an arena that was freed, or put back into its pool, panics. Some
// goroutines go on when the function that has the arena returns, such as a handler behind [net/http.TimeoutHandler].
// Package [github.com/harena-go/arena/arenahttp] takes care of them.
func NewContext(ctx context.Context, a *Arena) context.Context {
	return context.WithValue(ctx, inspect.ContextKey{}, a)
}

// FromContext returns the arena that NewContext put into ctx. If there is none it returns nil, which is the Go heap:
// all allocating functions work with it. The arena still belongs to one goroutine at a time, however many have the
// context.
func FromContext(ctx context.Context) *Arena {
	switch v := ctx.Value(inspect.ContextKey{}).(type) {
	case *Arena:
		return v
	case inspect.Lender:
		return v.Lend(ctx).(*Arena)
	}
	return nil
}
