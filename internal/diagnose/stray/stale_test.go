package stray_test

import (
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests that what a self-contained arena's values point to stays what it is for
// as long as they do, though it was reclaimed: the program may store something else over
// such a pointer at any time, and the GC, while it marks, looks at the old one. Where
// that leads to memory which is free by then the process ends.

// A stale value has a pointer, to what isn't there any more.
type stale struct{ p unsafe.Pointer }

// staleSize is what memory takes that isn't shared with other objects.
const staleSize = 64 << 10

// staleStores leave a pointer to dead memory in a value that lives, which they return.
var staleStores = map[string]func(w *watched, opts ...arena.Option) (*stale, any){
	"Rewind": func(w *watched, opts ...arena.Option) (*stale, any) {
		a := arena.NewArena(opts...)
		v := arena.New[stale](a)
		m := a.Mark()
		v.p = w.largeIn(a)
		a.Rewind(m)
		return v, a
	},
	"KeepAlive and Rewind": func(w *watched, opts ...arena.Option) (*stale, any) {
		a := arena.NewArena(opts...)
		v := arena.New[stale](a)
		m := a.Mark()
		b := make([]byte, staleSize)
		a.KeepAlive(b)
		v.p = w.watch(unsafe.Pointer(&b[0]))
		a.Rewind(m)
		return v, a
	},
	"KeepAlive of what leads on, and Rewind": func(w *watched, opts ...arena.Option) (*stale, any) {
		a := arena.NewArena(opts...)
		v := arena.New[stale](a)
		m := a.Mark()
		b := make([]byte, staleSize)
		a.KeepAlive([][]byte{b})
		v.p = w.watch(unsafe.Pointer(&b[0]))
		for range 200 { // so that somebody looks what can be released
			a.Rewind(m)
			a.KeepAlive(new(int))
		}
		return v, a
	},
	"Rewind, and what is kept goes at the limit of a Pool": func(w *watched, opts ...arena.Option) (*stale, any) {
		pool := arena.NewPool(append(arenakit.PoolOptions(opts), arena.WithPoolLimit(4<<20))...)
		a := pool.Get()
		v := arena.New[stale](a)
		m := a.Mark()
		v.p = w.watch(unsafe.Pointer(unsafe.SliceData(a.AllocBytes(2 << 20))))
		a.Rewind(m)
		testkit.Caught(func() { a.AllocBytes(3 << 20) })
		return v, a
	},
	"Rewind and Free": func(w *watched, opts ...arena.Option) (*stale, any) {
		a := arena.NewArena(opts...)
		v := arena.New[stale](a)
		m := a.Mark()
		v.p = w.largeIn(a)
		a.Rewind(m)
		a.Free()
		return v, nil
	},
	"KeepAlive, Rewind and Free": func(w *watched, opts ...arena.Option) (*stale, any) {
		a := arena.NewArena(opts...)
		v := arena.New[stale](a)
		m := a.Mark()
		b := make([]byte, staleSize)
		a.KeepAlive(b)
		v.p = w.watch(unsafe.Pointer(&b[0]))
		a.Rewind(m)
		a.Free()
		return v, nil
	},
	"Rewind, and Free of a child": func(w *watched, opts ...arena.Option) (*stale, any) {
		a := arena.NewArena(append(opts, arena.WithMaxRetained(0))...)
		c := a.Child()
		v := arena.New[stale](c)
		m := c.Mark()
		v.p = w.largeIn(c)
		c.Rewind(m)
		c.Free()
		a.Reset()
		return v, a
	},
	"Rewind, and a child takes and frees it": func(w *watched, opts ...arena.Option) (*stale, any) {
		a := arena.NewArena(opts...)
		v := arena.New[stale](a)
		m := a.Mark()
		v.p = w.largeIn(a)
		a.Rewind(m)
		c := a.Child()
		largeIn(c)
		c.Free()
		return v, a
	},
	"Rewind, in a child": func(w *watched, opts ...arena.Option) (*stale, any) {
		a := arena.NewArena(opts...)
		c := a.Child()
		v := arena.New[stale](c)
		m := a.Mark()
		v.p = w.largeIn(a)
		a.Rewind(m)
		return v, []any{a, c}
	},
	"Rewind, in a freed child": func(w *watched, opts ...arena.Option) (*stale, any) {
		a := arena.NewArena(opts...)
		m := a.Mark()
		c := a.Child()
		v := arena.New[stale](c)
		v.p = w.largeIn(a)
		c.Free()
		a.Rewind(m)
		return v, a
	},
	"Reset, in a freed child": func(w *watched, opts ...arena.Option) (*stale, any) {
		a := arena.NewArena(append(opts, arena.WithMaxRetained(0))...)
		c := a.Child()
		v := arena.New[stale](c)
		v.p = w.largeIn(a)
		c.Free()
		a.Reset()
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

// TestStalePointerLeadsToMemory: what an older value of a self-contained arena, or one
// that Free has left valid, points to isn't free before that pointer is gone.
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

// TestOwnersOfUnusedChunks: a chunk that was made in one life of a self-contained arena
// and used first in the next keeps the values of that one, after Free too, in builds and
// arenas that don't use memory again.
func TestOwnersOfUnusedChunks(t *testing.T) {
	for kind, opts := range staleKinds {
		a := arena.NewArena(append([]arena.Option{arena.WithNoScan(), arena.OnEscape(func(arena.Escape) {})}, opts...)...)
		arena.New[int](a)
		a.Reserve(1 << 20)
		a.Reset()
		list := chained(a, 20000)
		s, w := testkit.NewSentinel()
		a.KeepAlive(s)
		a.Free()
		if testkit.Dead(w) {
			t.Errorf("%s: what KeepAlive was given is gone", kind)
		}
		checkList(t, kind, list, 20000)
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

// survivors make an arena in which somebody was freed with values, which they return if they are to live on.
var survivors = map[string]func(opts ...arena.Option) (a *arena.Arena, left any){
	"none": func(opts ...arena.Option) (*arena.Arena, any) { return arena.NewArena(opts...), nil },
	"of a child": func(opts ...arena.Option) (*arena.Arena, any) {
		a := arena.NewArena(opts...)
		left := leave(a.Child())
		return a, left
	},
	"of a child, dropped": func(opts ...arena.Option) (*arena.Arena, any) {
		a := arena.NewArena(opts...)
		leave(a.Child())
		return a, nil
	},
	"of a child's child": func(opts ...arena.Option) (*arena.Arena, any) {
		a := arena.NewArena(opts...)
		c := a.Child()
		left := leave(c.Child())
		c.Reset()
		return a, left
	},
	"of a local": func(opts ...arena.Option) (*arena.Arena, any) {
		s := arena.NewShared(opts...)
		a := s.Local()
		left := leave(s.Local())
		return a, left
	},
	"of a local's child": func(opts ...arena.Option) (*arena.Arena, any) {
		s := arena.NewShared(opts...)
		a, b := s.Local(), s.Local()
		left := leave(b.Child())
		leave(b)
		return a, left
	},
}

func leave(a *arena.Arena) any {
	v := arena.New[stale](a)
	v.p = unsafe.Pointer(arena.New[int](a))
	a.Free()
	return v
}

// TestLimboIsBounded: what only stale pointers could lead to goes when they are gone,
// however often that happens in one life.
func TestLimboIsBounded(t *testing.T) {
	var whole [100]byte
	for kind, opts := range staleKinds {
		for name, survive := range survivors {
			silent := arena.OnEscape(func(arena.Escape) {})
			a, left := survive(append([]arena.Option{arena.WithNoScan(), silent}, opts...)...)
			v := arena.New[stale](a)
			*arena.New[string](a) = "a constant"
			*arena.New[*arena.Arena](a) = a
			*arena.New[*stale](a) = v
			m := a.Mark()
			before := testkit.HeapInUse()
			for i := range 500 {
				v.p = largeIn(a)
				b := make([]byte, staleSize)
				a.KeepAlive(b)
				a.KeepAlive([][]byte{b, whole[:]})
				if i%2 == 0 {
					v.p = unsafe.Pointer(&b[0])
				}
				a.Rewind(m)
			}
			if more := testkit.HeapInUse() - before; more > 100*staleSize {
				t.Errorf("%s, survivors %s: %d bytes are left of 500 blocks of %d", kind, name, more, staleSize)
			}
			runtime.KeepAlive(a)
			runtime.KeepAlive(left)
		}
	}
}

// TestLimboCounts: what stale pointers may lead to is among what an arena has reserved.
func TestLimboCounts(t *testing.T) {
	const size = 16 << 10
	a := arena.NewArena(arena.WithNoScan(), arena.WithChecks(arena.CheckResets), arena.OnEscape(func(arena.Escape) {}))
	v := arena.New[stale](a)
	m := a.Mark()
	v.p = unsafe.Pointer(&arena.MakeSlice[byte](a, size, size)[0])
	a.Rewind(m)
	if s := a.Stats(); s.Reserved < size || s.Lists < size {
		t.Errorf("of %d bytes that a stale pointer leads to %d are reserved, %d in lists", size, s.Reserved, s.Lists)
	}
	v.p = nil
	m = a.Mark()
	arena.New[int](a)
	a.Rewind(m)
	if s := a.Stats(); s.Lists >= size {
		t.Errorf("%d bytes are in lists when the stale pointer is gone", s.Lists)
	}
}

// TestEscapeKeepsWhatParentsHad: who keeps a value of a child that ended because of what was done to an
// ancestor finds in it what was there, also what the ancestors had.
func TestEscapeKeepsWhatParentsHad(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("the sanitizer ends the test at the first such value, as it should")
	}
	silent := arena.OnEscape(func(arena.Escape) {})
	opts := []arena.Option{arena.WithNoScan(), silent, arena.WithChecks(arena.CheckResets)}
	family := map[string]func(a *arena.Arena) *arena.Arena{
		"child":           func(a *arena.Arena) *arena.Arena { return a.Child() },
		"child's child":   func(a *arena.Arena) *arena.Arena { return a.Child().Child() },
		"child of a mark": func(a *arena.Arena) *arena.Arena { a.Mark(); return a.Child() },
	}
	for name, descend := range family {
		for what, end := range map[string]func(a *arena.Arena, m arena.Mark){
			"Rewind": func(a *arena.Arena, m arena.Mark) { a.Rewind(m) },
			"Reset":  func(a *arena.Arena, _ arena.Mark) { a.Reset() },
			"Free":   func(a *arena.Arena, _ arena.Mark) { a.Free() },
		} {
			s := arena.NewShared(opts...)
			for of, a := range map[string]*arena.Arena{"an arena": arena.NewArena(opts...), "a local": s.Local()} {
				arena.New[link](a)
				m := a.Mark()
				list := chained(a, 20000)
				kept, w := testkit.NewSentinel()
				a.KeepAlive(kept)
				v := arena.NewOf(descend(a), struct {
					kept *testkit.Sentinel
					list *link
				}{kept, list})
				kept, list = nil, nil
				end(a, m)
				if a = nil; testkit.Dead(w) {
					t.Errorf("%s of %s, %s: what KeepAlive was given is gone", name, of, what)
				} else {
					checkList(t, name+" of "+of+", "+what, v.list, 20000)
				}
				runtime.KeepAlive(v)
			}
			runtime.KeepAlive(s)
		}
	}
}

// TestLeftValuesAreNoEscape: a value of a child that was freed stays valid, and keeps what the Rewind that ended the
// child's parent has reclaimed further up. That is no escape.
func TestLeftValuesAreNoEscape(t *testing.T) {
	for _, checks := range []arena.Checks{arena.CheckObjects, arena.CheckResets} {
		var told []arena.Escape
		onEscape := arena.OnEscape(func(e arena.Escape) { told = append(told, e) })
		a := arena.NewArena(arena.WithNoScan(), arena.WithChecks(checks), onEscape)
		m := a.Mark()
		arena.New[[3]uint8](a)
		child := a.Child().Child()
		kept := arena.New[int](child)
		child.Free()
		a.Rewind(m)
		arena.FindEscapes()
		if len(told) > 0 {
			t.Errorf("%v: %v", checks, told)
		}
		runtime.KeepAlive(kept)
		runtime.KeepAlive(a)
	}
}

// TestEscapesOfLocalsDoNoHarm: who keeps a value that a checked, self-contained Shared has
// reclaimed finds in it what was there, also what KeepAlive was given.
func TestEscapesOfLocalsDoNoHarm(t *testing.T) {
	if testkit.Sanitized {
		t.Skip("the sanitizer ends the test at the first such value, as it should")
	}
	opts := []arena.Option{arena.WithNoScan(), arena.OnEscape(func(arena.Escape) {}), arena.WithChecks(arena.CheckResets)}
	for name, end := range map[string]func(s *arena.Shared, a *arena.Arena){
		"Reset":       func(s *arena.Shared, a *arena.Arena) { s.Reset() },
		"Free, Reset": func(s *arena.Shared, a *arena.Arena) { a.Free(); s.Reset() },
		"own Reset":   func(s *arena.Shared, a *arena.Arena) { a.Reset() },
		"Rewind, Reset": func(s *arena.Shared, a *arena.Arena) {
			m := a.Mark()
			a.AllocBytes(100)
			a.Rewind(m)
			s.Reset()
		},
	} {
		s := arena.NewShared(opts...)
		a := s.Local()
		kept, w := testkit.NewSentinel()
		a.KeepAlive(kept)
		v := arena.NewOf(a, struct {
			kept *testkit.Sentinel
			list *link
		}{kept, chained(a, 20000)})
		kept = nil
		end(s, a)
		if testkit.Dead(w) {
			t.Errorf("%s: what KeepAlive was given is gone", name)
			continue
		}
		checkList(t, name, v.list, 20000)
		runtime.KeepAlive(v)
		runtime.KeepAlive(s)
	}
}
