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
// It may stand around one handler or around all of them, a [http.ServeMux] included. What a request takes is
// learned for each pattern of the ServeMux apart, if the arena is first asked for behind it.
//
// # Life
//
// The arena is got from the pool when it is first asked for, and put back when the handler has returned. A
// handler that doesn't ask takes none. What is kept longer must be copied out of it
// ([arena.Clone], [arena.DeepClone]): values put into a cache, entries of a log that is written later, what a
// goroutine uses that outlives the handler. For such a goroutine there is [Detach]. After the end,
// arena.FromContext returns nil, the Go heap.
//
// Where it isn't sure that nobody is using the memory, it is not used again:
//
//   - Behind [http.TimeoutHandler], which goes on without its handler, the arena of a request that ran out of time, or
//     whose client is gone, is left to the garbage collector. The same holds for anything else that
//     has a handler run by another goroutine with a context that has a deadline; without such a context, use
//     Detach. Who asks with a [context.WithoutCancel] doesn't tell whether it is waited for, nor does who asks by a
//     context of its own when the client has gone already: that arena is left, too. The other way round, with the
//     TimeoutHandler outside, is better: then the arena is put back when the handler has returned, whoever waits for it.
//   - If the connection was hijacked the arena is left to the garbage collector as well.
//   - If the handler panics, or calls [runtime.Goexit], the arena is freed.
//   - HTTP/2 may go on sending what a Write was given that has failed, since the stream was closed meanwhile. Then the
//     arena is freed, too; with arena.WithScrub, left to the garbage collector.
//
// An arena that is left to the garbage collector counts as live, and towards
// arena.WithPoolLimit, until a cycle of it finds the arena, and as lost from then on.
//
// Header fields may be strings in the arena, but not in a child of it. net/http reads them later: they are copied if
// nothing was written by the end of the handler. Otherwise the arena isn't used again, as if a Write had failed: it is better to clone them.
//
// # Requests
//
// The handler gets a copy of the request, which has another context. What middleware outside and net/http find out by theirs is what
// they would without: the Pattern, the values of PathValue and the MultipartForm, however the handler ends. Form and PostForm
// stay the copy's. A trailer that the client hasn't announced is in the copy once [ReadBody] has returned.
//
// The temporary files of a form that the handler has parsed are removed when the request is over: after [Detach], when all are done. One
// that was parsed of another copy, such as that of r.WithContext or of an http.TimeoutHandler inside, is unknown here as it is to net/http:
// call RemoveAll there.
//
// # Budgets
//
// A request that exceeds arena.WithLimit is answered with 413 (Request Entity Too Large), one for which
// arena.WithPoolLimit leaves no memory with 503 (Service Unavailable); see [OnLimit]. If a part of the answer has been
// sent by then, the connection is cut, so that nobody takes it for all.
//
// # Goroutines
//
// An arena is for one goroutine at a time, that of the handler as a rule. A handler that hands it to others waits for
// them before it returns, in a deferred function if it may panic.
package arenahttp
