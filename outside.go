package arena

import (
	"iter"
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/harena-go/arena/internal/deepclone"
	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/profile"
	"github.com/harena-go/arena/internal/diagnose/stray"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/engine/walk"
	"github.com/harena-go/arena/internal/poolstats"
)

// This file holds functions that look at an arena and change nothing: copies of values on the Go heap, and the answers
// to package inspect. It must not depend on how a graph is followed (package deepclone). Nothing in this package calls
// it.

// Clone copies the target of v out of an arena to the Go heap: the object of a pointer, the elements of a slice, the
// bytes of a string. The copy is shallow: targets of pointers in the object or the elements stay where they are.
// [DeepClone] follows these too.
//
// If T is an interface, its dynamic value decides. Named types are kept. A nil pointer, slice or interface comes back
// nil, an empty slice comes back empty and not nil, and the clone of a slice has no spare capacity. Clone copies
// whether or not v is in an arena, so the result never shares the copied memory with v.
//
// Any other kind, such as a struct or a map, panics. Clone only reads v's target; goroutines may clone the same value
// at once while none of them changes it.
func Clone[T any](v T) T {
	switch p := any(&v).(type) {
	case *string:
		*p = strings.Clone(*p)
	case *[]byte:
		if *p != nil {
			*p = append(make([]byte, 0), *p...)[:len(*p):len(*p)]
		}
	default:
		t := reflect.TypeFor[T]()
		if t.Kind() == reflect.Interface {
			return cloneInterface(v)
		}
		cloneFirstLevel(t, unsafe.Pointer(&v))
	}
	return v
}

// cloneInterface clones the value in the interface value v.
func cloneInterface[T any](v T) T {
	if held := reflect.ValueOf(v); held.IsValid() {
		clone := reflect.New(held.Type())
		clone.Elem().Set(held)
		cloneFirstLevel(held.Type(), clone.UnsafePointer())
		reflect.ValueOf(&v).Elem().Set(clone.Elem())
	}
	return v
}

func cloneFirstLevel(t reflect.Type, v unsafe.Pointer) {
	if deepclone.FirstLevel(t, v) {
		return
	}
	panic("arena: Clone: got " + t.String() + " of kind " + t.Kind().String() +
		", want a pointer, a slice or a string (DeepClone takes any kind)")
}

// DeepClone copies v and the whole graph that is reachable from v out of an arena to the Go heap. It follows pointers,
// slices, strings, maps and interfaces, also in unexported fields. The clone shares no memory with the source, except
// for the shared types listed below, so an arena that the source is in may be reset.
//
// All pointers are followed, also those that lead back: a value that knows its predecessor brings the whole chain
// along, unless that is cut first. Cycles and sharing are kept: one object in the source is one object in the clone,
// in whichever way and order it is reached. Slices that overlap in the source overlap in the clone, and a pointer to a
// field or an element points into the clone of the struct or slice, if that is reached too. A slice keeps its length;
// its spare capacity is kept as far as something else that is reached covers it. Maps are built anew from cloned keys
// and values. Pointers to values of size zero all become equal.
//
// These types are not cloned field by field, or not only so:
//
//	collections: Map, Set, Interner         cloned, on the Go heap; keys are found by their new addresses
//	collections: Slice, Buffer, Deque, List cloned, on the Go heap
//	sync.Map                                cloned, with all entries
//	atomic.Pointer, atomic.Value            cloned, with their targets
//	slog.Value                              cloned, also a string or a group in it
//	strings.Builder                         cloned; it may be used, also if it was copied
//	other types of package sync             copied: a locked mutex stays locked
//	sync.Cond                               the clone has the clone of L; goroutines wait for the source
//	sync.Pool, runtime.Pinner               empty in the clone, but for Pool.New
//	Arena, Pool, Shared by value            zero in the clone
//	*Arena, *Pool, *Shared, Typed, *Typed,
//	Mark                                    shared: the clone's is that of the source
//	chan, func, weak.Pointer                shared: a channel's buffer, a func's captured variables, the object
//	unsafe.Pointer, uintptr                 shared: the same address
//	reflect.Type, *time.Location,
//	*time.Timer, *time.Ticker, *os.Process,
//	unique.Handle, contexts, curves of
//	crypto/elliptic and crypto/ecdh, the
//	inside of runtime.Frame, os.File,
//	os.Root and net connections             shared: they mean something by their address
//	errors.New in a package-level variable  shared: io.EOF stays io.EOF
//	reflect.Value, unless it is zero        refused: a panic with the path to it
//
// Shared memory must not lead to memory that is about to be reset: values of an arena that only a func, a channel or an
// unsafe.Pointer leads to stay in the arena. Other types that keep their memory behind an unsafe.Pointer share it, too.
//
// Errors other than those are cloned, and no longer equal to the original, and so are these in
// builds without inlining (-gcflags=-l), in which they are on the heap. Finalizers and cleanups
// stay behind. Where unsafe code shows the same memory as unrelated types, each of them
// gets a clone of its own. All pointers have to be valid; C memory is copied as far as
// its Go type tells.
//
// DeepClone takes time linear in the size of the graph, apart from sorting addresses, and no
// more stack for long lists. It needs some 120 bytes per object while it runs.
// It only reads the source: goroutines may clone the same graph at once while none
// changes it. It panics if the graph has more than 4294967292 objects, or a reflect.Value.
func DeepClone[T any](v T) T {
	if layout.Of((*T)(nil)).PtrBytes == 0 {
		return v
	}
	root := new(T)
	*root = v
	deepclone.Graph(reflect.TypeFor[T](), unsafe.Pointer(root), nil)
	return *root
}

// CloneOut copies v, and the part of its graph that is in the arena, to the Go heap. It is [DeepClone] for values that
// lead to others which outlive the arena, and are shared by the clone: a schema, a registry, an error that is compared
// by its address. When it returns, the clone leads nowhere into the arena, unless through an object on the heap, which
// stays as it is.
//
// Objects on the heap behind pointers are shared, and so are the bytes of strings and the elements of slices without
// pointers there. Maps are always cloned, and so are slices and interfaces on the heap whose elements or values have
// pointers, since these may lead into the arena. The values of a child of the arena aren't the arena's.
//
// A nil or freed arena has nothing that could end: then CloneOut returns v. Else it sorts the arena's chunks, takes the
// time of DeepClone, and for each pointer that of a binary search among the chunks, and panics as that does. It only
// reads the arena and the source.
func CloneOut[T any](a *Arena, v T) T {
	if a == nil || a.core == nil || a.idle() || layout.Of((*T)(nil)).PtrBytes == 0 {
		return v
	}
	root := new(T)
	*root = v
	deepclone.Graph(reflect.TypeFor[T](), unsafe.Pointer(root), a.memory.Index().Owns)
	return *root
}

// Keep copies a key and a value out of the arena, as [CloneOut] does, for a cache or another container that outlives
// it. The results are in the order that such containers take them in:
//
//	cache.Add(arena.Keep(a, key, value))
//
// does so with each method of two parameters: Add, Set, Store, of any types. If there are more, or the container copies
// one of the two itself, assign the results first. Memory that the key and the value share in the arena is shared by
// the copies too. Keep panics as CloneOut does.
func Keep[K, V any](a *Arena, key K, value V) (K, V) {
	type entry struct {
		key   K
		value V
	}
	e := CloneOut(a, entry{key, value})
	return e.key, e.value
}

// hooks implements inspect.Arenas, poolstats.Pools and profile.Pools, through which other packages get at unexported
// state.
type hooks struct{}

func init() { inspect.Arenas, poolstats.Pools, profile.Pools = hooks{}, hooks{}, hooks{} }

func (hooks) Checks(of any) bool { a := of.(*Arena); return a != nil && a.watch().Single() }

func (hooks) Scrubs(a any) bool { return a.(*Arena).core != nil && a.(*Arena).config.Scrub }

func (hooks) Endings(arena string) []inspect.Ending { return watch.EndingsOf(arena) }

func (hooks) Guarded(arena string) []inspect.GuardedBlock { return tracker.Guarded(arena) }

func (hooks) DeadAt(addr uintptr) *inspect.Dead { return tracker.DeadAt(addr) }

func (hooks) Lent(pool any) (leases []inspect.Lease) {
	lent.mu.Lock()
	defer lent.mu.Unlock()
	for l := range lent.all {
		if p := pool.(*Pool); p == nil || l.pool == &p.state {
			leases = append(leases, inspect.Lease{Pool: l.pool.total.name, Stack: watch.StackText(l.lentAt.Frames()),
				Lost: l.lost(), End: func() { lent.note(l, false) }})
		}
	}
	return leases
}

func (hooks) Abandon(a any) {
	if l := a.(*Arena).account.lease; l != nil {
		lent.note(l, false)
	}
}

func (hooks) Owns(of any, p unsafe.Pointer) bool {
	if a := of.(*Arena); a != nil && a.core != nil {
		for c := range a.generations {
			if c.Owns(p) {
				return true
			}
		}
	}
	return false
}

// Sightings holds the lock of the Pool only while it copies the list, since a Get that makes an arena waits for it.
func (hooks) Sightings(of any, now time.Duration) iter.Seq[poolstats.Seen] {
	p := of.(*Pool)
	return func(yield func(poolstats.Seen) bool) {
		if p == nil {
			return
		}
		p.state.mu.Lock()
		all := slices.Clone(p.state.leases)
		p.state.mu.Unlock()
		poolstats.Looking.Lock()
		defer poolstats.Looking.Unlock()
		for _, l := range all {
			turn := l.turns.Load()
			if turn%2 == 0 || l.freed.Load() || l.lost() { // the GC has found it
				continue
			}
			s := l.sighted.Seen(turn, now)
			s.Key, s.Reserved = l.class.key, int(l.bytes())
			if !yield(s) {
				return
			}
		}
	}
}

func (hooks) LastLimitHit(of any) (at time.Time, asked int, total bool, stack watch.Stack) {
	p := of.(*Pool)
	p.state.mu.Lock()
	defer p.state.mu.Unlock()
	h := &p.state.limitHit
	return h.at, h.asked, h.total, h.stack
}

func (hooks) Strays(arena any, last bool) (err error) {
	a := arena.(*Arena)
	if !a.idle() && a.wantsHidden() {
		err = stray.LookAtAll((*surveyed)(a))
		a.watch().Fresh()
		a.quarantine.hidden.SetLooked(last)
	}
	return err
}

func (hooks) OnStray(f func(inspect.Stray)) any {
	return optionFunc(func(c *config) { c.onStray = &f })
}

func (hooks) LookThroughErrors() {
	f := (*Arena).reportOutlived
	reportOutlived.Store(&f)
}

func (hooks) OnTaken(f func()) any {
	return optionFunc(func(c *config) { c.onTaken, c.once = &f, true })
}

func (hooks) ReuseSome() any {
	return poolOptionFunc(func(c *poolConfig) { c.reuse = c.reuse || len(c.reuseOf) == 0 })
}

func (hooks) Moved(of any, p unsafe.Pointer) {
	a := of.(*Arena)
	for r := range a.memory.Regions {
		for c := range r.Chunks {
			if c.Mem == p && c.Label != nil {
				a.watch().Move(c, a.owner != nil, a.config.name)
				return
			}
		}
	}
}

func (hooks) OnDeath(child any, f func(dead bool)) { child.(*Arena).family.onDeath = f }

func (hooks) Peek(during func(peeking bool)) {
	tracker.Peek(func(found []watch.Finding) {
		during(true)
		defer during(false)
		report(found)
	})
}

func (hooks) Sites(of any) (sites []profile.Site, used, observed float64) {
	p := of.(*Pool)
	if p == nil || p.config.observe == 0 {
		return nil, 0, 0
	}
	sites, observed = p.state.profile.Sites(p.config.observe)
	return sites, float64(p.Stats().Used), observed
}

// LendBatch lets the Go heap allocate values that are better allocated by themselves, at less cost. One life in 32
// finds out if they still are.
func (hooks) LendBatch(pool any, key string) any {
	p := pool.(*Pool)
	c := p.classOf(key)
	if c.reuse {
		panic("arenaext: LendBatch: the pool" + quoted(p.config.name) + " reuses memory, and batches are kept")
	}
	if c.apart.Load() && c.onHeap.Add(1)%32 != 0 {
		return (*Arena)(nil)
	}
	return p.get(c)
}

// This part finds values of an arena with CheckObjects in the error that Do returns, or in the value of a panic, when
// Do is about to reset the arena. Tests often check only that there is an error, and would miss them. It must not
// depend on how an arena ends.

// reportOutlived is the method of that name once arenatest is in use; other programs don't link it.
var reportOutlived atomic.Pointer[func(a *Arena, holder string, v any)]

// reportOutlived reports the arena's values to which v leads.
func (a *Arena) reportOutlived(holder string, v any) {
	for _, e := range a.findOutlived(holder, v) {
		deliver(e, a.config.onEscape)
	}
}

// findOutlived returns these values. A value that is dead already may lead anywhere: the look ends there.
func (a *Arena) findOutlived(holder string, v any) (found []Escape) {
	if v == nil {
		return nil
	}
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { _ = recover() }()
	index := a.memory.Index()
	for g := range a.generations {
		if g != a {
			index = index.Add(&g.memory)
		}
	}
	l, by := a.account.lease, new(watch.Stack)
	runtime.Callers(3, by[:])
	var w walk.Walker
	w.Graph(holder, v, func(path string, to unsafe.Pointer) bool {
		c := index.Find(to)
		if c == nil {
			return true
		}
		s := watch.SiteOf(c)
		found = append(found, Escape{
			Arena: a.name(), Key: l.class.key, Type: s.String(), Size: int(s.Size), Holder: path,
			Allocated: s.Stack.Frames(), Reclaimed: by.Frames(), Lent: l.lentAt.Frames(),
		})
		return false
	})
	return found
}
