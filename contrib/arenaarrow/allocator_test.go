package arenaarrow_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaarrow"
)

// where is the address of a slice.
func where(b []byte) uintptr { return uintptr(pointerTo(b)) }

func pointerTo(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// filled returns n bytes, counting from 0.
func filled(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// allocators are the tests' allocators: of an arena that has been used, and of none.
func allocators(t *testing.T, f func(t *testing.T, mem *arenaarrow.Allocator)) {
	t.Run("Arena", func(t *testing.T) {
		a := arena.NewArena()
		for i := range 100 {
			copy(a.AllocBytes(10_000), filled(10_000))
			a.AllocString(strings.Repeat("x", i))
		}
		a.Reset()
		f(t, arenaarrow.NewAllocator(a))
	})
	t.Run("Heap", func(t *testing.T) { f(t, arenaarrow.NewAllocator(nil)) })
}

// TestAllocate: the memory has the right size, and is zero and aligned.
func TestAllocate(t *testing.T) {
	allocators(t, func(t *testing.T, mem *arenaarrow.Allocator) {
		for _, size := range []int{0, 1, 33, 64, 65, 4097, 8192, 1 << 20} {
			for range 3 {
				b := mem.Allocate(size)
				if b == nil || len(b) != size || cap(b) != size || size > 0 && where(b)%64 != 0 || bytes.Count(b, []byte{0}) != size {
					t.Errorf("%d bytes: %d of %d at %#x", size, len(b), cap(b), where(b))
				}
				copy(b, bytes.Repeat([]byte{0xFF}, size))
				mem.Free(b)
			}
		}
	})
}

// TestReallocate: old bytes stay, new ones are zero.
func TestReallocate(t *testing.T) {
	allocators(t, func(t *testing.T, mem *arenaarrow.Allocator) {
		for _, newest := range []bool{true, false} {
			for _, c := range [][2]int{{200, 100}, {200, 200}, {200, 300}, {0, 100}, {100, 0}, {64, 65}, {10, 1 << 20}} {
				b := mem.Allocate(c[0])
				copy(b, filled(c[0]))
				if !newest {
					copy(mem.Allocate(100), bytes.Repeat([]byte{0xFF}, 100))
				}
				want := make([]byte, c[1])
				copy(want, b)
				got := mem.Reallocate(c[1], b)
				if !bytes.Equal(got, want) || cap(got) != len(got) || len(got) > 0 && where(got)%64 != 0 {
					t.Errorf("from %d to %d bytes: %d of %d at %#x", c[0], c[1], len(got), cap(got), where(got))
				}
				mem.Free(got)
			}
		}
	})
}

// TestReallocateInPlace: the newest slice grows in place, to the end of its chunk, and shrinking never moves it.
func TestReallocateInPlace(t *testing.T) {
	a := arena.NewArena(arena.WithChunkSize(1 << 20))
	mem := arenaarrow.NewAllocator(a)
	b := mem.Allocate(64)
	at := where(b)
	for size := 128; size <= 512<<10; size *= 2 {
		if b = mem.Reallocate(size, b); where(b) != at {
			t.Fatalf("it has moved at %d bytes", size)
		}
	}
	if used := a.UsedBytes(); used > 600<<10 {
		t.Errorf("%d bytes are used for 512 KiB", used)
	}
	if b = mem.Reallocate(1<<20-8192, b[:100]); where(b) != at { // whose room is its own, all of it
		t.Error("it has moved as a part of it was given")
	}
	if b = mem.Reallocate(64, b); where(b) != at {
		t.Error("it has moved as it shrank")
	}
	if used := a.UsedBytes(); used > 4096 {
		t.Errorf("%d bytes are used for 64", used)
	}
	other := mem.Allocate(64)
	if b = mem.Reallocate(128, b); where(b) == at || where(b) == where(other) {
		t.Error("it has grown over another")
	}
}

// TestRandomly: against a model, with all slices compared again and again.
func TestRandomly(t *testing.T) {
	type block struct {
		b    []byte
		fill byte
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		a := arena.NewArena(arena.WithChunkSize(4096))
		mem := memory.NewCheckedAllocator(arenaarrow.NewAllocator(a))
		var blocks []block
		check := func() {
			for _, b := range blocks {
				if bytes.Count(b.b, []byte{b.fill}) != len(b.b) {
					t.Fatalf("seed %d: somebody has written to what isn't his", seed)
				}
			}
		}
		fill := func(b []byte, from int, c byte) {
			if bytes.Count(b[from:], []byte{0}) != len(b)-from {
				t.Fatalf("seed %d: the memory isn't zero", seed)
			}
			for i := range b {
				b[i] = c
			}
		}
		for step := range 500 {
			c := byte(step%255 + 1)
			switch i := r.IntN(max(1, len(blocks))); {
			case len(blocks) == 0 || r.IntN(3) == 0:
				b := mem.Allocate(r.IntN(1 << r.IntN(14)))
				fill(b, 0, c)
				blocks = append(blocks, block{b, c})
			case r.IntN(2) == 0:
				i = []int{i, len(blocks) - 1}[r.IntN(2)]
				was := len(blocks[i].b)
				b := mem.Reallocate(r.IntN(1<<r.IntN(14)), blocks[i].b)
				if kept := min(was, len(b)); bytes.Count(b[:kept], []byte{blocks[i].fill}) != kept {
					t.Fatalf("seed %d: what was there is lost", seed)
				}
				fill(b, min(was, len(b)), c)
				blocks[i] = block{b, c}
			default:
				mem.Free(blocks[i].b)
				blocks[i] = blocks[len(blocks)-1]
				blocks = blocks[:len(blocks)-1]
			}
			check()
			if r.IntN(200) == 0 {
				for _, b := range blocks {
					mem.Free(b.b)
				}
				blocks = nil
				a.Reset()
				runtime.GC()
			}
		}
		for _, b := range blocks {
			mem.Free(b.b)
		}
		mem.AssertSize(t, 0)
	}
}

// TestMisuse: of sizes and of others' slices.
func TestMisuse(t *testing.T) {
	a := arena.NewArena()
	mem := arenaarrow.NewAllocator(a)
	freed := arena.NewArena()
	freed.Free()
	for want, f := range map[string]func(){
		"arenaarrow: Allocate: the size -1 is negative":    func() { mem.Allocate(-1) },
		"arenaarrow: Reallocate: the size -20 is negative": func() { mem.Reallocate(-20, nil) },
		"arena: Realloc":          func() { mem.Reallocate(100, make([]byte, 10)) },
		"arena: Alloc: the arena": func() { arenaarrow.NewAllocator(freed).Allocate(1) },
	} {
		func() {
			defer func() {
				if v, _ := recover().(string); !strings.HasPrefix(v, want) {
					t.Errorf("%q, want %q", v, want)
				}
			}()
			f()
		}()
	}
	if b := mem.Allocate(10); len(b) != 10 {
		t.Error("it doesn't work any more")
	}
}

// TestBudget: a LimitError comes out of Do.
func TestBudget(t *testing.T) {
	pool := arena.NewPool(arena.WithReuse(), arena.WithLimit(100<<10))
	err := pool.Do(func(a *arena.Arena) error {
		mem := arenaarrow.NewAllocator(a)
		mem.Allocate(50_000)
		defer func() {
			mem.Free(nil) // must not wait for a lock
			if len(arenaarrow.NewAllocator(a).Allocate(100)) != 100 || len(mem.Allocate(100)) != 100 {
				t.Error("it doesn't work any more")
			}
		}()
		mem.Allocate(1 << 20)
		return nil
	})
	if e, ok := errors.AsType[*arena.LimitError](err); !ok || e.Limit != 100<<10 {
		t.Error(err)
	}
}

// TestManyGoroutines: with the race detector.
func TestManyGoroutines(t *testing.T) {
	mem := arenaarrow.NewAllocator(arena.NewArena())
	var all sync.WaitGroup
	for i := range 4 {
		all.Go(func() {
			c := byte(i + 1)
			var kept [][]byte
			for n := range 500 {
				b := mem.Allocate(n)
				copy(b, bytes.Repeat([]byte{c}, n))
				b = mem.Reallocate(n+100, b)
				copy(b, bytes.Repeat([]byte{c}, n+100))
				mem.Free(b)
				kept = append(kept, b)
			}
			for _, b := range kept {
				if bytes.Count(b, []byte{c}) != len(b) {
					t.Error("somebody has written to what isn't his")
					return
				}
			}
		})
	}
	all.Wait()
}
