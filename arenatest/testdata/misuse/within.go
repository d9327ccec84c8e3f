package main

import (
	"slices"
	"strings"

	"github.com/harena-go/arena"
)

// Uses by the function that reclaimed it, when no reference outlives it.

var _ = plant("within/use after Put", withinPut)

// The arena is put back early, and a metric is taken of what was in it.
//
// want: race, asan, noted
func withinPut() {
	pool := newPool()
	a := pool.Get()
	o := arena.NewOf(a, order{id: 1}) // allocated
	pool.Put(a)                       // reclaimed
	sinkInt += o.total                // used
}

var _ = plant("within/defer order", withinDefer)

// What a deferred call observes is dead, since Put was deferred after it.
//
// want: race, asan, noted
func withinDefer() {
	s := newShop()
	observe := func(o *order) { sinkInt += o.total } // used
	func() {
		a := s.pool.Get()
		o := arena.NewOf(a, order{id: 1}) // allocated
		defer func() { observe(o) }()
		defer s.pool.Put(a)
		o.total++
	}() // reclaimed
}

var _ = plant("within/result of a closure", withinResult)

// A helper lends an arena and returns what the closure returns, which is a value of it.
//
// want: race, asan, noted
func withinResult() {
	o := withArena(newPool(), func(a *arena.Arena) *order {
		return arena.NewOf(a, order{id: 7}) // allocated
	})
	sinkInt = o.id // used
}

func withArena[T any](pool *arena.Pool, f func(a *arena.Arena) T) (result T) {
	a := pool.Get()
	defer pool.Put(a) // reclaimed
	return f(a)
}

var _ = plant("within/slice of a closure", withinSlice)

// The same with a slice, which is sorted. All pointers in a dead one are the same, so that no text is read.
//
// want: race, asan, noted
func withinSlice() {
	names := withArena(newPool(), func(a *arena.Arena) []string {
		return arena.CopySlice(a, []string{a.AllocString("hen"), a.AllocString("duck")}) // allocated
	})
	slices.Sort(names) // used
}

var _ = plant("within/previous row", withinPrevious)

// Each row is compared with the one before, whose memory was reclaimed at the end of its round, and
// is the next row's now.
//
// want: race, noted
func withinPrevious() {
	a := newArena()
	var previous *order
	for id := range 3 {
		row := arena.NewOf(a, order{id: id}) // allocated
		if previous != nil {
			sinkBool = previous.id == row.id // used
		}
		previous = row
		a.Reset() // reclaimed
	}
}

var _ = plant("within/early return", withinReturn)

// An error's path puts back first and then says what was wrong.
//
// want: race, asan, noted
func withinReturn() {
	pool := newPool()
	sinkText = handle(pool, "a=1;b")
}

func handle(pool *arena.Pool, form string) string {
	a := pool.Get()
	fields := arena.MakeSlice[*order](a, 0, 4) // allocated
	for field := range strings.SplitSeq(form, ";") {
		fields = append(fields, nil)
		if !strings.Contains(field, "=") {
			pool.Put(a)                 // reclaimed
			sinkBool = fields[0] == nil // used
			return "bad form"
		}
	}
	pool.Put(a)
	return ""
}

var _ = plant("within/later round", withinLater)

// The same row by row for long: arenatest looks at few of the rounds, but the last is one that it doesn't look at.
//
// want: race, asan
func withinLater() {
	a := newArena()
	for id := range 20 {
		o := arena.NewOf(a, order{id: id})
		if id < 19 {
			a.Reset()
			continue
		}
		a.Reset()      // reclaimed
		sinkInt = o.id // used
	}
}
