//go:build race

package arena

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/race"
)

// TestGravesAreToldOfAgain: each time of what is new, and every so often of all
// that is remembered, that which is new included.
func TestGravesAreToldOfAgain(t *testing.T) {
	memory := make([]byte, 8*tellEvery*3)
	for _, watched := range []bool{false, true} {
		var g graves
		for i := range tellEvery * 3 {
			r := race.Range{Mem: unsafe.Pointer(&memory[8*i]), Size: 8}
			g.fresh = append(g.fresh, r)
			want := []race.Range{r}
			if (i+1)%tellEvery == 0 && !watched {
				want = append(slices.Clone(g.old), r)
				if len(g.old) != rememberedRanges {
					t.Errorf("after %d burials %d ranges are remembered, want %d", i, len(g.old), rememberedRanges)
				}
			}
			if due := g.due(watched); !slices.Equal(due, want) {
				t.Fatalf("burial %d, watched %t: %d ranges are due, want %d", i+1, watched, len(due), len(want))
			}
			g.fresh = g.fresh[:0]
			g.forget()
			if watched && len(g.old) > 0 {
				t.Fatal("what is watched is kept from dying")
			}
		}
	}
}

// TestGravesAreForgotten: the newest are remembered, as far as there is room.
func TestGravesAreForgotten(t *testing.T) {
	for _, c := range []struct {
		size uintptr
		want int
	}{
		{8, rememberedRanges}, {rememberedBytes / 2, 2}, {rememberedBytes/2 + 1, 1}, {rememberedBytes, 1}, {rememberedBytes + 1, 0},
		{rememberedBytes / rememberedRanges, rememberedRanges},
	} {
		memory := make([]byte, 20)
		var g graves
		for i := range memory {
			g.old = append(g.old, race.Range{Mem: unsafe.Pointer(&memory[i]), Size: c.size})
		}
		g.forget()
		if len(g.old) != c.want || c.want > 0 && g.old[c.want-1].Mem != unsafe.Pointer(&memory[len(memory)-1]) {
			t.Errorf("of ranges of %d bytes %d are remembered, want %d, the newest", c.size, len(g.old), c.want)
		}
	}
}

// TestMourned: what is buried are the parts of chunks that were handed out, and nothing else.
func TestMourned(t *testing.T) {
	a := NewArena(WithChunkSize(4 << 10))
	a.AllocBytes(104)
	New[[3]uint64](a)
	p := a.position()
	low := unsafe.Pointer(unsafe.SliceData(a.AllocBytes(40)))
	top := unsafe.Pointer(New[[2]uint64](a))
	c := &a.chunks.chunks[0]
	a.leave()
	a.mourn(c, p.lo, c.lo)
	a.mourn(c, c.hi, p.hi)
	a.mourn(c, 8, 8)
	want := []race.Range{{Mem: low, Size: 40}, {Mem: top, Size: 16}}
	if !slices.Equal(a.graves.fresh, want) {
		t.Errorf("to be buried: %v, want %v", a.graves.fresh, want)
	}
}

// TestAbandonedRewind: an arena in a build with the race detector uses nothing again
// that Rewind takes back. The rest of the chunk in which it was is lost, and counts as
// wasted, unless nothing of the chunk was handed out since the mark.
func TestAbandonedRewind(t *testing.T) {
	for _, kind := range []struct {
		name string
		opts []Option
	}{{"default", nil}, {"self-contained", []Option{WithNoScan()}}} {
		for _, c := range []struct {
			name   string
			use    func(a *Arena)
			intact bool
		}{
			{"nothing", func(*Arena) {}, true},
			{"a big slice", func(a *Arena) { a.AllocBytes(100_000) }, true},
			{"a small slice", func(a *Arena) { a.AllocBytes(40) }, false},
			{"an object", func(a *Arena) { New[[5]uint64](a) }, false},
			{"a slice and an object", func(a *Arena) { a.AllocBytes(40); New[[5]uint64](a) }, false},
			{"more chunks", func(a *Arena) {
				for range 200 {
					a.AllocBytes(100)
				}
			}, false},
		} {
			t.Run(kind.name+", "+c.name, func(t *testing.T) {
				a := NewArena(kind.opts...)
				a.AllocBytes(1000)
				New[[10]uint64](a)
				m := a.Mark()
				left, before := a.hi()-a.lo, a.Stats()
				c.use(a)
				a.Rewind(m)
				got := a.Stats()
				want := before
				want.HighWater = got.HighWater
				if !c.intact {
					want.Wasted += int(left)
				}
				if got != want {
					t.Errorf("after Rewind %+v, want %+v", got, want)
				}
				if current := a.mem != nil; current != c.intact {
					t.Errorf("there is a current chunk: %t, want %t", current, c.intact)
				}
				a.AllocBytes(8)
				if used := a.UsedBytes(); used != before.Used+8 {
					t.Errorf("%d bytes are used after 8 more, of %d", used, before.Used)
				}
				a.Rewind(m)
				if got = a.Stats(); got.Used != want.Used || got.Chunks != 1 {
					t.Errorf("after the second Rewind %+v, want %+v", got, want)
				}
			})
		}
	}
}

func maybeWatched(watched bool) *Arena {
	if !watched {
		return NewArena()
	}
	return NewArena(WithChecks(CheckResets), OnEscape(func(Escape) {}))
}

// TestWatchedIsNotRemembered: what a checked arena takes back must be free to die.
func TestWatchedIsNotRemembered(t *testing.T) {
	for _, watched := range []bool{false, true} {
		a := maybeWatched(watched)
		m := a.Mark() // of nothing
		New[int](a)
		a.Rewind(m)
		if remembered := len(a.graves.old) > 0; remembered == watched {
			t.Errorf("watched %t: remembered %t", watched, remembered)
		}
	}
}

// TestMournedAreErased: as far as they could keep others alive, unless somebody
// watches whether they are used.
func TestMournedAreErased(t *testing.T) {
	type node struct{ next *node }
	for _, watched := range []bool{false, true} {
		a := maybeWatched(watched)
		p := New[node](a)
		p.next = &node{}
		a.Reset()
		if erased := unobserved(&p.next) == nil; erased == watched {
			t.Errorf("watched %t: erased %t", watched, erased)
		}
	}
}

// unobserved reads without the race detector's knowledge.
//
//go:norace
//go:noinline
func unobserved[T any](p *T) T { return *p }
