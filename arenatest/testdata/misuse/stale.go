package main

import (
	"github.com/harena-go/arena"
)

// Uses of what was reclaimed a moment ago, by variables of the same function.

var _ = plant("stale/read", staleRead)

// A total is read after the order was reset away.
//
// want: race, asan, noted
func staleRead() {
	a := newArena()
	o := newOrder(a, 1)
	a.Reset()         // reclaimed
	sinkInt = o.total // used
}

var _ = plant("stale/write", staleWrite)

// A status is written after the end.
//
// want: race, asan, guard, written
func staleWrite() {
	a := newArena()
	o := arena.New[order](a) // allocated
	a.Reset()                // reclaimed
	o.total = 7              // used
}

var _ = plant("stale/append", staleAppend)

// A slice that was reset away is appended to.
//
// want: race, asan, guard, trap
func staleAppend() {
	a := newArena()
	items := arena.MakeSlice[item](a, 0, 10) // allocated
	a.Reset()                                // reclaimed
	items = append(items, item{1, 2, 3})     // used
	sinkInt = len(items)
}

var _ = plant("stale/arena append", staleArenaAppend)

// The same with the arena's own Append.
//
// want: race, asan, guard, trap
func staleArenaAppend() {
	a := newArena()
	items := arena.Append(a, []item(nil), item{1, 2, 3}) // allocated
	a.Reset()                                            // reclaimed
	items = arena.Append(a, items, item{4, 5, 6})        // used
	sinkInt = items[0].cents
}

var _ = plant("stale/fill", staleFill)

// A buffer is filled after the arena was put back.
//
// want: race, asan, guard, trap
func staleFill() {
	pool := newPool()
	a := pool.Get()
	buffer := a.AllocBytes(4096)   // allocated
	pool.Put(a)                    // reclaimed
	copy(buffer[100:], "too late") // used
}

var _ = plant("stale/Do", staleDo)

// A result leaves Do in a variable.
//
// want: race, asan, guard, trap
func staleDo() {
	pool := newPool()
	var result *order
	pool.Do(func(a *arena.Arena) error { // reclaimed
		result = newOrder(a, 3)
		result.customer = arena.New[customer](a)
		return nil
	})
	sinkInt = result.customer.id // used
}

var _ = plant("stale/keyed", staleKeyed)

// The same with a key.
//
// want: race, asan, guard, trap
func staleKeyed() {
	pool := newPool()
	var names []string
	pool.DoKeyed("names", func(a *arena.Arena) error { // reclaimed
		names = arena.Append(a, names, a.AllocString("hen"), a.AllocString("duck"))
		return nil
	})
	answer(names[1]) // used
}

var _ = plant("stale/Rewind", staleRewind)

// A parser gives up an attempt, but looks at its tree for the error message.
//
// want: race, asan, guard, trap
func staleRewind() {
	a := newArena()
	kept := newOrder(a, 1)
	m := a.Mark()
	attempt := arena.NewOf(a, order{next: kept})
	a.Rewind(m)               // reclaimed
	sinkInt = attempt.next.id // used
}

var _ = plant("stale/old to new", staleOldToNew)

// What was there before a mark points to what came after it.
//
// want: race, asan, resets, guard, trap
// held by: main.lastOrder
func staleOldToNew() {
	a := newArena()
	first := newOrder(a, 1)
	m := a.Mark()
	first.next = arena.NewOf(a, order{customer: arena.New[customer](a)}) // allocated
	a.Rewind(m)                                                          // reclaimed
	lastOrder = first
	sinkInt = lastOrder.next.customer.id // used
	a.Free()
}

var _ = plant("stale/nested Rewind", staleNested)

// Rewind to the first of two marks ends what came between them, too.
//
// want: race, asan, guard, trap
func staleNested() {
	a := newArena()
	first := a.Mark()
	between := arena.New[point](a)
	a.Mark()
	arena.New[point](a)
	a.Rewind(first)     // reclaimed
	sinkInt = between.x // used
}

var _ = plant("stale/child", staleChild)

// A value of a child is used when its parent was reset.
//
// want: race, asan, guard, trap
func staleChild() {
	a := newArena()
	p := arena.New[point](a.Child())
	a.Reset()     // reclaimed
	sinkInt = p.x // used
}

var _ = plant("stale/child's Reset", staleChildReset)

// A value of the parent points to one of a child, which is reset.
//
// want: race, asan, resets, guard, objects
// held by: main.lastOrder
func staleChildReset() {
	a := newArena()
	c := a.Child()
	lastOrder = newOrder(a, 1)
	lastOrder.customer = arena.New[customer](c) // allocated
	c.Reset()                                   // reclaimed
	sinkInt = lastOrder.customer.id             // used
	a.Free()
}

var _ = plant("stale/grandchild", staleGrandchild)

// A Rewind of the parent ends the child of a child.
//
// want: race, asan, guard, trap
func staleGrandchild() {
	a := newArena(arena.WithNoScan())
	m := a.Mark()
	p := arena.New[point](a.Child().Child()) // allocated
	a.Rewind(m)                              // reclaimed
	p.y = 1                                  // used
}

var _ = plant("stale/Shared", staleShared)

// A local's value is used after the Reset of all.
//
// want: race, asan, trap
func staleShared() {
	s := newShared()
	o := newOrder(s.Local(), 1)
	o.next = o
	s.Reset()              // reclaimed
	sinkInt = o.next.total // used
}

var _ = plant("stale/other local", staleLocals)

// A value of one local points to one of another, which is reset by itself.
//
// want: race, asan, resets, objects
// held by: main.lastOrder
func staleLocals() {
	s := newShared()
	one, other := s.Local(), s.Local()
	lastOrder = newOrder(one, 1)
	lastOrder.next = arena.New[order](other) // allocated
	other.Reset()                            // reclaimed
	sinkInt = lastOrder.next.id              // used
	s.Free()
}

var _ = plant("stale/Typed", staleTyped)

// An allocator of one type is usable after Reset; what it has made before isn't.
//
// want: race, asan, guard, trap
func staleTyped() {
	a := newArena()
	orders := arena.For[order](a)
	o := orders.New()
	o.customer = &customer{}
	a.Reset()               // reclaimed
	sinkInt = o.customer.id // used
}
