package collections

import (
	"bytes"
	"container/list"
	"fmt"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/collections"
)

// A workshop makes the rows of a peer.
type workshop struct {
	options []arena.Option
	arena   *arena.Arena // of the current row; nil for the builtin containers
	heap    bool
}

func workshopOf(peer string) (*workshop, error) {
	switch peer {
	case suite.Heap:
		return &workshop{heap: true}, nil
	case suite.Harena:
		return &workshop{arena: arena.NewArena()}, nil
	case suite.SelfContained:
		options := []arena.Option{arena.WithNoScan()}
		return &workshop{arena: arena.NewArena(options...), options: options}, nil
	}
	return nil, fmt.Errorf("the suite collections knows no peer %q", peer)
}

// done releases the memory of a row. Each row has an arena of its own: Reset visits all types that an arena has seen,
// and keeps memory for them.
func (w *workshop) done() {
	if !w.heap {
		w.arena = arena.NewArena(w.options...)
	}
	kept = nil
}

// kept holds values built on the heap, so that they aren't on the stack.
var kept any

// rows returns the rows for n entries.
//
// The functions that make them are not inlined here: in a function as large as this one would become, the compiler
// inlines no call that costs more than 20, and no Append.
func (w *workshop) rows(n int) []row {
	random := numbers(2 * n)
	var rows []row
	rows = append(rows, mapRows(w, n, "int", func(i int) int { return random[i] })...)
	rows = append(rows, mapRows(w, n, "string", func(i int) string { return fmt.Sprint("key ", random[i]%1e12) })...)
	if n < 1_000_000 { // or it takes minutes
		rows = append(rows, mapRows(w, n, "two-ints", func(i int) point { return point{random[i], i} })...)
		rows = append(rows, mapRows(w, n, "string-and-int",
			func(i int) term { return term{fmt.Sprint("key ", i), i} })...)
	}
	return append(rows,
		row{"Set", "set-build", w.set(random[:n])},
		row{"Slice", "slice-build", w.slice(n)},
		row{"Slice", "slice-of-pointers-build", w.pointers(n)},
		row{"Buffer", "buffer-build", w.buffer(n)},
		row{"Deque", "deque-build", w.deque(n)},
		row{"List", "list-build", w.list(n)},
	)
}

// numbers returns distinct numbers without any order.
func numbers(n int) []int {
	s := make([]int, n)
	x := uint64(88172645463325252)
	for i := range s {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		s[i] = int(x >> 1)
	}
	return s
}

type (
	point struct{ x, y int }
	term  struct {
		word string
		doc  int
	}
)

// mapRows returns the rows of a map with keys of one type.
func mapRows[K comparable](w *workshop, n int, of string, key func(i int) K) []row {
	keys := make([]K, 2*n)
	for i := range keys {
		keys[i] = key(i)
	}
	there, missing := keys[:n], keys[n:]
	order := make([]K, n) // of the look-ups
	for i := range order {
		order[i] = there[i*7919%n] // n has no factor 7919
	}
	return []row{
		{"Map", "map-of-" + of + "-build", buildMap(w, there)},
		{"Map", "map-of-" + of + "-hit", lookUp(w, there, order)},
		{"Map", "map-of-" + of + "-miss", lookUp(w, there, missing)},
	}
}

//go:noinline
func buildMap[K comparable](w *workshop, keys []K) func() int64 {
	if w.heap {
		return func() int64 {
			m := map[K]int{}
			kept = m
			for i, k := range keys {
				m[k] = i
			}
			return int64(len(m))
		}
	}
	return func() int64 {
		m := collections.NewMap[K, int](w.arena, 0)
		for i, k := range keys {
			m.Set(k, i)
		}
		n := m.Len()
		w.arena.Reset()
		return int64(n)
	}
}

// lookUp looks up some keys in a map with others, which it makes first.
//
//go:noinline
func lookUp[K comparable](w *workshop, keys, look []K) func() int64 {
	var builtin map[K]int
	var m *collections.Map[K, int]
	if w.heap {
		return func() (sum int64) {
			if builtin == nil {
				builtin = map[K]int{}
				for i, k := range keys {
					builtin[k] = i
				}
			}
			for _, k := range look {
				if v, ok := builtin[k]; ok {
					sum += int64(v)
				}
			}
			return sum
		}
	}
	return func() (sum int64) {
		if m == nil {
			m = collections.NewMap[K, int](w.arena, 0)
			for i, k := range keys {
				m.Set(k, i)
			}
		}
		for _, k := range look {
			if v, ok := m.Get(k); ok {
				sum += int64(v)
			}
		}
		return sum
	}
}

//go:noinline
func (w *workshop) set(keys []int) func() int64 {
	if w.heap {
		return func() int64 {
			m := map[int]struct{}{}
			kept = m
			for _, k := range keys {
				m[k] = struct{}{}
			}
			return int64(len(m))
		}
	}
	return func() int64 {
		s := collections.NewSet[int](w.arena, 0)
		for _, k := range keys {
			s.Add(k)
		}
		n := s.Len()
		w.arena.Reset()
		return int64(n)
	}
}

//go:noinline
func (w *workshop) slice(n int) func() int64 {
	if w.heap {
		return func() int64 {
			var s []int
			for i := range n {
				s = append(s, i)
			}
			kept = s
			return int64(len(s) + s[n-1])
		}
	}
	return func() int64 {
		s := collections.NewSlice[int](w.arena, 0)
		for i := range n {
			s.Append(i)
		}
		sum := s.Len() + s.At(n-1)
		w.arena.Reset()
		return int64(sum)
	}
}

var one = 1

//go:noinline
func (w *workshop) pointers(n int) func() int64 {
	if w.heap {
		return func() int64 {
			var s []*int
			for range n {
				s = append(s, &one)
			}
			kept = s
			return int64(len(s) + *s[n-1])
		}
	}
	return func() int64 {
		s := collections.NewSlice[*int](w.arena, 0)
		for range n {
			s.Append(&one)
		}
		sum := s.Len() + *s.At(n - 1)
		w.arena.Reset()
		return int64(sum)
	}
}

// text is written to a buffer n times.
const text = "twenty bytes of text"

//go:noinline
func (w *workshop) buffer(n int) func() int64 {
	if w.heap {
		return func() int64 {
			b := new(bytes.Buffer)
			kept = b
			for range n {
				b.WriteString(text)
			}
			return int64(b.Len())
		}
	}
	return func() int64 {
		b := collections.NewBuffer(w.arena, 0)
		for range n {
			b.WriteString(text)
		}
		n := b.Len()
		w.arena.Reset()
		return int64(n)
	}
}

// deque puts entries in at the end and takes them out at the front. On the heap that is a slice.
//
//go:noinline
func (w *workshop) deque(n int) func() int64 {
	if w.heap {
		return func() (sum int64) {
			var s []int
			for i := range n {
				s = append(s, i)
			}
			kept = s
			for len(s) > 0 {
				sum += int64(s[0])
				s = s[1:]
			}
			return sum
		}
	}
	return func() (sum int64) {
		d := collections.NewDeque[int](w.arena, 0)
		for i := range n {
			d.PushBack(i)
		}
		for d.Len() > 0 {
			sum += int64(d.PopFront())
		}
		w.arena.Reset()
		return sum
	}
}

//go:noinline
func (w *workshop) list(n int) func() int64 {
	if w.heap {
		return func() int64 {
			l := list.New()
			kept = l
			for i := range n {
				l.PushBack(i)
			}
			return int64(l.Len() + l.Back().Value.(int))
		}
	}
	return func() int64 {
		l := collections.NewList[int](w.arena)
		for i := range n {
			l.PushBack(i)
		}
		sum := l.Len() + l.Back().Value
		w.arena.Reset()
		return int64(sum)
	}
}
