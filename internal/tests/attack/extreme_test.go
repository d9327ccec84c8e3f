package attack

import (
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// This file calls whatever takes an integer with absurd ones. Methods are found by
// reflection, functions are in a table, and TestExtremeArguments compares both with
// the source: nobody can add a function without.

// maxBytes is the largest request that package arena tries at all.
const maxBytes = 1<<(30+17*(^uintptr(0)>>63)) - 1

// absurd are arguments for which there is no memory, in any unit, and small ones.
// On 32-bit machines, half of MaxInt bytes would be tried.
var absurd = slices.DeleteFunc([]int64{0, 1, -1, 7, -8, math.MinInt, math.MinInt + 1, math.MaxInt, math.MaxInt - 1,
	math.MaxInt / 2, math.MaxInt/2 + 1, maxBytes + 1}, func(n int64) bool { return n > 7 && n <= maxBytes })

// muchToo are arguments for which a limited arena has no memory.
var muchToo = []int64{1 << 20, 1<<31 - 1, maxBytes - 4096, maxBytes}

// A numericFunction takes a number of integers.
type numericFunction struct {
	arguments int
	call      func(a *arena.Arena, n []int)
}

// functions are those that aren't methods, and methods with type parameters.
var functions = map[string]numericFunction{
	"arena.MakeSlice": {2, func(a *arena.Arena, n []int) {
		arena.MakeSlice[byte](a, n[0], n[1])
		arena.MakeSlice[struct{}](a, n[0], n[1])
		arena.MakeSlice[[3]uint32](a, n[0], n[1])
		arena.MakeSlice[*int](a, n[0], n[1])
	}},
	"arena.MakeSliceUninit": {2, func(a *arena.Arena, n []int) {
		arena.MakeSliceUninit[struct{}](a, n[0], n[1])
		arena.MakeSliceUninit[[3]uint32](a, n[0], n[1])
		arena.MakeSliceUninit[string](a, n[0], n[1])
	}},
	"arena.TypeKey.MakeSlice": {1, func(a *arena.Arena, n []int) {
		arena.KeyOf(reflect.TypeFor[byte]()).MakeSlice(a, n[0])
		arena.KeyOf(reflect.TypeFor[struct{}]()).MakeSlice(a, n[0])
		arena.KeyOf(reflect.TypeFor[[3]*int]()).MakeSlice(a, n[0])
	}},
	"arena.TypeAllocator.NewN": {1, func(a *arena.Arena, n []int) {
		arena.KeyOf(reflect.TypeFor[byte]()).For(a).NewN(n[0])
		arena.KeyOf(reflect.TypeFor[string]()).For(a).NewN(n[0])
	}},
	// Both rely on the given numbers of a slice; these are of none.
	"arena.TypeAllocator.Grow": {1, func(a *arena.Arena, n []int) {
		arena.KeyOf(reflect.TypeFor[struct{}]()).For(a).Grow(nil, 0, 0, n[0])
		arena.KeyOf(reflect.TypeFor[byte]()).For(a).Grow(nil, 0, 0, n[0])
		arena.KeyOf(reflect.TypeFor[string]()).For(a).Grow(nil, 0, 0, n[0])
	}},
	"arena.TypeAllocator.Trim": {1, func(a *arena.Arena, n []int) {
		arena.KeyOf(reflect.TypeFor[string]()).For(a).Trim(nil, n[0], 0)
	}},
	"arena.Grow": {1, func(a *arena.Arena, n []int) {
		arena.Grow(a, []struct{}{{}}, n[0])
		arena.Grow(a, []byte(nil), n[0])
		arena.Grow(a, []*int{nil}, n[0])
	}},
	"arena.Append": {1, func(a *arena.Arena, n []int) { // n[0] elements of size zero, and two more
		if n[0] >= 0 {
			arena.Append(a, make([]struct{}, n[0]), struct{}{}, struct{}{})
		}
	}},
	"arena.WithChunkSize":    {1, options(arena.WithChunkSize)},
	"arena.WithMaxChunkSize": {1, options(arena.WithMaxChunkSize)},
	"arena.WithMaxRetained":  {1, options(arena.WithMaxRetained)},
	"arena.WithLimit":        {1, options(arena.WithLimit)},
	"arena.WithPoolLimit":    {1, func(_ *arena.Arena, n []int) { arena.NewPool(arena.WithReuse(), arena.WithPoolLimit(n[0])).Get() }},
	"arena.WithCheckRate":    {1, func(_ *arena.Arena, n []int) { arena.NewPool(arena.WithReuse(), arena.WithCheckRate(n[0])).Stats() }},
	"arena.WithGuardRate":    {1, func(_ *arena.Arena, n []int) { arena.NewPool(arena.WithReuse(), arena.WithGuardRate(n[0])).Stats() }},
	"arena.WithObserveRate":  {1, func(_ *arena.Arena, n []int) { arena.NewPool(arena.WithReuse(), arena.WithObserveRate(n[0])).Stats() }},
	"collections.NewMap":     {1, func(a *arena.Arena, n []int) { collections.NewMap[int, int](a, n[0]) }},
	"collections.NewSet":     {1, func(a *arena.Arena, n []int) { collections.NewSet[int](a, n[0]) }},
	"collections.NewSlice":   {1, func(a *arena.Arena, n []int) { collections.NewSlice[int](a, n[0]) }},
	"collections.NewDeque": {1, func(a *arena.Arena, n []int) {
		collections.NewDeque[int](a, n[0])
		collections.NewDeque[[9]byte](a, n[0])
	}},
	"collections.NewBuffer":   {1, func(a *arena.Arena, n []int) { collections.NewBuffer(a, n[0]) }},
	"collections.NewInterner": {1, func(a *arena.Arena, n []int) { collections.NewInterner(a, n[0]) }},
}

// options makes arenas with an option.
func options(option func(int) arena.Option) func(a *arena.Arena, n []int) {
	return func(_ *arena.Arena, n []int) {
		arena.NewArena(option(n[0])).UsedBytes()
		arena.NewShared(option(n[0])).Stats()
		arena.NewPool(arena.WithReuse(), option(n[0])).Stats()
	}
}

// indexing are methods that say that they panic as indexing or slicing does.
var indexing = map[string]bool{
	"collections.Slice.At": true, "collections.Slice.Set": true, "collections.Slice.Delete": true, "collections.Slice.Insert": true,
}

// receivers make a value of each type with methods, in an arena. Elements are no integers,
// so that all integers are arguments that count something.
var receivers = map[string]func(a *arena.Arena) any{
	"arena.Arena":  func(a *arena.Arena) any { return a },
	"arena.Pool":   func(*arena.Arena) any { return arena.NewPool(arena.WithReuse()) },
	"arena.Shared": func(*arena.Arena) any { return arena.NewShared() },
	"arena.Typed":  func(a *arena.Arena) any { return arena.For[int](a) },
	"arena.Text":   func(a *arena.Arena) any { return a.Text() },

	"arena.Mark":       func(a *arena.Arena) any { return a.Mark() },
	"arena.Stats":      func(*arena.Arena) any { return arena.Stats{} },
	"arena.PoolStats":  func(*arena.Arena) any { return arena.PoolStats{} },
	"arena.Escape":     func(*arena.Arena) any { return arena.Escape{} },
	"arena.LimitError": func(*arena.Arena) any { return &arena.LimitError{} },

	"collections.Node":     func(*arena.Arena) any { return &collections.Node[float64]{} },
	"collections.Map":      func(a *arena.Arena) any { return collections.NewMap[string, float64](a, 3) },
	"collections.Set":      func(a *arena.Arena) any { return collections.NewSet[string](a, 3) },
	"collections.List":     func(a *arena.Arena) any { return collections.NewList[float64](a) },
	"collections.Interner": func(a *arena.Arena) any { return collections.NewInterner(a, 3) },
	"collections.Segmented": func(a *arena.Arena) any {
		s := collections.NewSegmented[float64](a)
		s.Append(1, 2, 3)
		return s
	},
	"collections.Slots": func(a *arena.Arena) any {
		s := collections.NewSlots[float64](a)
		s.New()
		return s
	},
	"collections.Ref":    func(*arena.Arena) any { return collections.Ref[float64](0) },
	"collections.Handle": func(*arena.Arena) any { return collections.Handle[float64](0) },
	"collections.Slice": func(a *arena.Arena) any {
		s := collections.NewSlice[float64](a, 3)
		s.Append(1, 2, 3)
		return s
	},
	"collections.Deque": func(a *arena.Arena) any {
		d := collections.NewDeque[float64](a, 3)
		d.PushFront(1)
		return d
	},
	"collections.Buffer": func(a *arena.Arena) any {
		b := collections.NewBuffer(a, 3)
		b.WriteString("abcdefghijklmnop") // more of it is read than is left: growing then moves the rest
		b.Next(10)
		return b
	},
}

// A numeric is something to be called with integers.
type numeric struct {
	name      string
	arguments int
	call      func(a *arena.Arena, n []int64)
}

// numerics returns all of them.
func numerics() (all []numeric) {
	for name, f := range functions {
		all = append(all, numeric{name, f.arguments, func(a *arena.Arena, n []int64) {
			ints := make([]int, len(n))
			for i := range n {
				ints[i] = int(n[i])
			}
			f.call(a, ints)
		}})
	}
	for name, in := range receivers {
		t := reflect.TypeOf(in(nil))
		for i := range t.NumMethod() {
			m := t.Method(i)
			arguments := 0
			for j := 1; j < m.Type.NumIn(); j++ {
				if isInteger(m.Type.In(j)) {
					arguments++
				}
			}
			if arguments > 0 {
				all = append(all, numeric{name + "." + m.Name, arguments, func(a *arena.Arena, n []int64) {
					callMethod(reflect.ValueOf(in(a)), i, n)
				}})
			}
		}
	}
	return all
}

// isInteger reports whether arguments of a type count something. A collections.Handle doesn't: by chance, any number is
// one of a Slots.
func isInteger(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Uintptr, reflect.Uint64:
		return t.PkgPath() == "" || !strings.HasPrefix(t.Name(), "Handle[")
	}
	return false
}

// callMethod calls method i of v with the integers, and something plain otherwise. The
// panic is that of the method.
func callMethod(v reflect.Value, i int, n []int64) {
	m := v.Method(i)
	var in []reflect.Value
	for j := range m.Type().NumIn() {
		t := m.Type().In(j)
		x := reflect.New(t).Elem()
		switch {
		case m.Type().IsVariadic() && j == m.Type().NumIn()-1:
			continue
		case isInteger(t):
			x.Set(reflect.ValueOf(n[0]).Convert(t))
			n = n[1:]
		case t == reflect.TypeFor[io.Reader]():
			x.Set(reflect.ValueOf(strings.NewReader("text")))
		}
		in = append(in, x)
	}
	m.Call(in)
}

// indifferent are calls that may be given any number: a hint of later sizes, how many to read at most, how much to
// keep, or a number to format. Realloc needs no size of nil, and slices of no bytes may be of any length.
var indifferent = map[string]bool{
	"arena.Arena.ReadAll": true, "arena.Arena.Realloc": true, "arena.Append": true, "arena.WithCheckRate": true,
	"arena.Arena.Replace": true, "arena.Arena.Repeat": true, "arena.Text.Int": true, "arena.Text.Int64": true, "arena.Text.Uint64": true, "arena.Text.Float": true,
	"arena.WithGuardRate": true, "arena.WithObserveRate": true, "collections.Buffer.Next": true,
}

// TestExtremeArguments: with any number, a call does its work, or panics with a message that has the number and takes
// no memory. That holds for all kinds of arenas, except for limits.
func TestExtremeArguments(t *testing.T) {
	all := numerics()
	covered := map[string]bool{}
	for _, f := range all {
		covered[f.name] = true
	}
	for _, e := range exportedNames(t) {
		if e.integer && !covered[e.name] {
			t.Errorf("%s takes an integer: add it to functions, or its type to receivers", e.name)
		}
	}
	for _, f := range all {
		t.Run(f.name, func(t *testing.T) {
			arguments(f.arguments, absurd, nil, func(n []int64) { sameEverywhere(t, f, n) })
			arguments(f.arguments, append(muchToo, absurd...), nil, func(n []int64) {
				limited := arena.NewArena(arena.WithLimit(1500))
				f.outcome(t, "limited", limited, n)
				if v := caught(func() { arena.New[int](limited); limited.Reset(); limited.AllocBytes(1000) }); v != nil {
					t.Errorf("%s%d: the arena can't be used any more: %v", f.name, n, v)
				}
			})
		})
	}
}

// arguments calls f with all choices of count numbers.
func arguments(count int, from, have []int64, f func(n []int64)) {
	if len(have) == count {
		f(have)
		return
	}
	for _, n := range from {
		arguments(count, from, append(have, n), f)
	}
}

// sameEverywhere compares what arenas of several kinds say.
func sameEverywhere(t *testing.T, f numeric, n []int64) {
	t.Helper()
	want := f.outcome(t, "nil", nil, n)
	for kind, a := range map[string]*arena.Arena{
		"default": arena.NewArena(), "zero": new(arena.Arena), "self-contained": arena.NewArena(arena.WithNoScan()),
	} {
		if got := f.outcome(t, kind, a, n); got != want {
			t.Errorf("%s%d: %s arena: %q; nil arena: %q", f.name, n, kind, got, want)
		}
	}
}

// outcome calls f, and returns the text of its panic.
func (f numeric) outcome(t *testing.T, kind string, a *arena.Arena, n []int64) string {
	t.Helper()
	before := allocated()
	v := caught(func() { f.call(a, n) })
	if took := allocated() - before; took > 8<<20 {
		t.Errorf("%s%d: %s arena: it took %d bytes", f.name, n, kind, took)
	}
	switch v := v.(type) {
	case nil:
		if slices.Max(n) > maxBytes && !indifferent[f.name] {
			t.Errorf("%s%d: %s arena: it doesn't panic", f.name, n, kind)
		}
		return ""
	case *arena.LimitError:
		if kind != "limited" {
			t.Errorf("%s%d: %s arena: %v", f.name, n, kind, v)
		}
		return "limit"
	case string:
		if !strings.HasPrefix(v, "arena: ") || !names(v, n) {
			t.Errorf("%s%d: %s arena: the panic doesn't name the number: %q", f.name, n, kind, v)
		}
		return v
	default:
		if !indexing[f.name] {
			t.Errorf("%s%d: %s arena: panic %v", f.name, n, kind, v)
		}
		return fmt.Sprint(v)
	}
}

// names reports whether a text has one of the requested numbers.
func names(text string, n []int64) bool {
	for _, n := range n {
		if strings.Contains(text, fmt.Sprint(n)) || strings.Contains(text, fmt.Sprint(uint64(uintptr(n)))) {
			return true
		}
	}
	return false
}

var heapAllocs = []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}

func allocated() uint64 {
	metrics.Read(heapAllocs)
	return heapAllocs[0].Value.Uint64()
}
