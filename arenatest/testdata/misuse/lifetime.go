package main

import (
	"github.com/harena-go/arena"
)

// Calls that are wrong whatever memory there is.

var _ = plant("verb/double Put", verbDoublePut)

// A handler puts back what its middleware will put back.
//
// want: panic
func verbDoublePut() {
	pool := newPool()
	a := pool.Get()
	newOrder(a, 1)
	pool.Put(a)
	pool.Put(a) // used
}

var _ = plant("verb/Put within Do", verbPutInDo)

// Do puts it back already.
//
// want: panic
func verbPutInDo() {
	pool := newPool()
	pool.Do(func(a *arena.Arena) error { // used
		pool.Put(a)
		return nil
	})
}

var _ = plant("verb/use after Put", verbAfterPut)

// A goroutine allocates from an arena that was put back.
//
// want: panic
func verbAfterPut() {
	pool := newPool()
	a := pool.Get()
	pool.Put(a)
	newOrderAfterPut(a)
}

func newOrderAfterPut(a *arena.Arena) *order {
	return arena.New[order](a) // used
}

var _ = plant("verb/slice after Put", verbSliceAfterPut)

// The same with bytes.
//
// want: panic
func verbSliceAfterPut() {
	pool := newPool()
	var kept *arena.Arena
	pool.Do(func(a *arena.Arena) error {
		kept = a
		a.AllocBytes(10)
		return nil
	})
	kept.AllocBytes(10) // used
}

var _ = plant("verb/foreign pool", verbForeignPool)

// Two pools are mixed up.
//
// want: panic, leak
func verbForeignPool() {
	one, other := newPool(), newPool()
	a := one.Get() // lent
	other.Put(a)   // used
}

var _ = plant("verb/Put of a child", verbPutChild)

// The child of a pool's arena isn't the pool's.
//
// want: panic, leak
func verbPutChild() {
	pool := newPool()
	a := pool.Get()     // lent
	pool.Put(a.Child()) // used
}

var _ = plant("verb/Put after Free", verbPutFreed)

// Free takes an arena out of its pool.
//
// want: panic
func verbPutFreed() {
	pool := newPool()
	a := pool.Get()
	a.Free()
	pool.Put(a) // used
}

var _ = plant("verb/alloc after Free", verbAfterFree)

// A parser goes on after an error has freed everything.
//
// want: panic
func verbAfterFree() {
	a := newArena()
	newOrder(a, 1)
	a.Free()
	a.AllocString("more") // used
}

var _ = plant("verb/Typed after Free", verbTypedAfterFree)

// An allocator of one type outlives its arena.
//
// want: panic
func verbTypedAfterFree() {
	a := newArena()
	orders := arena.For[order](a)
	orders.New()
	a.Free()
	orders.New() // used
}

var _ = plant("verb/stale mark", verbStaleMark)

// A mark is rewound to after Reset.
//
// want: panic
func verbStaleMark() {
	a := newArena()
	newOrder(a, 1)
	m := a.Mark()
	newOrder(a, 2)
	a.Reset()
	newOrder(a, 3)
	a.Rewind(m) // used
}

var _ = plant("verb/Rewind past", verbRewindPast)

// A mark is rewound to that an earlier one has reclaimed.
//
// want: panic
func verbRewindPast() {
	a := newArena()
	outer := a.Mark()
	newOrder(a, 1)
	inner := a.Mark()
	newOrder(a, 2)
	a.Rewind(outer)
	a.Rewind(inner) // used
}

var _ = plant("verb/foreign mark", verbForeignMark)

// A mark of another arena.
//
// want: panic
func verbForeignMark() {
	a, b := newArena(), newArena()
	m := a.Mark()
	b.Rewind(m) // used
}

var _ = plant("verb/mark of a child", verbMarkOfChild)

// A child's mark isn't the parent's.
//
// want: panic
func verbMarkOfChild() {
	a := newArena()
	m := a.Child().Mark()
	a.Rewind(m) // used
}

var _ = plant("verb/child after Reset", verbChildAfterReset)

// Scratch is used after its parent's Reset.
//
// want: panic
func verbChildAfterReset() {
	a := newArena()
	scratch := a.Child()
	newOrder(scratch, 1)
	a.Reset()
	arena.New[point](scratch) // used
}

var _ = plant("verb/child after Rewind", verbChildAfterRewind)

// And after a Rewind to before it was made.
//
// want: panic
func verbChildAfterRewind() {
	a := newArena()
	m := a.Mark()
	scratch := a.Child()
	a.Rewind(m)
	scratch.Reserve(100) // used
}

var _ = plant("verb/child of a freed arena", verbChildOfFreed)

// A freed arena has no children.
//
// want: panic
func verbChildOfFreed() {
	a := newArena()
	a.Free()
	a.Child() // used
}

var _ = plant("verb/local after Reset", verbLocalAfterReset)

// A worker keeps its local beyond the Shared's Reset.
//
// want: panic
func verbLocalAfterReset() {
	s := newShared()
	local := s.Local()
	newOrder(local, 1)
	s.Reset()
	arena.New[point](local) // used
}

var _ = plant("verb/Local after Free", verbLocalAfterFree)

// A worker comes too late.
//
// want: panic
func verbLocalAfterFree() {
	s := newShared()
	newOrder(s.Local(), 1)
	s.Free()
	s.Local() // used
}

var _ = plant("verb/local of a freed Shared", verbLocalOfFreed)

// A worker wasn't told of the end.
//
// want: panic
func verbLocalOfFreed() {
	s := newShared()
	local := s.Local()
	s.Free()
	arena.MakeSlice[item](local, 10, 10) // used
}

var _ = plant("verb/Mark after Free", verbMarkAfterFree)

// A mark of nothing.
//
// want: panic
func verbMarkAfterFree() {
	a := newArena()
	a.Free()
	a.Mark() // used
}
