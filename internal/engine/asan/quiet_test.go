//go:build asan

package asan_test

import (
	"runtime"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file holds correct programs, which the address sanitizer must not report: a report
// ends the whole test. All other tests are such programs too.

// plainWord has no pointers, linked has some.
type (
	plainWord struct{ n uint64 }
	linked    struct {
		next *linked
		name string
	}
)

// A ground is the addresses of memory that was poisoned in part when its arena released it.
type ground map[uintptr]bool

const page = 4 << 10

// note adds the pages of the n bytes at p.
func (g ground) note(p unsafe.Pointer, n int) {
	for at := uintptr(p) &^ (page - 1); at < uintptr(p)+uintptr(n); at += page {
		g[at] = true
	}
}

// holds reports whether p lies on the ground.
func (g ground) holds(p unsafe.Pointer) bool { return g[uintptr(p)&^(page-1)] }

var quietKinds = map[string][]arena.Option{
	"default": nil, "self-contained": {arena.WithNoScan()}, "scrub": {arena.WithScrub()},
	"nothing retained": {arena.WithMaxRetained(0)}, "tiny": {arena.WithChunkSize(256), arena.WithMaxChunkSize(1024)},
}

// TestPoisonedMemoryGoesBackToTheHeap: the GC frees poisoned chunks, of arenas that were
// dropped, freed, reset or rewound. The heap then allocates the memory for values of all
// sizes and for stacks, which must be usable.
func TestPoisonedMemoryGoesBackToTheHeap(t *testing.T) {
	ends := map[string]func(*arena.Arena){
		"dropped": func(a *arena.Arena) {},
		"freed":   (*arena.Arena).Free,
		"reset":   (*arena.Arena).Reset,
		"child":   func(a *arena.Arena) { fillInPart(a.Child(), ground{}); a.Free() },
	}
	rounds := 20
	if testing.Short() {
		rounds = 3
	}
	reused := 0
	for range rounds {
		g := ground{}
		for _, opts := range quietKinds {
			for _, end := range ends {
				a := arena.NewArena(opts...)
				fillInPart(a, g)
				end(a)
			}
		}
		runtime.GC()
		runtime.GC()
		reused += useHeap(g)
		useStacks(200)
	}
	if reused < rounds*10 {
		t.Errorf("only %d times was memory of an arena used again: this test shows nothing", reused)
	}
}

// fillInPart takes memory of all kinds from an arena, and uses all of it.
func fillInPart(a *arena.Arena, g ground) {
	type pair struct {
		p *int
		n int
	}
	for i := range 300 {
		p := arena.NewOf(a, pair{&testkit.Decoy, i})
		b := arena.MakeSlice[byte](a, i%7, 10*i)
		b = b[:cap(b)]
		clear(b)
		b = arena.Append(a, b, 1, 2, 3)
		clear(b[:cap(b)])
		s := arena.Append(a, []pair(nil), pair{p.p, 1}, *p)
		clear(s[:cap(s)])
		g.note(unsafe.Pointer(p), 16)
		g.note(unsafe.Pointer(unsafe.SliceData(b)), cap(b))
		g.note(unsafe.Pointer(unsafe.SliceData(s)), 16*cap(s))
		testkit.Sink = strings.Clone(a.Sprintf("%d %s", i, a.AllocString("gopher")))
	}
	m := a.Mark()
	clear(a.AllocBytes(100_000))
	a.Rewind(m)
}

// useHeap allocates values of all size classes, and uses all of their bytes. It
// returns how many lie on the ground.
func useHeap(g ground) (on int) {
	var all [][]byte
	var nodes []*[6]*int
	for size := 1; size < 64<<10; size += 1 + size/16 {
		for range 20 {
			b := make([]byte, size)
			for i := range b {
				b[i] = byte(i)
			}
			if g.holds(unsafe.Pointer(&b[0])) {
				on++
			}
			p := &[6]*int{0: &testkit.Decoy, 5: &testkit.Decoy}
			if g.holds(unsafe.Pointer(p)) {
				on++
			}
			all, nodes = append(all, b), append(nodes, p)
		}
	}
	m := map[int]string{}
	for i, b := range all {
		m[i] = string(b[:min(len(b), 100)])
		*nodes[i][5] = -1
	}
	testkit.Sink = m
	return on
}

// useStacks runs goroutines with deep stacks, whose memory may have been spans of chunks.
func useStacks(n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() { deep(100) })
	}
	wg.Wait()
}

//go:noinline
func deep(n int) (sum int) {
	var frame [64]int
	use := frame[:]
	for i := range use {
		use[i] = n
	}
	if n > 0 {
		sum = deep(n - 1)
	}
	return sum + use[n%64]
}

// TestFreedValuesMayBeTouched: Free poisons nothing that somebody may hold, also
// when the GC runs and everything else is used anew.
func TestFreedValuesMayBeTouched(t *testing.T) {
	for name, opts := range quietKinds {
		a := arena.NewArena(opts...)
		arenas := []*arena.Arena{a.Child(), a}
		var objects []*plainWord
		var nodes []*linked
		var slices [][]byte
		for i := range 300 {
			for _, a := range arenas {
				objects = append(objects, arena.NewOf(a, plainWord{7}))
				nodes = append(nodes, arena.NewOf(a, linked{name: "x"}))
				slices = append(slices, a.AllocBytes(10*i))
			}
		}
		for _, a := range arenas {
			a.Free()
		}
		for range 3 {
			runtime.GC()
			useHeap(ground{})
		}
		for i := range objects {
			if name != "scrub" && (objects[i].n != 7 || nodes[i].name != "x") {
				t.Fatalf("%s: value %d has changed", name, i)
			}
			*objects[i], *nodes[i] = plainWord{8}, linked{next: nodes[0]}
			clear(slices[i])
			for j := range slices[i] {
				slices[i][j] = 1
			}
		}
	}
}

// TestReusedMemoryMayBeTouched: memory that was allocated again is valid, through old pointers too: the sanitizer
// doesn't find such a use.
func TestReusedMemoryMayBeTouched(t *testing.T) {
	for name, opts := range quietKinds {
		a := arena.NewArena(opts...)
		was := arena.New[plainWord](a)
		a.Reset()
		is := arena.New[plainWord](a)
		if is == was {
			was.n++
		} else if name != "nothing retained" {
			t.Errorf("%s: Reset doesn't reuse memory", name)
		}
	}
}

// TestSharedChunksAreLentClean: chunks go from locals to the root and from there
// to others, also while goroutines use theirs.
func TestSharedChunksAreLentClean(t *testing.T) {
	for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}, {arena.WithScrub()}} {
		s := arena.NewShared(opts...)
		for range 10 {
			var wg sync.WaitGroup
			for range 4 {
				wg.Go(func() {
					a := s.Local()
					fillInPart(a, ground{})
					a.Reset()
					fillInPart(a.Child(), ground{})
					fillInPart(a, ground{})
				})
			}
			wg.Wait()
			s.Reset()
		}
		kept := arena.NewOf(s.Local(), plainWord{7})
		s.Free()
		kept.n++ // stays valid
	}
}
