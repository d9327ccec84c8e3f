package smallmap

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/layout"
)

// quantity is as large as the elements of some maps of Kubernetes.
type quantity struct {
	n    int64
	low  int32
	big  *int
	S    string
	Unit string
}

type named string

// TestKnown: with this toolchain there are small maps of all kinds that protobuf and JSON have.
func TestKnown(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("there are none on 32-bit machines")
	}
	for _, typ := range []reflect.Type{reflect.TypeFor[map[string]string](), reflect.TypeFor[map[string]*int](), reflect.TypeFor[map[int32][]byte](),
		reflect.TypeFor[map[uint64]float64](), reflect.TypeFor[map[bool]bool](), reflect.TypeFor[map[int64]float32](), reflect.TypeFor[map[named]quantity](),
		reflect.TypeFor[map[bool]*quantity](), reflect.TypeFor[map[string]any](), reflect.TypeFor[map[uint32]int8]()} {
		l := Of(typ)
		if l == nil {
			t.Errorf("%v: the layout of maps of this toolchain isn't known", typ)
			continue
		}
		if l.Tables() != (typ.Key().Kind() != reflect.Bool) {
			t.Errorf("%v: tables are %v", typ, l.Tables())
		}
		if l.Entries() != (typ.Key().Kind() == reflect.String) {
			t.Errorf("%v: entries are %v", typ, l.Entries())
		}
	}
}

// TestDrift: if the runtime laid out maps in another way, there would be none.
func TestDrift(t *testing.T) {
	defer func(was []shape) { shapes = was }(shapes)
	right := shapes
	word := reflect.StructField{Name: "Word", Type: reflect.TypeFor[uint64]()}
	for name, wrong := range map[string]shape{
		"a word before": func(key, elem reflect.Type) reflect.Type {
			return reflect.StructOf([]reflect.StructField{{Name: "Keys", Type: reflect.ArrayOf(Most, elem)}, {Name: "Elems", Type: reflect.ArrayOf(Most, key)}})
		},
		"elements first": func(key, elem reflect.Type) reflect.Type {
			return reflect.ArrayOf(Most, reflect.StructOf([]reflect.StructField{{Name: "Elem", Type: elem}, {Name: "Key", Type: key}}))
		},
		"wider": func(key, elem reflect.Type) reflect.Type {
			return reflect.ArrayOf(Most, reflect.StructOf([]reflect.StructField{{Name: "Key", Type: key}, {Name: "Elem", Type: elem}, word}))
		},
	} {
		shapes = []shape{wrong}
		for _, typ := range []reflect.Type{reflect.TypeFor[map[int64]string](), reflect.TypeFor[map[string]*int](), reflect.TypeFor[map[bool]int64]()} {
			if Of(typ) != nil {
				t.Errorf("%s: %v isn't noticed", name, typ)
			}
		}
	}
	shapes = []shape{right[1], right[0]}
	if Of(reflect.TypeFor[map[int64]string]()) == nil && unsafe.Sizeof(uintptr(0)) == 8 {
		t.Error("the right one isn't found behind a wrong one")
	}
}

// TestSizes: the least distance of values is their size, on a heap that other goroutines use, too.
func TestSizes(t *testing.T) {
	type large struct {
		p *int
		n [7]int
	}
	stop := make(chan bool)
	defer close(stop)
	for range 4 {
		go func() {
			for {
				select {
				case <-stop:
					return
				default:
					other.Store(new(large))
				}
			}
		}()
	}
	for range 100 {
		got := leastDistance(func() unsafe.Pointer { return unsafe.Pointer(new(large)) })
		if got < unsafe.Sizeof(large{}) || got > unsafe.Sizeof(large{})+64 { // a red zone
			t.Fatalf("%d bytes", got)
		}
	}
	if !sizesAgree() && unsafe.Sizeof(uintptr(0)) == 8 {
		t.Error("headers or tables have another size than those of the runtime")
	}
}

var other atomic.Value

// TestUnfit: types that don't fit into a group, or can't be tried, have no layout.
func TestUnfit(t *testing.T) {
	for _, typ := range []reflect.Type{reflect.TypeFor[map[string][129]byte](), reflect.TypeFor[map[[17]uint64]int](), reflect.TypeFor[map[string]struct{}](),
		reflect.TypeFor[map[string]struct{ n int }](), reflect.TypeFor[map[any]int]()} {
		if Of(typ) != nil {
			t.Errorf("%v has", typ)
		}
	}
}

// fresh is an empty map in an arena.
func fresh(l *Layout, a *arena.Arena) unsafe.Pointer {
	p := arena.KeyOf(l.Type()).New(a)
	l.Begin(p)
	return p
}

// made is a small map in an arena, as a map.
func made[M ~map[K]E, K comparable, E any](t testing.TB, a *arena.Arena) M {
	l := Of(reflect.TypeFor[M]())
	if l == nil {
		t.Skip("the layout of maps of this toolchain isn't known")
	}
	p := fresh(l, a)
	m := *(*M)(unsafe.Pointer(&p))
	if !a.Owns(p) || len(m) != 0 {
		t.Fatalf("%v isn't in the arena, or not empty", m)
	}
	return m
}

// madeTable is a map with a table in an arena, which has room for n entries.
func madeTable[M ~map[K]E, K comparable, E any](t testing.TB, a *arena.Arena, n int) M {
	l := Of(reflect.TypeFor[M]())
	if l == nil || !l.Tables() || n > MostInTable {
		return made[M](t, a)
	}
	p, groups := arena.KeyOf(l.HeadType()).New(a), Groups(n)
	l.BeginTable(p, arena.KeyOf(l.GroupType()).MakeSlice(a, groups), groups)
	return *(*M)(unsafe.Pointer(&p))
}

// filled is a map in an arena whose slots were filled without the runtime, if that can be: those of a group,
// or those of a table by a form.
func filled[M ~map[K]E, K comparable, E any](t testing.TB, a *arena.Arena, w M) M {
	l := Of(reflect.TypeFor[M]())
	if l == nil || !l.Entries() {
		m := made[M](t, a)
		maps.Copy(m, w)
		return m
	}
	var keys []string
	for k := range w {
		keys = append(keys, reflect.ValueOf(k).String())
	}
	typed := func(k string) K { return reflect.ValueOf(k).Convert(reflect.TypeFor[K]()).Interface().(K) }
	if len(keys) <= Most {
		p, seed := arena.KeyOf(l.Type()).New(a), NewSeed()
		l.BeginWith(p, seed)
		for i, k := range keys {
			name, elem := l.Entry(p, i)
			*name, *(*E)(elem) = k, w[typed(k)]
			l.Count(p, i, seed.Control(k))
		}
		return *(*M)(unsafe.Pointer(&p))
	}
	f := l.NewForm(keys)
	p, groups := arena.KeyOf(l.HeadType()).New(a), arena.KeyOf(l.GroupType()).MakeSlice(a, f.Groups())
	l.BeginForm(p, groups, f)
	for i, k := range keys {
		*(*E)(l.Elem(groups, f, i)) = w[typed(k)]
	}
	return *(*M)(unsafe.Pointer(&p))
}

// someMap is a map in an arena, made in one of the ways that there are, and one of the runtime's with the same
// entries.
func someMap[K comparable, E any](t *testing.T, a *arena.Arena, r *rand.Rand, keys int, key func(n int) K, elem func(n int) E) (m, w map[K]E) {
	w = map[K]E{}
	switch kind := r.IntN(4); kind {
	case 0:
		return made[map[K]E](t, a), w
	case 1:
		return madeTable[map[K]E](t, a, 9+r.IntN(keys+1)), w
	default:
		for i := range (kind-2)*12 + 1 + r.IntN(8) {
			w[key(i)] = elem(i)
		}
		return filled(t, a, w), w
	}
}

// attack does random operations on maps, on one that was made here and on one of the runtime's.
func attack[K comparable, E any](t *testing.T, key func(n int) K, elem func(n int) E, equal func(x, y E) bool) {
	t.Run(fmt.Sprintf("%T", map[K]E{}), func(t *testing.T) {
		a := arena.NewArena()
		for seed := range 50 {
			r := rand.New(rand.NewPCG(uint64(seed), 1))
			a.Reset()
			keys, steps := 3+r.IntN(30), 200
			if seed%10 == 9 { // which split their tables
				keys, steps = 2000, 4000
			}
			all := []map[K]E{}
			want := []map[K]E{}
			for range 1 + r.IntN(20) { // several live in one chunk
				m, w := someMap(t, a, r, keys, key, elem)
				all, want = append(all, m), append(want, w)
			}
			for range steps {
				i := r.IntN(len(all))
				m, w := all[i], want[i]
				switch k := key(r.IntN(keys)); r.IntN(24) {
				case 0:
					clear(m)
					clear(w)
				case 1:
					all[i] = maps.Clone(m)
				case 2, 3, 4:
					delete(m, k)
					delete(w, k)
				case 5:
					for k := range m { // deleting while it is read
						if r.IntN(2) == 0 {
							delete(m, k)
							delete(w, k)
						}
					}
				case 6:
					v := reflect.ValueOf(m)
					v.SetMapIndex(reflect.ValueOf(k), reflect.ValueOf(elem(7)))
					w[k] = elem(7)
				case 7:
					maps.DeleteFunc(m, func(x K, _ E) bool { return x == k })
					delete(w, k)
				case 8:
					if seed%16 == 0 {
						runtime.GC()
					}
				default:
					n := r.IntN(1000)
					m[k] = elem(n)
					w[k] = elem(n)
				}
				if steps > 200 && r.IntN(200) > 0 {
					if k := key(r.IntN(keys)); len(all[i]) != len(w) || !equal(all[i][k], w[k]) {
						t.Fatalf("seed %d: %v is %v instead of %v", seed, k, all[i][k], w[k])
					}
					continue
				}
				if !maps.EqualFunc(all[i], w, equal) || reflect.ValueOf(all[i]).Len() != len(w) {
					t.Fatalf("seed %d: %v instead of %v", seed, all[i], w)
				}
				n := 0
				for it := reflect.ValueOf(all[i]).MapRange(); it.Next(); n++ {
					if e, ok := w[it.Key().Interface().(K)]; !ok || !equal(e, it.Value().Interface().(E)) {
						t.Fatalf("seed %d: reflect reads %v", seed, it.Key())
					}
				}
				if n != len(w) {
					t.Fatalf("seed %d: reflect reads %d of %d", seed, n, len(w))
				}
			}
			runtime.KeepAlive(a)
		}
	})
}

// TestAttack: they are as others in all that can be seen, while the GC runs, and when they grow.
func TestAttack(t *testing.T) {
	heap := func(n int) *int { return &n }
	same := func(x, y *int) bool { return x == y || x != nil && y != nil && *x == *y }
	text := func(n int) string { return fmt.Sprint("number ", n) }
	attack(t, text, text, func(x, y string) bool { return x == y })
	attack(t, func(n int) int32 { return int32(n) }, heap, same)
	attack(t, func(n int) bool { return n%2 == 0 }, heap, same)
	attack(t, func(n int) uint64 { return uint64(n) }, func(n int) float32 { return float32(n) }, func(x, y float32) bool { return x == y })
	attack(t, func(n int) named { return named(text(n)) }, func(n int) quantity { return quantity{n: int64(n), big: heap(n), S: text(n)} },
		func(x, y quantity) bool { return x.n == y.n && x.S == y.S && same(x.big, y.big) })
	attack(t, text, func(n int) []byte { return []byte(text(n)) }, func(x, y []byte) bool { return string(x) == string(y) })
}

// TestSeeds: no two maps have the same seed, so that no input fills one bucket of all of them.
func TestSeeds(t *testing.T) {
	a := arena.NewArena()
	seeds := map[uintptr]bool{}
	l := Of(reflect.TypeFor[map[string]string]())
	if l == nil {
		t.Skip("the layout of maps of this toolchain isn't known")
	}
	for range 100 {
		seeds[(*header)(fresh(l, a)).seed] = true
	}
	if len(seeds) != 100 {
		t.Errorf("%d seeds of 100 maps", len(seeds))
	}
}

// TestOrder: the order in which entries are read isn't always the same, as with others.
func TestOrder(t *testing.T) {
	m := made[map[int32]int32](t, arena.NewArena())
	for i := range int32(8) {
		m[i] = i
	}
	first := map[int32]bool{}
	for range 200 {
		for k := range m {
			first[k] = true
			break
		}
	}
	if len(first) < 4 {
		t.Errorf("only %v come first", first)
	}
}

// TestFormWithEmptyKey: the empty key of a form isn't taken for the key of an empty slot.
func TestFormWithEmptyKey(t *testing.T) {
	l := Of(reflect.TypeFor[map[string]int]())
	if l == nil || !l.Entries() || !l.Tables() {
		t.Skip("this toolchain has no forms")
	}
	for range 20 { // seeds
		keys := strings.Split("a,b,c,d,,e,f,g,h,i", ",")
		f := l.NewForm(keys)
		var a *arena.Arena
		p, groups := arena.KeyOf(l.HeadType()).New(a), arena.KeyOf(l.GroupType()).MakeSlice(a, f.Groups())
		l.BeginForm(p, groups, f)
		for i := range keys {
			*(*int)(l.Elem(groups, f, i)) = i
		}
		for m, i := *(*map[string]int)(unsafe.Pointer(&p)), 0; i < len(keys); i++ {
			if v, ok := m[keys[i]]; !ok || v != i {
				t.Fatalf("%q has %d, %v; want %d", keys[i], v, ok, i)
			}
		}
	}
}

// TestNames: reports name the map, and not how it lies.
func TestNames(t *testing.T) {
	type labels map[string]int
	l := Of(reflect.TypeFor[labels]())
	if l == nil {
		t.Skip("not known in this version of Go")
	}
	if got := layout.Name(l.Type()); got != "map[string]int" {
		t.Errorf("a small map is called %s", got)
	}
	if !l.Tables() {
		t.Skip("no tables")
	}
	if got := layout.Name(l.GroupType()); got != "map[string]int (entries)" {
		t.Errorf("a group is called %s", got)
	}
	if got := layout.Name(l.HeadType()); got != "map (headers)" {
		t.Errorf("a header is called %s", got)
	}
}
