package main

import (
	"sync"
	"time"

	"github.com/harena-go/arena"
)

// Handles that are used when what they stand for has ended, and arenas that two goroutines use at a time.

// A worker has an arena, and what belongs to it.
type worker struct {
	pool    *arena.Pool
	arena   *arena.Arena
	scratch *arena.Arena
	orders  *arena.Typed[order]
}

func newWorker() *worker { return underTest(&worker{pool: newPool()}) }

var _ = plant("handle/former request", handleFormer)

// A field has the arena of the request before. The pool has lent it to the next one meanwhile, whose values
// it gets: arenas of tests are lent once.
//
// want: guard, checked
// may: panic
func handleFormer() {
	w := newWorker()
	w.arena = w.pool.Get()
	w.pool.Put(w.arena)
	next := w.pool.Get()
	defer w.pool.Put(next)
	arena.New[order](w.arena) // used
}

var _ = plant("handle/late Put", handleLatePut)

// A deferred Put comes a second time, when the arena is another's.
//
// want: guard, leak, checked
// may: panic
func handleLatePut() {
	w := newWorker()
	a := w.pool.Get()
	w.pool.Put(a)
	next := w.pool.Get() // lent
	newOrder(next, 1)
	w.pool.Put(a) // used
}

var _ = plant("handle/child", handleChild)

// Scratch memory is a child of an arena that was put back.
//
// want: panic
func handleChild() {
	w := newWorker()
	w.pool.Do(func(a *arena.Arena) error {
		w.scratch = a.Child()
		newOrder(w.scratch, 1)
		return nil
	})
	arena.MakeSlice[item](w.scratch, 10, 10) // used
}

var _ = plant("handle/child of a child", handleGrandchild)

// The same one level deeper, by an operation that allocates nothing.
//
// want: panic
func handleGrandchild() {
	w := newWorker()
	a := w.pool.Get()
	w.scratch = a.Child().Child()
	w.pool.Put(a)
	w.scratch.Mark() // used
}

var _ = plant("handle/Typed", handleTyped)

// An allocator of one type is a field of the worker.
//
// want: panic
func handleTyped() {
	w := newWorker()
	w.pool.Do(func(a *arena.Arena) error {
		w.orders = arena.For[order](a)
		w.orders.New()
		return nil
	})
	w.orders.New() // used
}

// rounds is how often the first or second of two goroutines uses what belongs to one. They meet for certain where
// that is noticed. Elsewhere they would crash now and then, so that the second comes later, which orders nothing.
func rounds(who int) int {
	if mode == "arenatest" {
		return 1_000_000
	}
	time.Sleep(time.Duration(who) * 30 * time.Millisecond)
	return 2
}

var _ = plant("two/handlers", twoHandlers)

// Two handlers allocate in the arena of their server.
//
// want: race, checked
func twoHandlers() {
	w := newWorker()
	w.arena = w.pool.Get()
	var both sync.WaitGroup
	for who := range 2 {
		both.Go(func() {
			for range rounds(who) {
				w.count()
			}
		})
	}
	both.Wait()
	w.pool.Put(w.arena)
}

func (w *worker) count() {
	arena.New[point](w.arena) // used
}

var _ = plant("two/text", twoText)

// A logger formats in the arena of a request, which goes on.
//
// want: race, checked
func twoText() {
	a := newArena()
	var both sync.WaitGroup
	for who := range 2 {
		both.Go(func() {
			for i := range rounds(who) {
				format(a, i)
			}
		})
	}
	both.Wait()
}

func format(a *arena.Arena, i int) {
	a.Sprintf("line %d", i) // used
}
