package holder

import (
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
	"github.com/harena-go/arena/internal/diagnose/holder/dump/dumptest"
)

// placed is a dump of a chain of objects from 0x10100 over 0x10200 to 0x10300, of
// one in between at 0x10280, and of one that leads there.
var placed = dumptest.Of(
	dumptest.Object(0x10100, 0x10204, 0), dumptest.Object(0x10200, 0x10307, 0x99),
	dumptest.Object(0x10280, 0x10280, 0), dumptest.Object(0x10300, 0, 0))

func TestPlacesInDump(t *testing.T) {
	d, err := dump.Parse(placed)
	if err != nil {
		t.Fatal(err)
	}
	addrs := []uintptr{0xFFFF, 0x10000, 0x10107, 0x10108, 0x10204, 0x10280, 0x10300, 0x1FFFF, 0x20000}
	kinds := func(kept []uintptr, ignored ...Range) (kinds []PlaceKind) {
		for _, p := range placesIn(d, addrs, kept, ignored) {
			kinds = append(kinds, p.Kind)
		}
		return kinds
	}
	for _, c := range []struct {
		name    string
		kept    []uintptr
		ignored []Range
		want    []PlaceKind
	}{
		{"nothing kept", nil, nil,
			[]PlaceKind{Outside, NoObject, OnHeap, NoObject, OnHeap, OnHeap, OnHeap, NoObject, Outside}},
		{"all of the chain kept", []uintptr{0, 0x10104}, nil,
			[]PlaceKind{Outside, NoObject, Kept, NoObject, Kept, OnHeap, Kept, NoObject, Outside}},
		{"the rest of the chain kept", []uintptr{0x10200}, nil,
			[]PlaceKind{Outside, NoObject, OnHeap, NoObject, Kept, OnHeap, Kept, NoObject, Outside}},
		{"not through an ignored object", []uintptr{0x10100}, []Range{{Start: 0x100F0, End: 0x10100}, {Start: 0x10202, End: 0x10203}, {Start: 0x10208, End: 0x10280}},
			[]PlaceKind{Outside, NoObject, Kept, NoObject, Kept, OnHeap, OnHeap, NoObject, Outside}},
		{"a cycle kept", []uintptr{0x10287}, nil,
			[]PlaceKind{Outside, NoObject, OnHeap, NoObject, OnHeap, Kept, OnHeap, NoObject, Outside}},
	} {
		if got := kinds(c.kept, c.ignored...); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", c.name, got, c.want)
		}
	}
	if p := placesIn(d, []uintptr{0x10204}, nil, nil)[0]; p.Size != 8 || p.First != 0x99 {
		t.Errorf("got %+v", p)
	}
}

// Objects on the heap.
var (
	placeSink  *[4]*[64]byte
	placeOther *[64]byte
)

// TestPlaces: places in this process.
func TestPlaces(t *testing.T) {
	placeSink = &[4]*[64]byte{2: new([64]byte)}
	placeOther = new([64]byte)
	address := func(p unsafe.Pointer) uintptr { return uintptr(p) }
	got, err := Places([]uintptr{
		address(unsafe.Pointer(&placeSink)), address(unsafe.Pointer(unsafe.StringData("constant"))),
		address(unsafe.Pointer(&placeSink[2][5])), address(unsafe.Pointer(placeOther)),
	}, []uintptr{address(unsafe.Pointer(placeSink))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []PlaceKind{Outside, Outside, Kept, OnHeap} {
		if got[i].Kind != want {
			t.Errorf("%d: got %v, want %v", i, got[i].Kind, want)
		}
	}
	placeSink, placeOther = nil, nil
}

// TestPlaceOfFreed: at the address of a freed object there is no object, unless the memory was reused by now.
func TestPlaceOfFreed(t *testing.T) {
	for range 20 {
		freed := uintptr(unsafe.Pointer(unsafe.SliceData(make([]byte, 1<<20+len(t.Name())))))
		runtime.GC()
		p, err := Places([]uintptr{freed}, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		if p[0].Kind == NoObject {
			return
		}
	}
	t.Error("always an object")
}
