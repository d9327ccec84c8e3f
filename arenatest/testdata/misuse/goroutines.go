package main

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/harena-go/arena"
)

// Goroutines that go on.

var jobs = make(chan *order, 100)

var _ = plant("goroutine/channel", goChannel)

// A job is still queued when its memory goes.
//
// want: race, asan, resets, guard, objects
// held by: main.jobs
func goChannel() {
	a := newArena()
	jobs <- arena.New[order](a) // allocated
	a.Reset()                   // reclaimed
	o := <-jobs
	jobs <- o
	sinkInt = o.id // used
}

var _ = plant("goroutine/blocked sender", goSender)

// A goroutine is blocked sending it.
//
// want: resets, guard, objects
// held by: main.goSender.func1
func goSender() {
	a := newArena()
	results := make(chan *order)
	go func() { results <- newResult(a) }()
	for goroutines() < 1 {
		runtime.Gosched()
	}
	a.Reset() // reclaimed
}

func newResult(a *arena.Arena) *order {
	o := arena.New[order](a) // allocated
	waiting.Add(1)
	return o
}

// waiting counts goroutines that are about to block.
var waiting atomic.Int32

func goroutines() int32 { return waiting.Load() }

// settled returns when n goroutines are about to block.
func settled(n int32) {
	for waiting.Load() < n {
		runtime.Gosched()
	}
}

var _ = plant("goroutine/blocked stack", goBlocked)

// A worker waits for a signal, to go on with an order.
//
// want: resets, guard, objects
// held by: main.work
func goBlocked() {
	a := newArena()
	signal := make(chan bool)
	go work(newJob(a), signal)
	settled(1)
	a.Reset() // reclaimed
	hold(signal)
}

func newJob(a *arena.Arena) *order {
	return arena.New[order](a) // allocated
}

//go:noinline
func work(o *order, signal chan bool) {
	waiting.Add(1)
	<-signal
	sinkInt = o.total
}

// hold keeps a channel, and those who wait for it, until the end.
func hold(c chan bool) { held = append(held, c) }

var held []chan bool

var _ = plant("goroutine/running stack", goRunning)

// A worker spins.
//
// want: race, asan, resets, guard, written
// held by: main.spin
func goRunning() {
	a := newArena()
	go spin(newJobToSpin(a))
	settled(1)
	a.Reset()         // reclaimed
	stopSpin.Store(1) // in the middle of it
	for stopSpin.Load() != 2 {
		runtime.Gosched()
	}
}

func newJobToSpin(a *arena.Arena) *order {
	return arena.New[order](a) // allocated
}

var stopSpin atomic.Int32

//go:noinline
func spin(o *order) {
	waiting.Add(1)
	for stopSpin.Load() != 1 {
		runtime.Gosched()
	}
	o.total++ // used
	stopSpin.Store(2)
	for sum := 0; ; sum++ {
		if sum < 0 {
			sinkInt = o.total
		}
		if sum&0xfff == 0 {
			runtime.Gosched()
		}
	}
}

var _ = plant("goroutine/worker", goWorker)

// A worker that nobody waits for.
//
// want: race, asan, resets, guard, objects
// held by: main.audited
func goWorker() {
	pool := newPool()
	var wait sync.WaitGroup
	answered := make(chan bool)
	pool.Do(func(a *arena.Arena) error { // reclaimed
		wait.Add(1)
		audit(arena.New[order](a), answered, &wait) // allocated
		return nil
	})
	close(answered)
	wait.Wait()
}

var audited *order

func audit(o *order, answered chan bool, wait *sync.WaitGroup) {
	go func() {
		defer wait.Done()
		<-answered
		audited = o
		sinkInt = o.total // used
	}()
}

var _ = plant("goroutine/mutex", goMutex)

// A goroutine waits for a lock, with an order in its frame.
//
// want: resets, guard, objects
// held by: sync.Mutex.Lock
func goMutex() {
	a := newArena()
	ledger.Lock()
	go book(newBooking(a))
	settled(1)
	a.Reset() // reclaimed
}

var ledger sync.Mutex

func newBooking(a *arena.Arena) *order {
	return arena.New[order](a) // allocated
}

//go:noinline
func book(o *order) {
	waiting.Add(1)
	ledger.Lock()
	sinkInt = o.total
}

var _ = plant("goroutine/select", goSelect)

// A goroutine may send it, or be cancelled.
//
// want: resets, objects
// held by: main.offer
func goSelect() {
	s := newShared()
	cancelled := make(chan bool)
	go offer(newOffer(s.Local()), cancelled)
	settled(1)
	s.Reset() // reclaimed
	hold(cancelled)
}

func newOffer(a *arena.Arena) *order {
	return arena.New[order](a) // allocated
}

var offers = make(chan *order)

//go:noinline
func offer(o *order, cancelled chan bool) {
	waiting.Add(1)
	select {
	case offers <- o:
	case <-cancelled:
	}
}

var _ = plant("goroutine/frame", goFrame)

// A game draws a frame, while the next one is computed in the same memory.
//
// want: race, asan, trap
func goFrame() {
	a := newArena()
	scene := make(chan *order)
	drawn := make(chan bool)
	go func() {
		o := <-scene
		<-drawn
		sinkInt = o.items[0].cents // used by another goroutine
		drawn <- true
	}()
	o := newOrder(a, 1)
	o.items = arena.MakeSlice[item](a, 3, 3)
	scene <- o
	a.Reset() // reclaimed
	drawn <- true
	<-drawn
}

var _ = plant("goroutine/stack of a parent", goParent)

// The function that called holds on to it, further up a blocked stack.
//
// want: resets, guard, objects
// held by: main.outer
func goParent() {
	a := newArena(arena.WithNoScan())
	signal := make(chan bool)
	go outer(newJobOfOuter(a), signal)
	settled(1)
	a.Reset() // reclaimed
	hold(signal)
}

func newJobOfOuter(a *arena.Arena) *order {
	return arena.New[order](a) // allocated
}

//go:noinline
func outer(o *order, signal chan bool) {
	inner(100, signal)
	sinkInt = o.total
}

//go:noinline
func inner(depth int, signal chan bool) {
	if depth > 0 {
		inner(depth-1, signal)
		return
	}
	waiting.Add(1)
	<-signal
}
