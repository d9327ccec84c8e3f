package arenaext

import (
	"fmt"
	"reflect"
	"runtime"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
)

// named is a defined type with the kind of another.
type named string

// buildAll builds maps of 0 to 20 entries in an arena, and compares them with the runtime's maps after a GC. It
// returns the number of entries of the largest map in the arena, or -1.
func buildAll[K comparable, V any](t *testing.T, a *arena.Arena, drift bool, key func(int) K, elem func(int) V) (most int) {
	b := NewMapBuilder(reflect.TypeFor[map[K]V]())
	if drift {
		b.small = nil
	}
	most = -1
	for n := range 20 {
		m, want := arena.New[map[K]V](a), map[K]V{}
		usable := b.Usable(a, n)
		b.New(a, unsafe.Pointer(m), n)
		for i := range n + 1 {
			k, e := key(i), elem(i)
			want[k] = e
			b.Put(unsafe.Pointer(m), unsafe.Pointer(&k), unsafe.Pointer(&e))
			if v := reflect.ValueOf(e); reflect.ValueOf(k).IsValid() && k != *new(K) || v.IsValid() && !v.IsZero() {
				t.Errorf("%T: Put leaves %v and %v", *m, k, e)
			}
		}
		last := key(n)
		b.Drop(unsafe.Pointer(m), unsafe.Pointer(&last))
		delete(want, last)
		runtime.GC()
		if !reflect.DeepEqual(*m, want) {
			t.Errorf("%v instead of %v", *m, want)
		}
		in := a != nil && a.Owns(reflect.ValueOf(*m).UnsafePointer())
		if in != usable {
			t.Errorf("%T of %d entries: in the arena: %t, Usable: %t", *m, n, in, usable)
		}
		if in {
			most = n
		}
	}
	return most
}

// TestMapBuilder: maps of any type equal the runtime's, in each arena, also if the runtime's layout isn't
// known. Maps of at most eight entries are in the arena.
func TestMapBuilder(t *testing.T) {
	text := func(i int) string { return fmt.Sprint("text ", i) }
	number := func(i int) int32 { return int32(i) }
	for name, a := range map[string]*arena.Arena{"plain": arena.NewArena(), "self-contained": arena.NewArena(arena.WithNoScan()), "nil": nil} {
		if got := buildAll(t, a, false, func(i int) any { return i }, func(i int) any { return text(i) }); got != -1 {
			t.Errorf("%s: interfaces are hashed by their types, and a map[any]any is in the arena", name)
		}
		for _, drift := range []bool{false, true} {
			want := -1
			if name == "plain" && !drift && NewMapBuilder(reflect.TypeFor[map[string]int]()).small != nil {
				want = 8
			}
			for typ, got := range map[string]int{
				"map[string]string":   buildAll(t, a, drift, text, text),
				"map[named]*int32":    buildAll(t, a, drift, func(i int) named { return named(text(i)) }, func(i int) *int32 { return new(number(i)) }),
				"map[int32]bool":      buildAll(t, a, drift, number, func(i int) bool { return i%2 == 0 }),
				"map[uint64]float64":  buildAll(t, a, drift, func(i int) uint64 { return uint64(i) }, func(i int) float64 { return float64(i) }),
				"map[int32]int32":     buildAll(t, a, drift, number, number),
				"map[string][]byte":   buildAll(t, a, drift, text, func(i int) []byte { return []byte(text(i)) }),
				"map[[2]string][]any": buildAll(t, a, drift, func(i int) [2]string { return [2]string{text(i), "x"} }, func(i int) []any { return []any{i} }),
			} {
				if got != want {
					t.Errorf("%s, drift %t: %s: maps of up to %d entries are in the arena, not %d", name, drift, typ, got, want)
				}
			}
		}
	}
}
