package escape

import "context"

func OKStopDeferred(ctx context.Context) {
	a := pool.Get()
	defer pool.Put(a)
	s := a.AllocString("request")
	stop := context.AfterFunc(ctx, func() { println(s) })
	defer stop()
	println(s)
}

func OKStopFirst(ctx context.Context) {
	a := pool.Get()
	s := a.AllocString("request")
	stop := context.AfterFunc(ctx, func() { println(s) })
	println(s)
	if stop() {
		pool.Put(a)
	}
}

func notStopped(ctx context.Context) {
	a := pool.Get()
	defer pool.Put(a)
	s := a.AllocString("request")
	context.AfterFunc(ctx, func() { println(s) }) // want `arena memory is given to a goroutine, and Pool.Put .* reclaims it without waiting`
	println(s)
}

// stoppedAfterPut defers in the wrong order.
func stoppedAfterPut(ctx context.Context) {
	a := pool.Get()
	s := a.AllocString("request")
	stop := context.AfterFunc(ctx, func() { println(s) }) // want `arena memory is given to a goroutine, and Pool.Put .* reclaims it without waiting`
	defer stop()
	defer pool.Put(a)
	println(s)
}
