package collections_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestUnhashable: keys that Go's map refuses are refused, with its message, by
// all operations and by maps of all sizes.
func TestUnhashable(t *testing.T) {
	type key struct{ v any }
	for n := range 20 {
		m := collections.NewMap[key, int](arena.NewArena(), 0)
		for i := range n {
			m.Set(key{i}, i)
		}
		k := key{[]int{1}}
		for name, f := range map[string]func(){
			"Set":    func() { m.Set(k, 1) },
			"Get":    func() { m.Get(k) },
			"Has":    func() { m.Has(k) },
			"Delete": func() { m.Delete(k) },
			"Ref":    func() { m.Ref(k) },
		} {
			v := caught(f)
			want := caught(func() { _ = map[key]int{{1}: 1}[k] })
			if fmt.Sprint(v) != fmt.Sprint(want) {
				t.Errorf("%s in a map of %d: %v; want %v", name, n, v, want)
			}
			if _, ok := v.(runtime.Error); !ok {
				t.Errorf("%s panics with a %T", name, v)
			}
		}
		if m.Len() != n {
			t.Errorf("%d entries; want %d", m.Len(), n)
		}
	}
}

func TestMapMisuse(t *testing.T) {
	wantPanic(t, func() { collections.NewMap[int, int](nil, -3) }, "arena: NewMap: ", "-3")
	a := arena.NewArena()
	m := collections.NewMap[int, int](a, 0)
	m.Set(1, 2)
	a.Free()
	if v, _ := m.Get(1); v != 2 {
		t.Errorf("after Free: %d", v)
	}
	wantPanic(t, func() {
		for i := range 100 {
			m.Set(i, i)
		}
	}, "arena: ", "Free")
	if v, _ := m.Get(1); v != 1 || m.Len() < 8 {
		t.Errorf("after Free: %d", v)
	}
}

// TestLargeMaps: maps that grow through all of their sizes, shrink and grow.
func TestLargeMaps(t *testing.T) {
	inEach(t, func(t *testing.T, a *arena.Arena) {
		const n = 20_000
		m := collections.NewMap[int, int](a, 0)
		want := map[int]int{}
		for i := range n {
			m.Set(i*i, i)
			want[i*i] = i
			if i%3 == 0 {
				m.Delete(i * i / 4)
				delete(want, i*i/4)
			}
		}
		for round := range 3 {
			for i := range n {
				if i%4 != round {
					m.Delete(i * i)
					delete(want, i*i)
				}
			}
			for i := range n / 2 {
				m.Set(-i*7, i)
				want[-i*7] = i
			}
			if !maps.Equal(want, maps.Collect(m.All())) {
				t.Fatalf("round %d: the entries differ; %d, want %d", round, m.Len(), len(want))
			}
			for k, v := range want {
				if got, ok := m.Get(k); got != v || !ok {
					t.Fatalf("Get(%d): %d, %t; want %d", k, got, ok, v)
				}
			}
		}
	})
}

// TestDeletedRoomIsUsedAgain: deleting and adding for ever takes no memory.
func TestDeletedRoomIsUsedAgain(t *testing.T) {
	for _, size := range []int{1, 8, 9, 100, 512, 513, 3000} {
		a := arena.NewArena()
		m := collections.NewMap[int, string](a, 0)
		for i := range size {
			m.Set(i, "x")
		}
		for i := range size { // all numbers have been holes
			m.Delete(i)
			m.Set(size+i, "x")
		}
		before := a.Stats().Used
		for i := range 5 * size {
			m.Delete(i + size)
			m.Set(i+2*size, "y")
		}
		if after := a.Stats().Used; after != before || m.Len() != size {
			t.Errorf("%d entries: %d more bytes are used; Len %d", size, after-before, m.Len())
		}
	}
}

// TestDeletedEntriesHoldNothing: deleted values can be collected.
func TestDeletedEntriesHoldNothing(t *testing.T) {
	a := arena.NewArena()
	m := collections.NewMap[int, *[1 << 20]byte](a, 0)
	for name, let := range map[string]func(){
		"Delete": func() { m.Delete(1) },
		"Clear":  m.Clear,
		"Set":    func() { m.Set(1, nil) },
	} {
		gone := make(chan bool, 1)
		func() {
			v := new([1 << 20]byte)
			runtime.AddCleanup(v, func(c chan bool) { c <- true }, gone)
			m.Set(1, v)
		}()
		let()
		for i := 0; len(gone) == 0 && i < 1000; i++ {
			runtime.GC()
			runtime.Gosched()
		}
		if len(gone) == 0 {
			t.Errorf("%s: the value is still alive", name)
		}
	}
	runtime.KeepAlive(m)
}

// TestMapOverBudget: when an arena's limit is met, the map is as before.
func TestMapOverBudget(t *testing.T) {
	for limit := 600; limit < 60_000; limit += 777 {
		a := arena.NewArena(arena.WithLimit(limit), arena.WithChunkSize(256), arena.WithMaxChunkSize(1024))
		var m *collections.Map[int, string]
		want := map[int]string{}
		v := caught(func() {
			m = collections.NewMap[int, string](a, 0)
			for i := range 10_000 {
				m.Set(i, "x")
				want[i] = "x"
			}
		})
		var over *arena.LimitError
		if err, ok := v.(error); !ok || !errors.As(err, &over) {
			t.Fatalf("limit %d: %v", limit, v)
		}
		if m == nil {
			continue
		}
		if !maps.Equal(want, maps.Collect(m.All())) || m.Len() != len(want) {
			t.Fatalf("limit %d: the map has changed: %d entries, want %d", limit, m.Len(), len(want))
		}
		for i := range 10_000 {
			if m.Has(i) != (want[i] != "") {
				t.Fatalf("limit %d: Has(%d): %t", limit, i, m.Has(i))
			}
		}
		for i := range want {
			m.Delete(i)
		}
		if m.Len() != 0 {
			t.Fatalf("limit %d: Len %d after all was deleted", limit, m.Len())
		}
	}
}

// TestMapsInWarmArenasTakeNoHeap: no operation allocates on the heap.
func TestMapsInWarmArenasTakeNoHeap(t *testing.T) {
	if sanitized {
		t.Skip("sanitizers make arenas take new memory")
	}
	for _, name := range []string{"default", "self-contained"} {
		a := kinds[name]()
		n := testing.AllocsPerRun(20, func() {
			work(a, func(i int) int { return i })
			work(a, func(i int) string { return names[i] })
			work(a, func(i int) mixed { return mixed{names[i], 1, i} })
			work(a, func(i int) [2]int { return [2]int{i} })
			work(a, func(i int) float64 { return float64(i) })
			a.Reset()
		})
		if n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

var names = func() (s [1500]string) {
	for i := range s {
		s[i] = strings.Repeat("name", i%20) + fmt.Sprint(i)
	}
	return
}()

func work[K comparable](a *arena.Arena, key func(i int) K) {
	m := collections.NewMap[K, int](a, 0)
	for i := range names {
		m.Set(key(i), i)
	}
	for i := range names {
		if v, _ := m.Get(key(i)); v != i {
			panic("lost")
		}
		if i%2 == 0 {
			m.Delete(key(i))
		}
	}
	n := 0
	for range m.All() {
		n++
	}
	for range m.Keys() {
		n++
	}
	if n != len(names) {
		panic("lost")
	}
	m.Clear()
}

// TestLoopThatAddsEnds: a loop that adds an entry each time ends.
func TestLoopThatAddsEnds(t *testing.T) {
	m := collections.NewMap[int, int](nil, 0)
	m.Set(0, 0)
	for k := range m.Keys() {
		m.Set(k+1, 0)
		if m.Len() > 100 {
			t.Fatal("it doesn't")
		}
	}
}

// TestMapGC: the targets of entries are alive, without any other reference.
func TestMapGC(t *testing.T) {
	type value struct {
		next *value
		s    string
		n    int
	}
	for _, kind := range []string{"heap", "default", "self-contained"} {
		t.Run(kind, func(t *testing.T) {
			a := kinds[kind]()
			text := func(i int) string { return a.Sprintf("value %d", i) }
			m := collections.NewMap[string, *value](a, 0)
			byPointer := collections.NewMap[*value, [2]any](a, 0)
			for round := range 3 {
				for i := range 3000 {
					v := arena.NewOf(a, value{s: text(i), n: i})
					v.next = v
					m.Set(text(i), v)
					byPointer.Set(v, [2]any{v, v})
					if i%5 == round {
						w, _ := m.LoadAndDelete(text(i - 5))
						if w != nil {
							byPointer.Delete(w)
						}
					}
				}
				if round == 1 && kind != "heap" {
					m = m.Clone(a)
				}
				testkit.Churn()
			}
			if kind != "heap" {
				a.Free()
				a = nil
				testkit.Churn()
			}
			for i := range 3000 {
				v, ok := m.Get(fmt.Sprintf("value %d", i))
				if !ok {
					continue
				}
				if v.n != i || v.next != v || v.s != fmt.Sprintf("value %d", i) {
					t.Fatalf("%d: %+v", i, v)
				}
				if got, ok := byPointer.Get(v); !ok || got != [2]any{v, v} {
					t.Fatalf("%d: by pointer: %v, %t", i, got, ok)
				}
			}
			for k, v := range byPointer.All() {
				if v[0].(*value) != k || !strings.HasPrefix(k.s, "value ") {
					t.Fatalf("%v: %v", k, v)
				}
			}
		})
	}
}

// TestHint: a map with a hint for its size doesn't grow its index, and one that was
// cleared takes no memory until it is as large again.
func TestHint(t *testing.T) {
	for _, n := range []int{1, 8, 9, 16, 17, 24, 25, 96, 97, 500} {
		a := arena.NewArena()
		m := collections.NewMap[int, string](a, n)
		used := a.Stats().Used
		for round := range 3 {
			for i := range n {
				m.Set(i, "x")
			}
			if more := a.Stats().Used - used; more > 0 {
				t.Errorf("round %d: %d entries take %d bytes more", round, n, more)
			}
			m.Clear()
		}
	}
}

// TestClearOfFew: few entries in the memory of many are cleared one by one, and all together if one
// can't be found.
func TestClearOfFew(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	m := collections.NewMap[float64, int](arena.NewArena(), 0)
	for i := range 20_000 {
		m.Set(float64(i), i)
	}
	m.Clear()
	for range 500 {
		want := map[float64]int{}
		nans := 0
		for i := range r.IntN(200) {
			k := float64(r.IntN(300))
			m.Set(k, i)
			if want[k] = i; r.IntN(3) == 0 {
				m.Delete(k)
				delete(want, k)
			}
		}
		if r.IntN(3) == 0 {
			m.Set(math.NaN(), 1)
			nans++
		}
		for k, v := range want {
			if got, ok := m.Get(k); !ok || got != v {
				t.Fatalf("%v has %d, %v; want %d", k, got, ok, v)
			}
		}
		if m.Len() != len(want)+nans {
			t.Fatalf("%d entries; want %d", m.Len(), len(want)+nans)
		}
		m.Clear()
		for k := range want {
			if m.Has(k) {
				t.Fatalf("%v is there after Clear", k)
			}
		}
		if index := *testkit.Field[[]uint64](m, "index.slots"); slices.ContainsFunc(index, func(s uint64) bool { return s != 0 }) {
			t.Fatal("an entry is left in the index")
		}
	}
}

// TestClearInLoop: it ends the loop.
func TestClearInLoop(t *testing.T) {
	m := collections.NewMap[int, int](nil, 0)
	for i := range 100 {
		m.Set(i, i)
	}
	n := 0
	for range m.All() {
		if n++; n == 10 {
			m.Clear()
			m.Set(1, 1)
		}
	}
	if n != 10 {
		t.Errorf("%d entries of a map that was cleared at the tenth", n)
	}
}
