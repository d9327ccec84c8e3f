// Package arenahttp gives each request of an HTTP server an arena, by one line around the
// handler:
//
//	pool := arena.NewPool(arena.WithLimit(8<<20), arena.WithPoolLimit(1<<30)) // one request, all requests
//
//	mux.Handle("POST /orders", arenahttp.Handler(pool, http.HandlerFunc(orders)))
//
//	func orders(w http.ResponseWriter, r *http.Request) {
//		a := arena.FromContext(r.Context())
//		body, err := arenahttp.ReadBody(r)
//		...
//	}
//
// It may wrap one handler or all of them, including a [http.ServeMux]. The size of a request's
// memory is learned separately for each method and pattern of the ServeMux, if the arena is first
// requested behind it.
//
// # Life
//
// The arena is taken from the pool at the first call of arena.FromContext, and put back when the
// handler has returned. A handler without such a call uses none. After the end, arena.FromContext
// returns nil, the Go heap.
//
// If the pool was made with [arena.WithReuse], values that are kept longer must be copied out of
// the arena ([arena.CloneOut], [arena.Keep]): values in caches, log entries that are written later,
// data for a goroutine that outlives the handler. Without it they stay valid. A goroutine that
// allocates after the handler's end needs [Detach] in any case.
//
// Memory that may still be in use is not reused, also with WithReuse:
//
//   - If the request's context has ended when the handler returns, since the client is gone or time
//     has run out, the arena is left to the garbage collector: code that waits for the end of a
//     context doesn't wait for the goroutines that it has started. [http.TimeoutHandler] is such code;
//     if one inside answers with 503, the arena is left to the collector, too.
//   - The same holds for any other middleware that runs a handler in another goroutine with a
//     context that has a deadline, if the arena was requested with that context. Otherwise use
//     Detach. It also holds if the arena was requested with a [context.WithoutCancel]: then nothing
//     shows that the handler has returned.
//   - If the connection was hijacked the arena is left to the garbage collector as well.
//   - If the handler panics, or calls [runtime.Goexit], the arena is freed.
//   - After a Write that failed because the stream was closed, HTTP/2 may still be sending its
//     data. Then the arena is freed too, or with arena.WithScrub, left to the garbage collector.
//     So it is if the answer is 503 or 504, which middleware may have got from a TimeoutHandler.
//
// An arena that is left to the garbage collector counts as live, and towards
// arena.WithPoolLimit, until a GC cycle finds the arena, and as lost from then on.
//
// Header fields may be strings in the arena or in a child of it. net/http reads them later:
// they are copied if nothing was written by the end of the handler. Otherwise the arena isn't
// reused, as if a Write had failed. It is better to clone them.
//
// # Requests
//
// The handler gets a copy of the request with another context. Middleware outside and net/http
// still find the Pattern, the values of PathValue and the MultipartForm in their request, however
// the handler ends. Form and PostForm are set only in the copy. A trailer that the client hasn't
// announced is in the copy once [ReadBody] has returned.
//
// The temporary files of a form that the handler has parsed are removed when the request is over,
// or after [Detach], when all work is done. If the form of another copy was parsed, such as that of
// r.WithContext or of an http.TimeoutHandler inside, neither this package nor net/http can remove
// them: call RemoveAll there.
//
// # Budgets
//
// A request that exceeds arena.WithLimit is answered with 413 (Request Entity Too Large), one
// without memory left by arena.WithPoolLimit with 503 (Service Unavailable); see [OnLimit]. If a
// part of the answer has been sent by then, the connection is cut, so that the client doesn't take
// it for complete.
//
// # Goroutines
//
// An arena is for one goroutine at a time, usually that of the handler. A handler that passes it to
// others must wait for them before it returns, in a deferred function if it may panic.
package arenahttp
