// Package arenafasthttp gives each request of a fasthttp server an arena, by one line around the handler:
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
// The arena is got from the pool when it is first asked for. It is a user value of the request, which fasthttp closes when the
// answer was written, and it is put back then: so the answer may be in it, by ctx.Response.SetBodyRaw, and so may user values. A handler
// that doesn't ask takes none. What is kept longer must be copied out of it ([arena.Clone], [arena.DeepClone]). For a
// goroutine that outlives the handler there is [Detach]; for an answer that is written while it is sent, [SetBodyStreamWriter].
//
// Where it isn't sure that nobody is using the memory, it is not used again:
//
//   - After ctx.TimeoutError, and with it behind fasthttp.TimeoutHandler, the handler may go on, and fasthttp leaves it the context. So
//     does this package with the arena, which is left to the garbage collector. TimeoutHandler may stand around Handler or within; around is
//     better, as nobody recovers from panics of the goroutine that it starts, a *arena.LimitError among them.
//     After ctx.TimeoutError fasthttp doesn't remove the temporary files of a form either: a handler that goes on calls
//     ctx.Request.RemoveMultipartFormFiles at its end.
//   - If a handler removes all user values of its request, the arena is left to the garbage collector, as well.
//   - If the handler panics, or calls [runtime.Goexit], and somebody recovers, the arena is freed.
//
// The writer of ctx.SetBodyStreamWriter must not use the arena, as it must not use ctx: it may still run when the client is gone and
// fasthttp is through with the request. A stream that is only read, by ctx.SetBodyStream, may.
//
// An arena that is left to the garbage collector counts as live, and towards arena.WithPoolLimit, until a cycle of it finds the
// arena, and as lost from then on.
//
// If the connection is hijacked, the arena is put back when the hijack handler has returned, and isn't to be used
// later, even with Server.KeepHijackedConns.
//
// In a test that calls a handler without a server, ctx.Request.Reset ends the request.
//
// # Budgets
//
// A request that exceeds arena.WithLimit is answered with 413 (Request Entity Too Large), one for which
// arena.WithPoolLimit leaves no memory with 503 (Service Unavailable); see [OnLimit].
//
// # Goroutines
//
// An arena is for one goroutine at a time, that of the handler as a rule. A handler that hands it to others waits for
// them before it returns, in a deferred function if it may panic.
package arenafasthttp
