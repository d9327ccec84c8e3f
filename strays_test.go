package arena

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/inspect"
)

type linked struct {
	to   unsafe.Pointer
	next *linked
}

// outside has its pages for itself, which the linker doesn't know of.
var outside = new([3 * staticPage]byte)

// TestStaticPages: a page that was found to be static isn't looked up again.
func TestStaticPages(t *testing.T) {
	lookups := withPlaces(t, inspect.Static)
	a := NewArena(WithNoScan(), WithChecks(CheckObjects), reportStrays(t))
	for range 3 {
		New[linked](a).to = unsafe.Pointer(&outside[staticPage])
		a.Reset()
	}
	if *lookups != 1 {
		t.Errorf("%d look-ups", *lookups)
	}
}

// TestStrayWalksAreBounded: a Rewind of little isn't preceded by a look at all of a
// large arena each time.
func TestStrayWalksAreBounded(t *testing.T) {
	const large, rewinds = 1000, 10 * 1000 / (2 * walksPerObject)
	lookups := withPlaces(t, inspect.Kept)
	a := NewArena(WithNoScan(), WithChecks(CheckObjects), reportStrays(t))
	for range large {
		New[linked](a)
	}
	m := a.Mark()
	for range rewinds {
		for range 2 {
			New[linked](a).to = unsafe.Pointer(&outside[2*staticPage])
		}
		a.Rewind(m)
	}
	if most := walksPerObject + 10; *lookups == 0 || *lookups > most {
		t.Errorf("%d of %d Rewinds were preceded by a look, want 1 to %d", *lookups, rewinds, most)
	}
}

// TestStraysWithoutDump: where the heap can't be dumped nothing is reported but to who
// asks.
func TestStraysWithoutDump(t *testing.T) {
	withPlaces(t, inspect.OnHeap)
	failure := errors.New("no dump")
	inspect.Places = func([]uintptr, []uintptr, []inspect.Block) ([]inspect.Place, error) { return nil, failure }
	a := NewArena(WithNoScan(), WithChecks(CheckObjects), reportStrays(t))
	New[linked](a).to = unsafe.Pointer(&outside[2*staticPage])
	if err := inspect.Strays(a, false); err != failure {
		t.Errorf("got %v", err)
	}
	a.Reset()
}

// TestNoStraysInNothing: values of no size are allocated like others, and have no pointers.
func TestNoStraysInNothing(t *testing.T) {
	lookups := withPlaces(t, inspect.OnHeap)
	a := NewArena(WithNoScan(), WithChecks(CheckObjects), reportStrays(t))
	New[struct{}](a)
	New[[0]linked](a)
	New[linked](a)
	a.Reset()
	if *lookups != 0 {
		t.Errorf("%d look-ups of what has no pointers", *lookups)
	}
}

// withPlaces lets all addresses be of a kind, and returns how often was asked.
func withPlaces(t *testing.T, kind inspect.PlaceKind) *int {
	lookups := new(int)
	inspect.Places = func(addrs, _ []uintptr, _ []inspect.Block) ([]inspect.Place, error) {
		*lookups++
		places := make([]inspect.Place, len(addrs))
		for i := range places {
			places[i].Kind = kind
		}
		return places, nil
	}
	before := inspect.Dumps.Swap(1000)
	t.Cleanup(func() {
		inspect.Places = nil
		inspect.Dumps.Store(before)
	})
	return lookups
}

func reportStrays(t *testing.T) Option {
	return inspect.OnStray(func(s inspect.Stray) { t.Errorf("a stray: %+v", s) }).(Option)
}
