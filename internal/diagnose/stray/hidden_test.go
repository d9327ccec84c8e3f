package stray_test

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/tuning"
)

type linked struct {
	to   unsafe.Pointer
	next *linked
}

// page is the unit in which package stray learns addresses.
const page = 4 << 10

// outside has pages of its own, unknown to the linker.
var outside = new([3 * page]byte)

// TestStaticPages: a page found to be static isn't looked up again.
func TestStaticPages(t *testing.T) {
	lookups := withPlaces(t, inspect.Static)
	a := arena.NewArena(arena.WithNoScan(), arena.WithChecks(arena.CheckObjects), reportStrays(t))
	for range 3 {
		arena.New[linked](a).to = unsafe.Pointer(&outside[page])
		a.Reset()
	}
	if *lookups != 1 {
		t.Errorf("%d look-ups", *lookups)
	}
}

// TestStrayWalksAreBounded: not each small Rewind of a large arena walks all of it.
func TestStrayWalksAreBounded(t *testing.T) {
	const large, rewinds = 1000, 10 * 1000 / (2 * tuning.WalksPerObject)
	lookups := withPlaces(t, inspect.Kept)
	a := arena.NewArena(arena.WithNoScan(), arena.WithChecks(arena.CheckObjects), reportStrays(t))
	for range large {
		arena.New[linked](a)
	}
	m := a.Mark()
	for range rewinds {
		for range 2 {
			arena.New[linked](a).to = unsafe.Pointer(&outside[2*page])
		}
		a.Rewind(m)
	}
	if most := tuning.WalksPerObject + 10; *lookups == 0 || *lookups > most {
		t.Errorf("%d of %d Rewinds were preceded by a look, want 1 to %d", *lookups, rewinds, most)
	}
}

// TestStraysWithoutDump: if the heap can't be dumped only the caller gets an error, and
// nothing is reported.
func TestStraysWithoutDump(t *testing.T) {
	withPlaces(t, inspect.OnHeap)
	failure := errors.New("no dump")
	inspect.Places = func([]uintptr, []uintptr, []inspect.Block) ([]inspect.Place, error) { return nil, failure }
	a := arena.NewArena(arena.WithNoScan(), arena.WithChecks(arena.CheckObjects), reportStrays(t))
	arena.New[linked](a).to = unsafe.Pointer(&outside[2*page])
	if err := inspect.Arenas.Strays(a, false); err != failure {
		t.Errorf("got %v", err)
	}
	a.Reset()
}

// TestNoStraysInNothing: values of no size are allocated like others, and have no pointers.
func TestNoStraysInNothing(t *testing.T) {
	lookups := withPlaces(t, inspect.OnHeap)
	a := arena.NewArena(arena.WithNoScan(), arena.WithChecks(arena.CheckObjects), reportStrays(t))
	arena.New[struct{}](a)
	arena.New[[0]linked](a)
	arena.New[linked](a)
	a.Reset()
	if *lookups != 0 {
		t.Errorf("%d look-ups of what has no pointers", *lookups)
	}
}

// TestStraysOncePerField: the elements of a slice have one report for each field.
func TestStraysOncePerField(t *testing.T) {
	withPlaces(t, inspect.OnHeap)
	var got []inspect.Stray
	a := arena.NewArena(arena.WithNoScan(), arena.WithChecks(arena.CheckObjects), inspect.Arenas.OnStray(func(s inspect.Stray) { got = append(got, s) }).(arena.Option))
	list := arena.MakeSlice[linked](a, 4, 4)
	for i := 1; i < len(list); i++ {
		list[i].to = unsafe.Pointer(&outside[2*page])
	}
	list[3].next = (*linked)(unsafe.Pointer(&outside[2*page+64]))
	a.Reset()
	if len(got) != 2 || got[0].Field != "[]stray_test.linked[1].to" || got[0].More != 2 || got[1].Field != "[]stray_test.linked[3].next" || got[1].More != 0 {
		t.Errorf("3 strays in a field, 1 in another: %+v", got)
	}
}

// withPlaces makes all addresses be of a kind, and returns the number of look-ups.
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

func reportStrays(t *testing.T) arena.Option {
	return inspect.Arenas.OnStray(func(s inspect.Stray) { t.Errorf("a stray: %+v", s) }).(arena.Option)
}
