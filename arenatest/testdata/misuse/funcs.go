package main

import (
	"cmp"
	"context"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/harena-go/arena"
)

// Functions that know something of an arena.

var onClose []func()

var _ = plant("func/closure", funcClosure)

// A callback refers to an order.
//
// want: race, asan, resets, guard, objects
// held by: main.onClose
func funcClosure() {
	a := newArena()
	o := arena.New[order](a)                             // allocated
	onClose = append(onClose, func() { sinkInt = o.id }) // used
	a.Reset()                                            // reclaimed
	onClose[0]()
}

func (o *order) sum() { sinkInt = o.total } // method

var report1 func()

var _ = plant("func/method value", funcMethod)

// A method value has its receiver.
//
// want: race, asan, resets, guard, objects
// held by: main.report1
func funcMethod() {
	a := newArena()
	report1 = arena.New[order](a).sum // allocated
	a.Reset()                         // reclaimed
	report1()                         // used
}

var _ = plant("func/timer", funcTimer)

// A timer ends a request that has long been answered.
//
// want: race, asan, resets, guard, objects
// held by: main.expiry
func funcTimer() {
	pool := newPool()
	a := pool.Get()
	o := arena.New[order](a) // allocated
	done := make(chan bool)
	in := time.Hour
	if mode == "plain" {
		in = 50 * time.Millisecond
	}
	expiry = time.AfterFunc(in, func() {
		o.total = 0 // used
		close(done)
	})
	pool.Put(a) // reclaimed
	if mode == "plain" {
		<-done
	}
}

var expiry *time.Timer

type contextKey struct{}

var background context.Context

var _ = plant("func/context", funcContext)

// Work in the background has the context of the request, and its values.
//
// want: race, asan, resets, guard, objects
// held by: main.background
func funcContext() {
	a := newArena()
	background = context.WithValue(context.Background(), contextKey{}, arena.New[customer](a)) // allocated
	a.Reset()                                                                                  // reclaimed
	sinkInt = background.Value(contextKey{}).(*customer).id                                    // used
}

var _ = plant("func/defer", funcDefer)

// A deferred call looks at what was allocated, after the arena was put back.
//
// want: race, asan, noted
func funcDefer() {
	pool := newPool()
	a := pool.Get()
	o := newOrder(a, 1)
	defer func() { sinkInt = o.total }() // used
	pool.Put(a)                          // reclaimed
}

var _ = plant("func/defer in the wrong order", funcDeferOrder)

// The arena is put back first, since its defer comes last.
//
// want: race, asan, guard, trap
func funcDeferOrder() {
	pool := newPool()
	a := pool.Get()
	o := newOrder(a, 1)
	o.customer = arena.New[customer](a)
	defer func() { sinkInt = o.customer.id }() // used
	defer pool.Put(a)                          // which reclaims it
}

var byDistance func(a, b int) int

var _ = plant("func/sort", funcSort)

// A function for sorting knows where it sorts from.
//
// want: race, asan, resets, guard, trap
// held by: main.byDistance
func funcSort() {
	a := newArena()
	from := arena.New[point](a) // allocated
	byDistance = func(i, j int) int {
		return cmp.Compare(i-from.x, j-from.x) // used
	}
	numbers := []int{3, 1, 2}
	slices.SortFunc(numbers, byDistance)
	a.Reset() // reclaimed
	slices.SortFunc(numbers, byDistance)
}

var config func() *customer

var _ = plant("func/once", funcOnce)

// What is computed once is computed from the first request.
//
// want: race, asan, resets, guard, objects
// held by: main.config
func funcOnce() {
	a := newArena()
	config = sync.OnceValue(func() *customer { return arena.New[customer](a) }) // allocated
	config()
	a.Reset()             // reclaimed
	sinkInt = config().id // used
}

type file struct{ name *string }

var opened *file

var _ = plant("func/cleanup", funcCleanup)

// The argument of a cleanup lives until it is called.
//
// want: resets, guard, objects
func funcCleanup() {
	a := newArena()
	o := arena.New[order](a) // allocated
	opened = new(file)
	runtime.AddCleanup(opened, func(o *order) { sinkInt = o.id }, o)
	a.Reset() // reclaimed
}

type resolver struct {
	field  string
	parent any
	call   func(r *resolver) int
}

var pendingResolvers []*resolver

var _ = plant("func/resolver", funcResolver)

// A resolver of a field is run lazily, with a parent from the arena.
//
// want: race, asan, resets, guard, trap
// held by: main.pendingResolvers
func funcResolver() {
	pool := newPool()
	pool.Do(func(a *arena.Arena) error { // reclaimed
		o := newOrder(a, 5)
		o.customer = arena.New[customer](a)
		pendingResolvers = append(pendingResolvers, &resolver{"customer", o, func(r *resolver) int {
			return r.parent.(*order).customer.id // used
		}})
		return nil
	})
	for _, r := range pendingResolvers {
		sinkInt = r.call(r)
	}
}

var visit = func(yield func(*point) bool) {}

var _ = plant("func/iterator", funcIterator)

// An iterator is used after what it iterates over has gone.
//
// want: race, asan, resets, guard, trap
// held by: main.visit
func funcIterator() {
	a := newArena()
	points := arena.MakeSlice[point](a, 5, 5) // allocated
	visit = func(yield func(*point) bool) {
		for i := range points {
			if !yield(&points[i]) {
				return
			}
		}
	}
	a.Reset() // reclaimed
	for p := range visit {
		sinkInt += p.y // used
	}
}

var _ = plant("func/panic value", funcPanic)

// A panic carries a value out of Do.
//
// want: race, asan, resets, guard, objects
// held by: main.caughtValue
func funcPanic() {
	pool := newPool()
	defer func() {
		caughtValue = recover()
		sinkInt = caughtValue.(*order).id // used
	}()
	pool.Do(func(a *arena.Arena) error { // reclaimed
		panic(newPanic(a))
	})
}

var caughtValue any

func newPanic(a *arena.Arena) *order {
	return arena.New[order](a) // allocated
}
