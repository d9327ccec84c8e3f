package main

import (
	"fmt"
	"slices"

	"github.com/harena-go/arena"
)

// Uses of what was reclaimed a moment ago: of whole values, and of what they have.

var _ = plant("stale/range", staleRange)

// A loop goes over what was reset away.
//
// want: race, asan, guard, trap
func staleRange() {
	a := newArena()
	items := arena.MakeSlice[item](a, 100, 100)
	a.Reset() // reclaimed
	for i := range items {
		sinkInt += items[i].cents // used
	}
}

var _ = plant("stale/compare", staleCompare)

// Two slices are compared.
//
// want: race, asan, guard, trap
func staleCompare() {
	a := newArena()
	bytes := a.AllocBytes(10)
	a.Reset()                                            // reclaimed
	sinkBool = slices.Equal(bytes, []byte("0123456789")) // used
}

var _ = plant("stale/copy of a struct", staleCopy)

// A whole value is copied.
//
// want: race, asan, noted
func staleCopy() {
	a := newArena()
	o := newOrder(a, 1)
	a.Reset()   // reclaimed
	copied = *o // used
}

var copied order

var _ = plant("stale/Realloc", staleRealloc)

// Raw memory has moved, and its old place is used when all was reclaimed.
//
// want: race, asan, guard, trap
func staleRealloc() {
	a := newArena()
	small := (*[8]byte)(a.Alloc(8, 8)) // allocated
	a.Reset()                          // reclaimed
	small[7] = 1                       // used
}

type shape interface{ area() int }

type square struct{ side int }

func (s *square) area() int { return s.side * s.side }

type drawing struct {
	shapes []shape
	byName map[string]shape
	done   chan bool
	undo   func()
	err    error
}

func newDrawing(a *arena.Arena) *drawing {
	return arena.NewOf(a, drawing{byName: map[string]shape{"box": &square{1}}, done: make(chan bool, 1),
		undo: func() {}, shapes: []shape{&square{2}}, err: fmt.Errorf("no error")})
}

var _ = plant("stale/interface", staleInterface)

// A method is called through an interface in a dead value.
//
// want: race, asan, guard, trap
func staleInterface() {
	a := newArena()
	d := newDrawing(a)
	a.Reset()             // reclaimed
	answer(d.err.Error()) // used
}

var _ = plant("stale/map", staleMap)

// A map in a dead value is looked at.
//
// want: race, asan, guard, trap
func staleMap() {
	a := newArena()
	d := newDrawing(a)
	a.Reset()                         // reclaimed
	sinkBool = d.byName["box"] != nil // used
}

var _ = plant("stale/func", staleFunc)

// A function in a dead value is called.
//
// want: race, asan, guard, trap
func staleFunc() {
	a := newArena(arena.WithNoScan())
	a.KeepAlive(func() {})
	d := arena.NewOf(a, drawing{undo: plain})
	a.Reset() // reclaimed
	d.undo()  // used
}

func plain() { sinkInt++ }

var _ = plant("stale/channel", staleChannel)

// The length of a channel in a dead value.
//
// want: race, asan, guard, trap
func staleChannel() {
	a := newArena()
	d := newDrawing(a)
	a.Reset()             // reclaimed
	sinkInt = len(d.done) // used
}

var _ = plant("stale/slice of interfaces", staleShapes)

// A slice in a dead value is gone through.
//
// want: race, asan, guard, trap
func staleShapes() {
	pool := newPool()
	a := pool.Get()
	d := newDrawing(a)
	pool.Put(a)                  // reclaimed
	sinkInt = d.shapes[0].area() // used
}
