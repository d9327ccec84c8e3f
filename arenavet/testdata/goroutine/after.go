package goroutine

import (
	"context"
	"time"

	"github.com/harena-go/arena"
)

// What context.AfterFunc is given runs when the context ends: not as long as the
// function that stops it by defer isn't at its end.

func OKStoppedByDefer(ctx context.Context, a *arena.Arena) {
	stop := context.AfterFunc(ctx, func() { println("canceled") })
	defer stop()
	parse(a)
}

// OKSetsFlag closes something that has nothing to do with the arena.
func OKSetsFlag(ctx context.Context, conn interface{ Close() error }) {
	a := pool.Get()
	defer pool.Put(a)
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	parse(a)
}

// OKStopped waits for the function if it runs already.
func OKStopped(ctx context.Context) {
	a := arena.NewArena()
	done := make(chan bool)
	stop := context.AfterFunc(ctx, func() {
		parse(a)
		close(done)
	})
	if !stop() {
		<-done
	}
	parse(a)
	a.Reset()
}

// OKCleanup ends the arena with the context, and nobody else uses it any more.
func OKCleanup(ctx context.Context) {
	a := pool.Get()
	parse(a)
	context.AfterFunc(ctx, func() { pool.Put(a) })
}

// OKStopDeferred reads what is in the arena.
func OKStopDeferred(ctx context.Context) {
	a := pool.Get()
	defer pool.Put(a)
	n := parse(a)
	stop := context.AfterFunc(ctx, func() { println(n.n) })
	defer stop()
	parse(a)
}

// OKStopDeferredLiteral is the same, in a literal.
func OKStopDeferredLiteral(ctx context.Context) {
	a := pool.Get()
	defer pool.Put(a)
	n := parse(a)
	stop := context.AfterFunc(ctx, func() { println(n.n) })
	defer func() { stop() }()
	parse(a)
}

// OKTimerStopped is the same with a timer.
func OKTimerStopped() {
	a := pool.Get()
	defer pool.Put(a)
	n := parse(a)
	t := time.AfterFunc(time.Second, func() { println(n.n) })
	defer t.Stop()
	parse(a)
}

func neverStopped(ctx context.Context) {
	a := arena.NewArena()
	context.AfterFunc(ctx, func() { parse(a) })
	parse(a) // want `call: the arena is in use by the goroutine`
}

func stoppedTooLate(ctx context.Context) {
	a := arena.NewArena()
	stop := context.AfterFunc(ctx, func() { parse(a) })
	parse(a) // want `call: the arena is in use by the goroutine`
	stop()
}

func anotherStopped(ctx context.Context, stop func() bool) {
	a := arena.NewArena()
	context.AfterFunc(ctx, func() { parse(a) })
	stop()
	parse(a) // want `call: the arena is in use by the goroutine`
}
