// Package arenafasthttp gives each request of a fasthttp server an arena, by one line around the
// handler:
//
//	pool := arena.NewPool(arena.WithLimit(8<<20), arena.WithPoolLimit(1<<30)) // one request, all requests
//
//	fasthttp.ListenAndServe(address, arenafasthttp.Handler(pool, orders))
//
//	func orders(ctx *fasthttp.RequestCtx) {
//		a := arena.FromContext(ctx)
//		order, err := decode(a, ctx.PostBody())
//		...
//	}
//
// # Life
//
// The first call of arena.FromContext gets the arena from the pool; a handler that doesn't call it
// uses none. The arena is a user value of the request. fasthttp closes user values when the answer
// was written, and the arena is put back then. So the answer may be in it, by
// ctx.Response.SetBodyRaw, and so may user values. If the pool was made with [arena.WithReuse],
// values that are kept longer must be copied out of the arena ([arena.CloneOut], [arena.Keep]);
// without it they stay valid. Use [Detach] for a goroutine that outlives the handler, and
// [SetBodyStreamWriter] for an answer that is written while it is sent.
//
// Memory that may still be in use is not reused, even with WithReuse:
//
//   - After ctx.TimeoutError, which fasthttp.TimeoutHandler calls too, the handler may go on, and
//     fasthttp doesn't reuse its context. This package leaves the arena to the garbage collector.
//     TimeoutHandler may be outside of Handler or inside. Outside is better, since panics in the
//     goroutine that it starts aren't recovered, including a *arena.LimitError. After
//     ctx.TimeoutError fasthttp doesn't remove the temporary files of a form either: a handler that
//     goes on should call ctx.Request.RemoveMultipartFormFiles at its end.
//   - If a handler removes all user values of its request, the arena is left to the garbage
//     collector as well.
//   - If the handler panics and the panic is recovered, or calls [runtime.Goexit], the arena is
//     freed.
//
// The writer of ctx.SetBodyStreamWriter must not use the arena, just as it must not use ctx: it may
// still run when the client is gone and fasthttp is done with the request. A stream that is only
// read, by ctx.SetBodyStream, may use it.
//
// An arena that is left to the garbage collector counts as live, and towards arena.WithPoolLimit,
// until a GC cycle finds it; then it counts as lost.
//
// If the connection is hijacked, the arena is put back when the hijack handler has returned, and
// must not be used later, even with Server.KeepHijackedConns.
//
// In a test that calls a handler without a server, ctx.Request.Reset ends the request.
//
// # Budgets
//
// A request that exceeds arena.WithLimit is answered with 413 (Request Entity Too Large). If
// arena.WithPoolLimit leaves no memory, it is answered with 503 (Service Unavailable); see
// [OnLimit].
//
// # Goroutines
//
// An arena is for one goroutine at a time, usually that of the handler. A handler that passes it to
// others must wait for them before it returns, in a deferred function if it may panic.
package arenafasthttp
