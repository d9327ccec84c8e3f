// Package arenaconnect gives each RPC of a Connect server (connectrpc.com/connect) an arena, and decodes its binary
// requests there, in all three protocols. Messages are the ordinary ones of protoc-gen-go, and services those of
// protoc-gen-connect-go.
//
//	var pool = arena.NewPool(arena.WithLimit(16<<20), arena.WithPoolLimit(1<<30))
//
//	mux.Handle(shopconnect.NewOrdersHandler(orders, arenaconnect.HandlerOptions(pool)))
//	http.ListenAndServe(address, arenaconnect.Middleware(mux))
//
// In handlers, and in interceptors that come after [HandlerOptions], arena.FromContext(ctx) is the arena, for the
// reply and for whatever else lives no longer than the RPC. Both functions are needed: without [Middleware]
// all RPCs fail.
//
// # Memory
//
// The arena is got when the first message is there, or the stream begins, and put back when the handler's
// answer is written. So a reply may be made of parts of the request. All else that goes on using the request, or anything
// in the arena, is a mistake: a cache, a batch that is sent later, a goroutine that outlives the handler. What is to
// live longer is copied by arenaproto.Clone, or saved as a whole by [Keep]. The request's struct itself is
// on the heap, made by generic code of Connect; requests in JSON are all on the heap.
//
// Headers and trailers may be strings of the request: if so the arena is freed, not put back, since
// net/http writes them later. That isn't enough with arena.WithScrub, which erases them, nor for strings in a child
// of the arena: clone those. After a panic the arena is freed, too, and after an RPC whose client has gone.
//
// What is between [Middleware] and the handler, such as [http.TimeoutHandler], may answer before the handler does: the
// arena is the handler's then, and is freed when that returns. Interceptors that come after [HandlerOptions] may do
// so with an error. Nothing tells when the handler returns then. If the RPC ends with Canceled or DeadlineExceeded, or
// its context has ended, the arena is left to the garbage collector, and counts as live until that finds it. After
// another error behind interceptors it is freed: an abandoned handler may read it, but a panic ends its allocations.
// An interceptor that answers with a reply of its own while the handler runs has to call [Keep] before.
//
// Without [PerMessage], messages of a stream live until its end, in one arena. With it, each lives until
// the handler asks for the next.
//
// # Goroutines
//
// An arena is for one goroutine at a time: the handler's, and in a stream the one that receives, which may be the only
// one to allocate. After the end of the RPC, arena.FromContext returns nil, the Go heap, and what is received
// late is decoded there.
//
// # Budgets
//
// A message that exceeds the budget of its arena (arena.WithLimit), or of all (arena.WithPoolLimit), makes
// an error with the code ResourceExhausted, which wraps the *arena.LimitError; and so does a handler that
// panics with one, unless an interceptor recovers first. What is decoded there counts several times its size
// on the wire: connect.WithReadMaxBytes bounds that.
//
// # Finding misuse
//
// In tests, take the pool from package arenatest: a message that is used too long fails the test. In
// production, arena.WithCheckRate(1000) checks one RPC in a thousand, and reports what was kept.
package arenaconnect
