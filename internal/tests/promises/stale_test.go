package promises_test

import (
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests that the targets of a self-contained arena's values stay as they are for as long as the values do,
// even if they were reclaimed: the program may store something else over such a pointer at any time, and the GC, while
// it marks, looks at the old one. Where that leads to memory which is free by then the process ends.

// A stale value has a pointer to a reclaimed target.
type stale struct{ p unsafe.Pointer }

// staleSize is what memory takes that isn't shared with other objects.
const staleSize = 64 << 10

// staleStores leave a pointer to dead memory in a value that lives, which they return. Other families than those of
// Shareds are tested at random in internal/tests/attack.
var staleStores = map[string]func(w *watched, opts ...arena.Option) (*stale, any){
	"KeepAlive of what leads on, and Rewind": func(w *watched, opts ...arena.Option) (*stale, any) {
		a := arena.NewArena(opts...)
		v := arena.New[stale](a)
		m := a.Mark()
		b := make([]byte, staleSize)
		a.KeepAlive([][]byte{b})
		v.p = w.watch(unsafe.Pointer(&b[0]))
		for range 200 { // so that something looks for memory to release
			a.Rewind(m)
			a.KeepAlive(new(int))
		}
		return v, a
	},
	"Reset of a local, in another one": func(w *watched, opts ...arena.Option) (*stale, any) {
		s := arena.NewShared(append(opts, arena.WithMaxRetained(0))...)
		a, b := s.Local(), s.Local()
		v := arena.New[stale](a)
		v.p = w.largeIn(b)
		b.Reset()
		return v, s
	},
	"Rewind and Free of a local, in another one": func(w *watched, opts ...arena.Option) (*stale, any) {
		s := arena.NewShared(append(opts, arena.WithMaxRetained(0))...)
		a, b := s.Local(), s.Local()
		v := arena.New[stale](a)
		arena.New[stale](b)
		m := b.Mark()
		v.p = w.largeIn(b)
		b.Rewind(m)
		b.Free()
		return v, s
	},
	"Rewind of a local, and another's child takes and frees it": func(w *watched, opts ...arena.Option) (*stale, any) {
		s := arena.NewShared(opts...)
		a, b := s.Local(), s.Local()
		v := arena.New[stale](a)
		m := b.Mark()
		v.p = w.largeIn(b)
		b.Rewind(m)
		b.Free()
		c := a.Child()
		largeIn(c)
		c.Free()
		return v, s
	},
	"Reset of a local at the limit, in another one": func(w *watched, opts ...arena.Option) (*stale, any) {
		s := arena.NewShared(append(opts, arena.WithLimit(4<<20))...)
		a, b := s.Local(), s.Local()
		v := arena.New[stale](a)
		v.p = w.watch(unsafe.Pointer(arena.New[[64]int](b)))
		b.Reset()
		testkit.Caught(func() { b.AllocBytes(5 << 20) })
		return v, s
	},
	"Rewind and Free of a local, then of the Shared": func(w *watched, opts ...arena.Option) (*stale, any) {
		s := arena.NewShared(opts...)
		a, b := s.Local(), s.Local()
		v := arena.New[stale](a)
		m := b.Mark()
		v.p = w.largeIn(b)
		b.Rewind(m)
		b.Free()
		s.Free()
		return v, nil
	},
	"Reset of a Shared, in a freed local": func(w *watched, opts ...arena.Option) (*stale, any) {
		s := arena.NewShared(append(opts, arena.WithMaxRetained(0))...)
		a, b := s.Local(), s.Local()
		v := arena.New[stale](a)
		v.p = w.largeIn(b)
		a.Free()
		s.Reset()
		return v, s
	},
	"Reset of a Shared, in a freed local, within it": func(w *watched, opts ...arena.Option) (*stale, any) {
		s := arena.NewShared(opts...)
		a := s.Local()
		v := arena.New[stale](a)
		v.p = w.largeIn(a)
		a.Free()
		s.Reset()
		return v, s
	},
}

// watched is memory that must not be freed.
type watched struct{ weak.Pointer[byte] }

func (w *watched) watch(p unsafe.Pointer) unsafe.Pointer {
	w.Pointer = weak.Make((*byte)(p))
	return p
}

// largeIn allocates memory in an arena that has a chunk of its own.
func (w *watched) largeIn(a *arena.Arena) unsafe.Pointer { return w.watch(largeIn(a)) }

func largeIn(a *arena.Arena) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(arena.MakeSlice[*int](a, staleSize/8, staleSize/8)))
}

var staleKinds = map[string][]arena.Option{
	"unchecked":       nil,
	"checked resets":  {arena.WithChecks(arena.CheckResets)},
	"checked objects": {arena.WithChecks(arena.CheckObjects)},
}

// TestStalePointerLeadsToMemory: the target of an older value of a self-contained arena, or of one that Free has left
// valid, isn't free before that pointer is gone.
func TestStalePointerLeadsToMemory(t *testing.T) {
	for name, leave := range staleStores {
		for kind, opts := range staleKinds {
			t.Run(name+", "+kind, func(t *testing.T) {
				var where watched
				opts := append([]arena.Option{arena.WithNoScan(), arena.OnEscape(func(arena.Escape) {})}, opts...)
				v, keep := leave(&where, opts...)
				for range 3 {
					runtime.GC()
					if where.Value() == nil {
						t.Fatal("the memory is free")
					}
				}
				runtime.KeepAlive(v)
				runtime.KeepAlive(keep)
			})
		}
	}
}

type link struct {
	next *link
	n    int
}

func chained(a *arena.Arena, n int) (first *link) {
	for i := range n {
		first = arena.NewOf(a, link{first, i})
	}
	return first
}

func checkList(t *testing.T, kind string, l *link, n int) {
	t.Helper()
	testkit.Churn()
	for ; l != nil; l = l.next {
		if n--; l.n != n {
			t.Fatalf("%s: value %d is %d", kind, n, l.n)
		}
	}
}

// ownLives are the ways in which one life of a self-contained arena follows another. begin ends the life before, and
// returns the arena, in which nothing is in use.
var ownLives = map[string]func(opts ...arena.Option) (begin func() *arena.Arena){
	"Reset": func(opts ...arena.Option) func() *arena.Arena {
		a := arena.NewArena(opts...)
		return func() *arena.Arena { a.Reset(); return a }
	},
	"Rewind to where nothing was allocated": func(opts ...arena.Option) func() *arena.Arena {
		a := arena.NewArena(opts...)
		a.KeepAlive(new(int))
		m := a.Mark()
		return func() *arena.Arena { a.Rewind(m); return a }
	},
	"Reset of a child": func(opts ...arena.Option) func() *arena.Arena {
		a := arena.NewArena(opts...)
		arena.New[int](a)
		c := a.Child().Child()
		return func() *arena.Arena { c.Reset(); return c }
	},
	"Free of a child": func(opts ...arena.Option) func() *arena.Arena {
		a := arena.NewArena(opts...)
		arena.New[int](a)
		c := a.Child()
		return func() *arena.Arena { c.Free(); c = a.Child(); return c }
	},
	"Rewind past a child": func(opts ...arena.Option) func() *arena.Arena {
		a := arena.NewArena(opts...)
		arena.New[int](a)
		m := a.Mark()
		return func() *arena.Arena { a.Rewind(m); return a.Child() }
	},
	"Put": func(opts ...arena.Option) func() *arena.Arena {
		p := arena.NewPool(arenakit.PoolOptions(opts)...)
		a := p.Get()
		return func() *arena.Arena { p.Put(a); a = p.Get(); return a }
	},
	"Shared": func(opts ...arena.Option) func() *arena.Arena {
		s := arena.NewShared(opts...)
		return func() *arena.Arena { s.Reset(); s.Local().Free(); return s.Local() }
	},
}

// TestLivesReleaseWhatTheyKept: memory that a life keeps for stale pointers goes when it ends, also if there are freed
// children in each life, and if a value that one of the first life has left is held.
func TestLivesReleaseWhatTheyKept(t *testing.T) {
	var whole [100]byte
	for kind, opts := range staleKinds {
		for name, live := range ownLives {
			begin := live(append([]arena.Option{arena.WithNoScan(), arena.OnEscape(func(arena.Escape) {})}, opts...)...)
			attempts := func() (left any) {
				a := begin()
				v := arena.New[stale](a)
				*arena.New[uintptr](a) = 4096
				left = leave(a.Child())
				m := a.Mark()
				for range 3 {
					v.p = largeIn(a)
					b := make([]byte, staleSize)
					a.KeepAlive(b)
					a.KeepAlive([][]byte{b, whole[:]})
					a.Rewind(m)
				}
				return left
			}
			left := attempts()
			before := testkit.HeapInUse()
			for range 200 {
				attempts()
			}
			if more := testkit.HeapInUse() - before; more > 20*staleSize {
				t.Errorf("%s, %s: %d bytes are left of 200 lives with blocks of %d", kind, name, more, staleSize)
			}
			runtime.KeepAlive(left)
			runtime.KeepAlive(begin)
		}
	}
}

func leave(a *arena.Arena) any {
	v := arena.New[stale](a)
	v.p = unsafe.Pointer(arena.New[int](a))
	a.Free()
	return v
}

// TestKeptForStalePointersCounts: in checked arenas memory to which stale pointers may lead counts as reserved.
func TestKeptForStalePointersCounts(t *testing.T) {
	const size = 16 << 10
	a := arena.NewArena(arena.WithNoScan(), arena.WithChecks(arena.CheckResets), arena.OnEscape(func(arena.Escape) {}))
	v := arena.New[stale](a)
	m := a.Mark()
	v.p = unsafe.Pointer(&arena.MakeSlice[byte](a, size, size)[0])
	a.Rewind(m)
	if s := a.Stats(); s.Reserved < size || s.Lists < size {
		t.Errorf("of %d bytes that a stale pointer leads to %d are reserved, %d in lists", size, s.Reserved, s.Lists)
	}
	a.Reset()
	if s := a.Stats(); s.Lists >= size {
		t.Errorf("%d bytes are in lists when the life is over", s.Lists)
	}
}

// TestKeptCountsTowardsLimit: a life that keeps more and more values of KeepAlive ends at its limit, also if it
// rewinds, and a new one has all of the limit.
func TestKeptCountsTowardsLimit(t *testing.T) {
	const limit, size = 1 << 20, 16 << 10
	attempts := func(a *arena.Arena) (n int, e *arena.LimitError) {
		*arena.New[uintptr](a) = 4096
		for m := a.Mark(); n < 3*limit/size && e == nil; n++ {
			e = limitOf(t, func() {
				a.KeepAlive(make([]byte, size))
				a.KeepAlive([]map[int]int{{}})
			})
			a.Rewind(m)
		}
		return n, e
	}
	for name, begin := range ownLives {
		for _, contained := range []bool{true, false} {
			opts := []arena.Option{arena.WithLimit(limit)}
			if contained {
				opts = append(opts, arena.WithNoScan())
			}
			next := begin(opts...)
			for life := range 3 {
				n, e := attempts(next())
				if (e != nil) != contained || contained && n < limit/size/2 {
					t.Errorf("%s, self-contained: %t, life %d: %d attempts within the limit: %v", name, contained, life, n, e)
				}
			}
		}
	}
}
