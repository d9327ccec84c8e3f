package collections_test

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// slotNode is the element type of most slots in these tests.
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

// TestSlotsBadInput: each mistake is one panic that describes it, and changes nothing.
func TestSlotsBadInput(t *testing.T) {
	inEach(t, func(t *testing.T, a *arena.Arena) {
		s, other := collections.NewSlots[slotNode](a), collections.NewSlots[slotNode](a)
		p, q := s.New(), s.New()
		r, h := s.RefTo(q), s.HandleOf(q)
		theirs := other.HandleOf(other.New())
		s.Free(q)
		interior := (*slotNode)(unsafe.Add(unsafe.Pointer(p), 8))
		for op, f := range map[string]func(*slotNode){
			"Slots.Free": s.Free, "Slots.RefTo": func(p *slotNode) { s.RefTo(p) }, "Slots.HandleOf": func(p *slotNode) { s.HandleOf(p) },
		} {
			wantPanic(t, func() { f(new(slotNode)) }, op, "isn't a pointer that Slots.New has returned")
			wantPanic(t, func() { f(other.New()) }, op, "isn't a pointer that Slots.New has returned")
			wantPanic(t, func() { f(interior) }, op, "points into a slot")
			wantPanic(t, func() { f(q) }, op) // in a checked arena a slot is unknown after Free
			if !sanitized && a == nil {
				wantPanic(t, func() { f(q) }, op, "points to a slot that is free")
			}
		}
		wantPanic(t, func() { s.Free(nil) }, "Slots.Free", "isn't a pointer that Slots.New has returned")
		wantPanic(t, func() { s.At(r) }, "Slots.At", "is free")
		wantPanic(t, func() { s.At(r + 1<<15) }, "Slots.At", "is free")
		wantPanic(t, func() { s.At(12) }, "Slots.At", "is free")
		wantPanic(t, func() { s.At(1 << 31) }, "Slots.At", "is free")
		wantPanic(t, func() { s.Get(theirs) }, "Slots.Get", "is of another Slots")
		if !slotIsGone(s, h) || s.Len() != 1 {
			t.Errorf("Get of a freed slot, or Len %d", s.Len())
		}
		if s.At(0) != nil || s.RefTo(nil) != 0 || s.HandleOf(nil) != 0 || !slotIsGone(s, 0) {
			t.Error("nil isn't zero, or zero isn't nil")
		}
	})
	var zero collections.Slots[int]
	wantPanic(t, func() { zero.Free(new(int)) }, "Slots.Free", "isn't a pointer")
	wantPanic(t, func() { zero.At(1) }, "Slots.At", "is free")
	if p := zero.New(); zero.At(zero.RefTo(p)) != p || zero.Len() != 1 {
		t.Error("the zero Slots doesn't work")
	}
	wantPanic(t, func() { collections.NewSlots[struct{}](nil) }, "NewSlots", "size 0")
}

// TestSlotsEnd: an arena that reclaims memory of a Slots ends it. It goes on otherwise.
func TestSlotsEnd(t *testing.T) {
	for name, make := range kinds {
		if name == "heap" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			a := make()
			s := collections.NewSlots[slotNode](a)
			p := s.New()
			p.value = 7
			r, h := s.RefTo(p), s.HandleOf(p)
			m := a.Mark()
			arena.New[slotNode](a)
			a.Rewind(m)
			if q, ok := s.Get(h); !ok || q.value != 7 || s.At(r) != p {
				t.Fatal("a Rewind to after it has ended the Slots")
			}
			m = a.Mark()
			for range 1000 {
				s.New()
			}
			s.Free(s.New())
			a.Rewind(m)
			ended(t, s, r, h)

			s = collections.NewSlots[slotNode](a)
			r, h = s.RefTo(s.New()), s.HandleOf(s.New())
			s.Free(s.New())
			a.Reset()
			ended(t, s, r, h)

			s = collections.NewSlots[slotNode](a)
			p, q := s.New(), s.New()
			p.value = 8
			r = s.RefTo(p)
			s.Free(q)
			a.Free()
			if name == "scrubbed" { // it erases all
				ended(t, s, r, h)
				return
			}
			if s.At(r) != p || p.value != 8 {
				t.Error("Free of the arena has ended the Slots")
			}
			wantPanic(t, func() {
				for range 10_000 {
					s.New()
				}
			}, "freed")
		})
	}
	p := arena.NewPool()
	a := p.Get()
	s := collections.NewSlots[slotNode](a.Child())
	r, h := s.RefTo(s.New()), s.HandleOf(s.New())
	p.Put(a)
	ended(t, s, r, h)
}

// ended fails the test unless each use of s panics.
func ended(t *testing.T, s *collections.Slots[slotNode], r collections.Ref[slotNode], h collections.Handle[slotNode]) {
	t.Helper()
	for op, f := range map[string]func(){
		"New": func() { s.New() }, "Free": func() { s.Free(new(slotNode)) }, "RefTo": func() { s.RefTo(new(slotNode)) },
		"HandleOf": func() { s.HandleOf(new(slotNode)) }, "At": func() { s.At(r) }, "Get": func() { s.Get(h) },
		"Len": func() { s.Len() }, "All": func() { s.All()(nil) },
	} {
		wantPanic(t, f, "arena: Slots."+op+": the arena's Reset, Rewind, Put or, WithScrub, Free has ended the Slots")
	}
}

// TestSlotsClone: a clone by DeepClone has the same slots in other memory, and the same references.
func TestSlotsClone(t *testing.T) {
	inEach(t, func(t *testing.T, a *arena.Arena) {
		s := collections.NewSlots[slotNode](a)
		var refs []collections.Ref[slotNode]
		for i := range 300 {
			p := s.New()
			p.value, p.left = uint64(i), p
			refs = append(refs, s.RefTo(p))
		}
		h := s.HandleOf(s.At(refs[1]))
		for i := 0; i < 300; i += 3 {
			s.Free(s.At(refs[i]))
		}
		c := arena.DeepClone(s)
		for i, r := range refs {
			if i%3 == 0 {
				wantPanic(t, func() { c.At(r) }, "is free")
			} else if p := c.At(r); p.value != uint64(i) || p.left != p || p == s.At(r) || c.RefTo(p) != r {
				t.Fatalf("slot %d: %+v", i, p)
			}
		}
		if p, ok := c.Get(h); !ok || p != c.At(refs[1]) {
			t.Error("a Handle doesn't work in the clone")
		}
		for range 1000 {
			if p := c.New(); p.value != 0 || c.RefTo(p) == 0 {
				t.Fatalf("%+v", p)
			}
		}
		c.Free(c.At(refs[1]))
		if s.At(refs[1]).value != 1 || c.Len() != 1199 {
			t.Errorf("Len %d", c.Len())
		}
	})
}

// TestSlotsGenerations: a Handle is valid again after as many uses of its slot as its document says.
func TestSlotsGenerations(t *testing.T) {
	if sanitized || testing.Short() {
		t.Skip("16 million uses of a slot take too long in this build")
	}
	s := collections.NewSlots[byte](nil)
	p := s.New()
	h := s.HandleOf(p)
	for range 1<<24 - 1 {
		s.Free(p)
		s.New()
	}
	if !slotIsGone(s, h) {
		t.Error("too early")
	}
	s.Free(p)
	s.New()
	if q, ok := s.Get(h); !ok || q != p {
		t.Error("too late, or elsewhere")
	}
}

// TestSlotsMemory: a Slots takes 4 bytes for each slot and a few percent in reserve. Freed slots are reused, in any
// arena but a checked one.
func TestSlotsMemory(t *testing.T) {
	if sanitized {
		t.Skip("freed slots aren't used again in this build, and there are red zones")
	}
	for _, pool := range []*arena.Pool{arena.NewPool(), arena.NewPool(arena.WithReuse(), arena.WithNoScan())} {
		a := pool.Get()
		s := collections.NewSlots[[6]uint64](a)
		const n = 300_000
		var all [n]*[6]uint64
		for i := range all {
			all[i] = s.New()
		}
		used := a.UsedBytes()
		for range 3 {
			for _, p := range all {
				s.Free(p)
			}
			for i := range all {
				all[i] = s.New()
			}
		}
		if per := float64(used) / n; per > 52*1.07 || a.UsedBytes() != used {
			t.Errorf("%.2f bytes for each slot, and %d more", per, a.UsedBytes()-used)
		}
	}
}

// TestSlotsLimit: New panics when a budget is used up, and the Slots goes on.
func TestSlotsLimit(t *testing.T) {
	if sanitized {
		t.Skip("freed slots aren't used again at once in this build")
	}
	a := arena.NewArena(arena.WithLimit(100_000))
	s := collections.NewSlots[slotNode](a)
	for v := any(nil); v == nil; {
		v = caught(func() { s.New() })
	}
	n := s.Len()
	for _, p := range s.All() {
		s.Free(p)
	}
	for range n {
		s.New()
	}
	if s.Len() != n || n < 800 {
		t.Errorf("%d of %d", s.Len(), n)
	}
}
