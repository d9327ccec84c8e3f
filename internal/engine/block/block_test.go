package block

import (
	"reflect"
	"runtime"
	"testing"
	"unsafe"
	"weak"

	"github.com/harena-go/arena/internal/engine/asan"
)

func TestRoundOwned(t *testing.T) {
	sizes, fit := map[uintptr]bool{}, map[uintptr]bool{}
	for n := uintptr(1); n < 1<<17; n++ {
		r, f := RoundOwned(n), FitOwned(n)
		if r < n || r%64 != 0 || n > 1024 && r > n+n/16 || RoundOwned(r) != r {
			t.Fatalf("RoundOwned(%d) = %d", n, r)
		}
		if f < n || f > r || f%64 != 0 || n > 8<<10 && f > n+n/128 || FitOwned(f) != f {
			t.Fatalf("FitOwned(%d) = %d", n, f)
		}
		sizes[r], fit[f] = true, true
	}
	if len(sizes) > 32+16*7 || len(fit) > 256+128*4 {
		t.Errorf("%d and %d sizes, and each costs a type for ever", len(sizes), len(fit))
	}
}

// TestOwnedIsKeptByInterior: a pointer to anywhere inside keeps the owner.
func TestOwnedIsKeptByInterior(t *testing.T) {
	for _, size := range []uintptr{512, 1000 &^ 7, 4096, 5120, 1 << 16, 1 << 20} {
		owner := new([100]int)
		w := weak.Make(owner)
		mem, usable := Owned(size, unsafe.Pointer(owner))
		owner = nil
		last := (*byte)(unsafe.Add(mem, usable-1))
		runtime.GC()
		runtime.GC()
		if w.Value() == nil {
			t.Fatalf("size %d: the owner was collected", size)
		}
		if Owner(mem) != unsafe.Pointer(w.Value()) || uintptr(mem)%8 != 0 {
			t.Errorf("size %d: Owner is %p, the block's memory %p", size, Owner(mem), mem)
		}
		SetOwner(mem, nil)
		mem = nil
		runtime.GC()
		runtime.GC()
		if w.Value() != nil {
			t.Errorf("size %d: the owner is still alive though the block has another", size)
		}
		runtime.KeepAlive(last)
	}
}

func TestPlainAndClear(t *testing.T) {
	mem, usable := Plain(512)
	b := unsafe.Slice((*byte)(asan.Allow(mem, usable)), usable)
	for i := range b {
		if b[i] != 0 {
			t.Fatal("not zero")
		}
		b[i] = 1
	}
	Clear(mem, 3, 10)
	asan.Unpoison(mem, usable)
	for i := range b {
		if (b[i] == 0) != (i >= 3 && i < 10) {
			t.Fatalf("byte %d is %d", i, b[i])
		}
	}
}

func TestTyped(t *testing.T) {
	var k Typed
	k.Init(reflect.TypeFor[*int]())
	mem := k.Make(4)
	p := unsafe.Slice((**int)(asan.Allow(mem, 4*unsafe.Sizeof(mem))), 4)
	n := new([100]int)
	w := weak.Make(n)
	p[0], p[1], p[2] = &n[0], &n[1], &n[2]
	n = nil
	runtime.GC()
	if w.Value() == nil {
		t.Fatal("the GC doesn't see what a typed block points to")
	}
	if allocs := testing.AllocsPerRun(10, func() { k.Clear(unsafe.Add(mem, unsafe.Sizeof(mem)), 2*unsafe.Sizeof(mem)) }); allocs > 0 {
		t.Errorf("Clear allocates %.0f times", allocs)
	}
	asan.Unpoison(mem, 4*unsafe.Sizeof(mem))
	if p[0] == nil || p[1] != nil || p[2] != nil {
		t.Errorf("after Clear of the middle: %v", p)
	}
	k.Clear(mem, 4*unsafe.Sizeof(mem))
	runtime.GC()
	runtime.GC()
	if w.Value() != nil {
		t.Error("still alive after Clear")
	}
	runtime.KeepAlive(p)
}

// TestTypedGroups checks that a block that is made in groups holds as many
// values as asked for, and that the GC finds the pointers of each.
func TestTypedGroups(t *testing.T) {
	type value struct {
		n int
		p *int
		m uint16
	}
	var k Typed
	k.Init(reflect.TypeFor[value]())
	for _, c := range []struct {
		n, least, want int
		exact          bool
	}{
		{0, 1, 1, false}, {5, 1, 5, false}, {127, 1, 127, false}, {128, 1, 128, false}, {200, 1, 192, false},
		{200, 193, 256, false}, {0, 1000, 1024, false}, {least: 129, exact: true}, {least: 1000, exact: true},
	} {
		n := c.want
		if c.exact {
			n = c.least
		} else if got := k.Round(c.n, c.least); got != n {
			t.Errorf("Round(%d, %d) is %d values, want %d", c.n, c.least, got, n)
		}
		mem := k.Make(n)
		size := uintptr(n) * unsafe.Sizeof(value{})
		values := unsafe.Slice((*value)(asan.Allow(mem, size)), n)
		for i := range values {
			values[i] = value{i, new(int), 1}
			*values[i].p = i
		}
		runtime.GC()
		for range 1000 { // overwrites wrongly freed memory
			*new(int) = -1
			sink = new(int)
		}
		for i, v := range values {
			if *v.p != i {
				t.Fatalf("value %d of %d lost what it points to", i, n)
			}
		}
		k.Clear(mem, size)
		asan.Unpoison(mem, size)
		for i, v := range values {
			if v != (value{}) {
				t.Fatalf("value %d of %d was not erased", i, n)
			}
		}
	}
}

var sink *int

// Owner returns the owner of an owned block, given the memory it offers.
func Owner(mem unsafe.Pointer) unsafe.Pointer {
	return *(*unsafe.Pointer)(asan.Allow(unsafe.Add(mem, -front), front))
}
