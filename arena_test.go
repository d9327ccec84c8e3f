package arena_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit/soak"
)

// A rtypeSlice is a slice that the test of run-time types lets grow, and its expected contents.
type rtypeSlice struct {
	p        unsafe.Pointer
	len, cap int
	want     []uint64
}

// rtypeArenas are the kinds of arenas that allocate by run-time type in different ways.
func rtypeArenas() map[string]*arena.Arena {
	return map[string]*arena.Arena{
		"heap":           nil,
		"plain":          arena.NewArena(),
		"small chunks":   arena.NewArena(arena.WithChunkSize(512), arena.WithMaxChunkSize(2048)),
		"self-contained": arena.NewArena(arena.WithNoScan()),
		"limited":        arena.NewArena(arena.WithLimit(1 << 20)),
		"scrubbed":       arena.NewArena(arena.WithScrub()),
		"resets checked": arena.NewArena(arena.WithChecks(arena.CheckResets)),
		"all checked":    arena.NewArena(arena.WithChecks(arena.CheckObjects)),
	}
}

// rtypeElem is what slices of a type are filled with: number is read and written through
// a pointer to an element.
type rtypeElem struct {
	typ reflect.Type
	set func(p unsafe.Pointer, x uint64)
	get func(p unsafe.Pointer) uint64
}

var rtypeNumbers [256]uint64

func init() {
	for i := range rtypeNumbers {
		rtypeNumbers[i] = uint64(i)
	}
}

func rtypeElems() []rtypeElem {
	type mixed struct {
		n uint64
		p *uint64
		b byte
	}
	return []rtypeElem{
		{reflect.TypeFor[byte](), func(p unsafe.Pointer, x uint64) { *(*byte)(p) = byte(x) },
			func(p unsafe.Pointer) uint64 { return uint64(*(*byte)(p)) }},
		{reflect.TypeFor[[3]uint16](), func(p unsafe.Pointer, x uint64) { (*[3]uint16)(p)[2] = uint16(x) },
			func(p unsafe.Pointer) uint64 { return uint64((*[3]uint16)(p)[2]) }},
		{reflect.TypeFor[uint64](), func(p unsafe.Pointer, x uint64) { *(*uint64)(p) = x },
			func(p unsafe.Pointer) uint64 { return *(*uint64)(p) }},
		{reflect.TypeFor[*uint64](), func(p unsafe.Pointer, x uint64) { *(**uint64)(p) = &rtypeNumbers[x] },
			func(p unsafe.Pointer) uint64 { return deref(*(**uint64)(p)) }},
		{reflect.TypeFor[mixed](), func(p unsafe.Pointer, x uint64) { *(*mixed)(p) = mixed{x, &rtypeNumbers[x], byte(x)} },
			func(p unsafe.Pointer) uint64 {
				m := (*mixed)(p)
				if m.p == nil && m.n == 0 && m.b == 0 || m.n == deref(m.p) && byte(m.n) == m.b {
					return m.n
				}
				return ^uint64(0)
			}},
	}
}

func deref(p *uint64) uint64 {
	if p == nil {
		return 0
	}
	return *p
}

// TestRuntimeTypes: slices of run-time types that grow, are trimmed and are mixed with single values keep their
// contents, their new elements are zero, and no two of them share memory; in all kinds of arenas, also after Reset.
func TestRuntimeTypes(t *testing.T) {
	for name, a := range rtypeArenas() {
		for _, e := range rtypeElems() {
			rng := rand.New(rand.NewPCG(1, 2))
			for life := range 3 {
				rtypeLife(t, name, a, e, rng)
				if life == 1 {
					runtime.GC()
				}
				a.Reset()
			}
		}
	}
}

func rtypeLife(t *testing.T, name string, a *arena.Arena, e rtypeElem, rng *rand.Rand) {
	t.Helper()
	alloc := arena.KeyOf(e.typ).For(a)
	size := e.typ.Size()
	all := make([]*rtypeSlice, 4)
	for i := range all {
		all[i] = new(rtypeSlice)
	}
	var singles []unsafe.Pointer
	for range 300 {
		s := all[rng.IntN(len(all))]
		switch rng.IntN(8) {
		case 0:
			p := alloc.New()
			if e.get(p) != 0 {
				t.Fatalf("%s: a new %v is %d", name, e.typ, e.get(p))
			}
			e.set(p, uint64(len(singles)%256))
			singles = append(singles, p)
		case 1:
			s.cap = alloc.Trim(s.p, s.len, s.cap)
		case 2:
			n := rng.IntN(20)
			*s = rtypeSlice{p: alloc.NewN(n), cap: n}
		default:
			if s.len == s.cap {
				s.p, s.cap = alloc.Grow(s.p, s.len, s.cap, s.cap+1+rng.IntN(2*s.cap+4))
			}
			for k := rng.IntN(s.cap - s.len + 1); k > 0; k-- {
				p := unsafe.Add(s.p, uintptr(s.len)*size)
				if got := e.get(p); got != 0 {
					t.Fatalf("%s: a new element of []%v is %d", name, e.typ, got)
				}
				x := rng.Uint64() % 256
				e.set(p, x)
				s.want = append(s.want, x)
				s.len++
			}
		}
	}
	for _, s := range all {
		for i, want := range s.want {
			if got := e.get(unsafe.Add(s.p, uintptr(i)*size)); got != want {
				t.Fatalf("%s: element %d of []%v is %d, not %d", name, i, e.typ, got, want)
			}
		}
	}
	for i, p := range singles {
		if got := e.get(p); got != uint64(i%256) {
			t.Fatalf("%s: the %v number %d is %d", name, e.typ, i, got)
		}
	}
}

// TestTrimGivesBack: a trimmed slice costs no more than its elements.
func TestTrimGivesBack(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[int64](), reflect.TypeFor[*int]()} {
		a := arena.NewArena()
		alloc := arena.KeyOf(typ).For(a)
		alloc.Grow(nil, 0, 0, 1)
		used := a.UsedBytes()
		p, n := alloc.Grow(nil, 0, 0, 100)
		if n = alloc.Trim(p, 3, n); n != 3 {
			t.Errorf("%v: trimmed to %d", typ, n)
		}
		want := 3 * int(alloc.Size())
		if got := a.UsedBytes() - used; got < want || got > want+want%8 { // 8 bytes and more are aligned to 8
			t.Errorf("%v: 3 elements take %d bytes, not %d", typ, got, want)
		}
		a.Mark()
		if n := alloc.Trim(p, 2, 3); n != 3 {
			t.Errorf("%v: what was there at a mark was trimmed", typ)
		}
	}
}

// TestGrowInPlace: a slice that is the newest grows where it is, whatever single values
// are allocated meanwhile.
func TestGrowInPlace(t *testing.T) {
	a := arena.NewArena(arena.WithChunkSize(1 << 20))
	alloc := arena.KeyOf(reflect.TypeFor[*int]()).For(a)
	p, n := alloc.Grow(nil, 0, 0, 4)
	for n < 1000 {
		alloc.New()
		q, m := alloc.Grow(p, n, n, 2*n)
		if q != p {
			t.Fatalf("moved when it grew from %d to %d", n, m)
		}
		n = m
	}
}

// TestRuntimeTypesPanic: numbers out of range and uses after Free panic.
func TestRuntimeTypesPanic(t *testing.T) {
	freed := arena.NewArena()
	key := arena.KeyOf(reflect.TypeFor[*int]())
	alloc := key.For(freed)
	freed.Free()
	live := key.For(arena.NewArena())
	for name, f := range map[string]func(){
		"KeyOf nil":         func() { arena.KeyOf(nil) },
		"TypeKey.New freed": func() { key.New(freed) },
		"New freed":         func() { alloc.New() },
		"Grow freed":        func() { alloc.Grow(nil, 0, 0, 1) },
		"Grow len":          func() { live.Grow(nil, 2, 1, 3) },
		"Grow much":         func() { live.Grow(nil, 0, 0, math.MaxInt/2) },
		"Trim len":          func() { live.Trim(nil, -1, 1) },
		"MakeSlice -1":      func() { key.MakeSlice(nil, -1) },
		"For freed":         func() { key.For(freed) },
	} {
		func() {
			defer func() {
				if s, ok := recover().(string); !ok || len(s) < 8 || s[:7] != "arena: " {
					t.Errorf("%s: %q", name, s)
				}
			}()
			f()
		}()
	}
}

// TestCopyAll: it returns all parts, in a piece of exactly their size.
func TestCopyAll(t *testing.T) {
	for name, a := range rtypeArenas() {
		got := a.CopyAll([]byte("one"), nil, []byte(", "), []byte("two"))
		if !bytes.Equal(got, []byte("one, two")) || cap(got) != 8 {
			t.Errorf("%s: %q, capacity %d", name, got, cap(got))
		}
		if a.CopyAll() != nil || a.CopyAll(nil, []byte{}) != nil {
			t.Errorf("%s: nothing is not nil", name)
		}
	}
}

// TestCheckedSoak: correct programs have nothing reported, and what escapes is. It is here
// since only this package's own tests see how much the tracker holds.
func TestCheckedSoak(t *testing.T) { soak.Checked(t, arena.OpenBatches) }
