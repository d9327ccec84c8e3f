package main

import (
	"sync"
	"time"

	"github.com/harena-go/arena"
)

// Correct programs, which give up what they hold before it ends.

var _ = clean("clean/Free", cleanFree)

// Free leaves values to the GC.
func cleanFree() {
	a := newArena()
	lastOrder = newOrder(a, 1)
	lastOrder.name = a.AllocString("order")
	a.Free()
	a.Free()
	a.Reset()
	answer(lastOrder.name)
}

var _ = clean("clean/Free in Do", cleanFreeInDo)

// An arena of a pool may be freed instead of put back.
func cleanFreeInDo() {
	pool := newPool()
	pool.Do(func(a *arena.Arena) error {
		ordersByID[1] = newOrder(a, 1)
		a.Free()
		return nil
	})
	sinkInt = ordersByID[1].total
}

var _ = clean("clean/Shared freed", cleanSharedFree)

// The values of a Shared live on after Free.
func cleanSharedFree() {
	s := newShared(arena.WithNoScan())
	lastOrder = newOrder(s.Local(), 1)
	lastOrder.next = newOrder(s.Local(), 2)
	s.Free()
	sinkInt = lastOrder.next.id
}

var _ = clean("clean/nil arena", cleanNil)

// The nil arena is the heap.
func cleanNil() {
	var a *arena.Arena
	lastOrder = newOrder(a, 1)
	a.Reset()
	a.Rewind(a.Mark())
	sinkInt = lastOrder.id
}

var _ = clean("clean/before the mark", cleanMark)

// What was there before a mark may be used after Rewind, again and again.
func cleanMark() {
	a := newArena()
	lastOrder = newOrder(a, 1)
	m := a.Mark()
	for i := range 3 {
		lastOrder.next = newOrder(a, i)
		sinkInt = lastOrder.next.id
		lastOrder.next = nil
		a.Rewind(m)
	}
	sinkInt = lastOrder.id
	a.Free()
}

var _ = clean("clean/child's scratch", cleanChild)

// A child's Reset doesn't touch its parent.
func cleanChild() {
	a := newArena()
	o := newOrder(a, 1)
	c := a.Child()
	for range 5 {
		newOrder(c, 2).next = o
		c.Reset()
	}
	c.Free()
	sinkInt = o.id
}

var _ = clean("clean/emptied", cleanEmptied)

// Maps, slices and channels are emptied first.
func cleanEmptied() {
	a := newArena()
	ordersByID[1] = newOrder(a, 1)
	seenNames[a.AllocString("name")] = 1
	symbols = append(symbols, a.AllocString("text"))
	jobs <- newOrder(a, 2)
	delete(ordersByID, 1)
	clear(seenNames)
	clear(symbols)
	<-jobs
	a.Reset()
}

var _ = clean("clean/replaced", cleanReplaced)

// A variable is set anew before it is used again.
func cleanReplaced() {
	a := newArena()
	for i := range 5 {
		lastOrder = newOrder(a, i)
		sinkInt = lastOrder.id
		lastOrder = nil
		a.Reset()
	}
	lastOrder = &order{}
	sinkInt = lastOrder.id
}

var _ = clean("clean/dead variable", cleanDead)

// A variable that isn't used any more holds nothing, though its function goes on.
func cleanDead() {
	pool := newPool()
	a := pool.Get()
	o := newOrder(a, 1)
	sinkInt = o.id
	pool.Put(a)
	a = pool.Get()
	o = newOrder(a, 2)
	sinkInt = o.id
	pool.Put(a)
}

var _ = clean("clean/sync.Pool", cleanSyncPool)

// An object is emptied before it is given back.
func cleanSyncPool() {
	a := newArena()
	s := orderPool.Get().(*session)
	s.last = newOrder(a, 1)
	*s = session{}
	orderPool.Put(s)
	a.Reset()
	borrowed = orderPool.Get().(*session)
}

var _ = clean("clean/worker", cleanWorker)

// Workers are waited for.
func cleanWorker() {
	pool := newPool()
	pool.Do(func(a *arena.Arena) error {
		orders := make(chan *order)
		var wait sync.WaitGroup
		var sums [4]int
		for i := range sums {
			wait.Add(1)
			go func() {
				defer wait.Done()
				for o := range orders {
					sums[i] += o.total
				}
			}()
		}
		for i := range 100 {
			orders <- newOrder(a, i)
		}
		close(orders)
		wait.Wait()
		sinkInt = sums[0]
		return nil
	})
}

var _ = clean("clean/timer", cleanTimer)

// The timer is stopped, and forgotten.
func cleanTimer() {
	a := newArena()
	o := newOrder(a, 1)
	expiry = time.AfterFunc(time.Hour, func() { sinkInt = o.id })
	expiry.Stop()
	expiry = nil
	a.Reset()
}

var _ = clean("clean/blocked stack", cleanBlocked)

// A goroutine is blocked, but is done with its order.
func cleanBlocked() {
	a := newArena()
	signal := make(chan bool)
	go workBefore(newOrder(a, 1), signal)
	settled(1)
	a.Reset()
	hold(signal)
}

//go:noinline
func workBefore(o *order, signal chan bool) {
	o.total++
	waiting.Add(1)
	<-signal
	sinkInt++
}

var _ = clean("clean/defer", cleanDefer)

// The arena is put back last, since its defer comes first.
//
// want: noted
func cleanDefer() {
	pool := newPool()
	a := pool.Get()
	defer pool.Put(a)
	o := newOrder(a, 1)
	defer func() { sinkInt = o.total }()
	o.total = 5
}

var _ = clean("clean/Typed", cleanTyped)

// An allocator of one type is used on after Reset.
func cleanTyped() {
	a := newArena()
	orders := arena.For[order](a)
	for range 3 {
		orders.New().next = orders.New()
		a.Reset()
	}
}

var _ = clean("clean/locals", cleanLocals)

// Values of several locals point to each other; all end at a time.
func cleanLocals() {
	s := newShared()
	for range 3 {
		one, other := newOrder(s.Local(), 1), newOrder(s.Local(), 2)
		one.next, other.next = other, one
		sinkInt = one.next.next.id
		s.Reset()
	}
}

var _ = clean("clean/limit", cleanLimit)

// A budget that doesn't suffice is an error.
func cleanLimit() {
	pool := newPool(arena.WithLimit(1000))
	err := pool.Do(func(a *arena.Arena) error {
		for i := range 1000 {
			newOrder(a, i)
		}
		return nil
	})
	sinkBool = err != nil
}

var _ = clean("clean/self-contained", cleanSelfContained)

// Static data, what KeepAlive was given and the arena's own values may be pointed to.
func cleanSelfContained() {
	a := newIndex()
	t := arena.New[tree](a)
	t.name = "static"
	t.parent = arena.NewOf(a, tree{name: a.Sprintf("%d", 1), position: &origin})
	t.eval = func() int { return 1 }
	t.children = arena.Append(a, t.children, t, t.parent)
	t.attrs = map[string]string{}
	a.KeepAlive(t.attrs)
	t.value = arena.New[point](a)
	a.Reset()
}

var _ = clean("clean/child points to parent", cleanUp)

// Values of a self-contained child may point to its parent's.
func cleanUp() {
	a := newIndex()
	t := arena.New[tree](a)
	c := a.Child()
	arena.New[tree](c).parent = t
	c.Reset()
	a.Reset()
}
