package collections_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// slotNode is what most of the slots in these tests have.
type slotNode struct {
	value       uint64
	left, right *slotNode
	odd         [13]byte
}

// TestSlotsModel: random programs against a set of values, with their addresses and generations.
func TestSlotsModel(t *testing.T) {
	inEach(t, func(t *testing.T, a *arena.Arena) {
		slotsModel(t, a, func(p *slotNode, v uint64) { p.value, p.left, p.odd[12] = v, p, byte(v) },
			func(p *slotNode) uint64 {
				if p.left != p || p.odd[12] != byte(p.value) {
					return 0
				}
				return p.value
			})
	})
	inEach(t, func(t *testing.T, a *arena.Arena) {
		slotsModel(t, a, func(p *[3]byte, v uint64) { *p = [3]byte{byte(v), byte(v >> 8), byte(v >> 16)} },
			func(p *[3]byte) uint64 { return uint64(p[0]) | uint64(p[1])<<8 | uint64(p[2])<<16 })
	})
	inEach(t, func(t *testing.T, a *arena.Arena) {
		slotsModel(t, a, func(p *[700]uint64, v uint64) { p[0], p[699] = v, v },
			func(p *[700]uint64) uint64 { return p[0] & p[699] })
	})
}

type liveSlot[T any] struct {
	p *T
	r collections.Ref[T]
	h collections.Handle[T]
	v uint64
}

func slotsModel[T comparable](t *testing.T, a *arena.Arena, set func(*T, uint64), get func(*T) uint64) {
	random := rand.New(rand.NewPCG(1, uint64(unsafe.Sizeof(*new(T)))))
	s := collections.NewSlots[T](a)
	var live []liveSlot[T]
	var freed []collections.Handle[T]
	at := map[*T]bool{}
	for step := range uint64(6000) {
		if step%1000 == 0 {
			runtime.GC()
		}
		grows := step/1500%2 == 0
		if len(live) == 0 || random.IntN(10) < 3 || grows && random.IntN(10) < 5 {
			p := s.New()
			if at[p] || *p != *new(T) {
				t.Fatalf("step %d: New returned %p, in use: %t, with %v", step, p, at[p], *p)
			}
			set(p, step+1)
			at[p] = true
			live = append(live, liveSlot[T]{p, s.RefTo(p), s.HandleOf(p), step + 1})
			continue
		}
		i := random.IntN(len(live))
		l := live[i]
		if q, ok := s.Get(l.h); s.At(l.r) != l.p || q != l.p || !ok || get(l.p) != l.v || s.RefTo(l.p) != l.r {
			t.Fatalf("step %d: %+v: at %p, %p, %t; has %d", step, l, s.At(l.r), q, ok, get(l.p))
		}
		s.Free(l.p)
		delete(at, l.p)
		live[i] = live[len(live)-1]
		live = live[:len(live)-1]
		freed = append(freed, l.h)
		if h := freed[random.IntN(len(freed))]; !slotIsGone(s, h) {
			t.Fatalf("step %d: handle %x of a freed slot works", step, h)
		}
	}
	if s.Len() != len(live) {
		t.Errorf("%d in use, want %d", s.Len(), len(live))
	}
	n := 0
	for r, p := range s.All() {
		if n++; !at[p] || s.At(r) != p {
			t.Errorf("All: %d at %p", r, p)
		}
	}
	if n != len(live) {
		t.Errorf("All: %d in use, want %d", n, len(live))
	}
}

func slotIsGone[T any](s *collections.Slots[T], h collections.Handle[T]) bool {
	p, ok := s.Get(h)
	return p == nil && !ok
}
