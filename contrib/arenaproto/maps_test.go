package arenaproto

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"github.com/harena-go/arena/contrib/arenaproto/internal/compile"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/three"
	"github.com/harena-go/arena/internal/tests/testkit"
	"google.golang.org/protobuf/proto"
)

// entries is an input with so many entries of a map of strings.
func entries(n int) (b []byte) {
	for i := range n {
		b = append(b, field(numberOf("of_string"), string(field(1, fmt.Sprint("key ", i)))+string(field(2, "value")))...)
	}
	return b
}

// smallMaps reports whether maps can be made in arenas here.
func smallMaps() bool {
	return arenaext.NewMapBuilder(reflect.TypeFor[map[string]string]()).Usable(arena.NewArena(), 1)
}

// TestSmallMaps: maps of at most eight entries are in the arena, others are not, and in self-contained arenas
// none is.
func TestSmallMaps(t *testing.T) {
	if !smallMaps() {
		t.Skip("there are none on 32-bit machines")
	}
	for _, a := range []*arena.Arena{arena.NewArena(), arena.NewArena(arena.WithNoScan()), nil} {
		for n := 1; n < 20; n++ {
			m, err := New[three.All](a, entries(n))
			if err != nil || len(m.OfString) != n {
				t.Fatalf("%d entries of %d: %v", len(m.OfString), n, err)
			}
			in := a != nil && a.Owns(reflect.ValueOf(m.OfString).UnsafePointer())
			if want := a != nil && !a.SelfContained() && n <= 8; in != want {
				t.Errorf("a map of %d entries in the arena: %v, self-contained: %v", n, in, a.SelfContained())
			}
		}
	}
}

// TestSmallMapsAfterwards: they can be used as others, by the program and by the official runtime, and grow.
func TestSmallMapsAfterwards(t *testing.T) {
	a := arena.NewArena()
	for round := range 50 {
		a.Reset()
		var all []*three.All
		for n := range 9 {
			m, err := New[three.All](a, entries(n))
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, m)
		}
		for n, m := range all {
			heap := &three.All{}
			if err := proto.Unmarshal(entries(n), heap); err != nil {
				t.Fatal(err)
			}
			if n > 0 {
				for i := range round {
					k := fmt.Sprint("more ", i)
					m.OfString[k], heap.OfString[k] = k, k
				}
				delete(m.OfString, "key 0")
				delete(heap.OfString, "key 0")
			}
			if round%16 == 0 {
				runtime.GC()
			}
			if !compile.Identical(m, heap) || !maps.Equal(m.OfString, heap.OfString) || !compile.Identical(Clone(m), heap) || !compile.Identical(proto.Clone(m), heap) {
				t.Fatalf("%v instead of %v", m, heap)
			}
			proto.Merge(m, heap)
			more := UnmarshalOptions{Merge: true}
			if err := more.Unmarshal(a, entries(12), m); err != nil {
				t.Fatal(err)
			}
			if err := more.official().Unmarshal(entries(12), heap); err != nil || !compile.Identical(m, heap) {
				t.Fatalf("%v instead of %v (%v)", m, heap, err)
			}
			if clear(m.OfString); len(m.OfString) != 0 {
				t.Fatal(m.OfString)
			}
		}
	}
}

// TestSmallMapsCount: a budget that doesn't allow for them is an error, and they make no garbage.
func TestSmallMapsCount(t *testing.T) {
	b := bytes.Join([][]byte{entries(5), field(numberOf("by_int32"), "\x08\x01\x12\x01x"), field(numberOf("of_node"), "\x0a\x01x\x12\x03\x0a\x01n"),
		field(numberOf("by_bool"), "\x08\x01\x12\x01x"), field(numberOf("of_double"), "\x0a\x01x")}, nil)
	a := arena.NewArena()
	if n := testing.AllocsPerRun(100, func() {
		a.Reset()
		if m, err := New[three.All](a, b); err != nil || len(m.OfString) != 5 || m.OfNode["x"].Name != "n" {
			t.Fatal(m, err)
		}
	}); n > 0 && testkit.Countable() && smallMaps() {
		t.Errorf("%v allocations", n)
	}
	var e *arena.LimitError
	if _, err := New[three.All](arena.NewArena(arena.WithLimit(2000+int(unsafe.Sizeof(three.All{})))), bytes.Repeat(field(numberOf("all"), string(entries(1))), 100)); !errors.As(err, &e) {
		t.Errorf("no limit: %v", err)
	}
}
