package memory

import (
	"reflect"
	"runtime"
	"sync"
	"testing"
	"unsafe"
)

// withChunks returns a space that has unused chunks of some sizes in its plain region and, unless it has an owner, in a
// slab.
func withChunks(t *testing.T, owner unsafe.Pointer) (s *Space, b *Slab) {
	t.Helper()
	s = new(Space)
	s.Init(new(Region), new(Window), &Config{Chunk: 4 << 10, MaxChunk: 1 << 20, MaxRetained: 1 << 26}, false)
	if owner != nil { // all values are in the plain region
		s.SetOwner(owner)
		s.plain.TakeLow(100<<10, 8, false)
		s.Restart()
		s.EndLife()
		return s, nil
	}
	b = s.AddSlab(Key{reflect.ValueOf(reflect.TypeFor[*int]()).UnsafePointer()}, reflect.TypeFor[*int](), 0)
	for _, n := range []uintptr{100 << 10, 20 << 10, 300 << 10} {
		s.plain.TakeLow(n, 8, false)
		b.TakeLow(n, 8, false)
	}
	s.Restart()
	return s, b
}

// TestDepot: chunks that one space gives are found by another, each byte is counted where it is, and unused chunks go.
func TestDepot(t *testing.T) {
	var d Depot
	from, _ := withChunks(t, nil)
	had := from.Reserved()
	d.Take(from, func(to Keeper) { from.ShedTo(0, true, to) })
	if from.Reserved() != 0 || d.Bytes() != had {
		t.Errorf("%d bytes stay, the depot has %d of %d", from.Reserved(), d.Bytes(), had)
	}
	to, slab := withChunks(t, nil)
	before := to.Reserved()
	for _, r := range []*Region{to.plain, &slab.Region} {
		c, ok := d.Lend(r, 90<<10, 100<<10)
		if !ok || c.Size < 90<<10 || c.Total > 400<<10 || r.slab != nil && r.slab.Elem() != reflect.TypeFor[*int]() {
			t.Errorf("lent %d bytes: %t", c.Total, ok)
		}
		r.chunks.shelve(c)
	}
	if c, ok := d.Lend(to.plain, 2<<20, 2<<20); ok {
		t.Errorf("lent %d bytes", c.Total)
	}
	if to.Reserved()+d.Bytes() != before+had {
		t.Errorf("%d bytes are lent and %d left of %d", to.Reserved()-before, d.Bytes(), had)
	}
	left := d.Bytes()
	if d.Shed(left - left/2); d.Bytes() > left/2 || d.Bytes() == 0 && left > 1<<20 {
		t.Errorf("%d bytes are left of %d", d.Bytes(), left)
	}
	d.Shed(1 << 30)
	if d.Bytes() != 0 {
		t.Errorf("%d bytes are left of all", d.Bytes())
	}
}

// TestDepotOfOwned: the chunks of a self-contained space change their owner, and keep each other.
func TestDepotOfOwned(t *testing.T) {
	var d Depot
	owner := new(int)
	from, _ := withChunks(t, unsafe.Pointer(owner))
	d.Take(from, func(to Keeper) { from.ShedTo(0, true, to) })
	store := d.get()
	if store.space.owner != unsafe.Pointer(store) || d.Bytes() == 0 {
		t.Errorf("the owner is %p, of %p", store.space.owner, store)
	}
	runtime.KeepAlive(store)
}

// TestDepotIsDropped: by the GC, as a sync.Pool is, and it begins anew.
func TestDepotIsDropped(t *testing.T) {
	var d Depot
	for range 2 {
		from, _ := withChunks(t, nil)
		d.Take(from, func(to Keeper) { from.ShedTo(0, true, to) })
		if d.Bytes() == 0 {
			t.Error("the depot is empty")
		}
		for range 3 {
			runtime.GC()
		}
		if _, ok := d.Lend(from.plain, 1<<10, 1<<10); ok || d.Bytes() != 0 {
			t.Errorf("%d bytes are left after the GC", d.Bytes())
		}
	}
}

// borrower lends chunks of a depot.
type borrower struct{ d *Depot }

func (b borrower) Lend(to *Region, least, want uintptr) (Chunk, bool) {
	return b.d.Lend(to, least, want)
}

// TestDepotForMany: goroutines that use one depot never have the same chunk.
func TestDepotForMany(t *testing.T) {
	var d Depot
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() {
			s, b := withChunks(t, nil)
			s.SetLender(borrower{&d})
			for i := range 300 {
				n := uintptr(1<<10) << (i % 9)
				text := unsafe.Slice((*byte)(s.plain.TakeLow(n, 8, false)), n)
				pointers := unsafe.Slice((**int)(b.TakeLow(n, 8, false)), n/8)
				for j := range pointers {
					if text[j] != 0 || pointers[j] != nil {
						t.Errorf("not zero: %d, %p", text[j], pointers[j])
						return
					}
					text[j], pointers[j] = byte(1+g), &numbers[g]
				}
				runtime.Gosched()
				for j := range pointers {
					if text[j] != byte(1+g) || pointers[j] != &numbers[g] {
						t.Errorf("%d has %d, %p", g, text[j], pointers[j])
						return
					}
				}
				s.Restart()
				d.Take(s, func(to Keeper) { s.ShedTo(8<<10, true, to) })
				if i%50 == 0 {
					d.Trim()
				}
			}
		})
	}
	all.Wait()
}

var numbers [4]int
