// Package arenaconnect gives each RPC of a Connect server (connectrpc.com/connect) an arena, and
// decodes its binary requests there, in all three protocols. Messages are the ordinary ones of
// protoc-gen-go, and services those of protoc-gen-connect-go.
//
//	var pool = arena.NewPool(arena.WithLimit(16<<20), arena.WithPoolLimit(1<<30))
//
//	mux.Handle(shopconnect.NewOrdersHandler(orders, arenaconnect.HandlerOptions(pool)))
//	http.ListenAndServe(address, arenaconnect.Middleware(mux))
//
// In handlers, and in interceptors that come after [HandlerOptions], arena.FromContext(ctx) is the
// arena, for the reply and for other values of the RPC. Both functions are needed: without
// [Middleware] all RPCs fail.
//
// # Memory
//
// The arena is got when the first message has arrived, or the stream begins, and put back when the
// handler's answer is written. So a reply may be made of parts of the request. The request's struct
// itself is on the heap, made by generic code of Connect. Requests in JSON are entirely on the heap.
//
// If the pool was made with arena.WithReuse, a later use of the request, or of other values in the
// arena, is a mistake: by a cache, a batch that is sent later, or a goroutine that outlives the
// handler. Copy values that live longer with arenaproto.Clone, or save all of them with [Keep].
// Without WithReuse they stay valid, but don't allocate from the arena any more.
//
// Headers and trailers, and the texts of errors, may be strings in the arena or in a child of it. The
// arena is then freed, not put back, since net/http writes them later; with arena.WithScrub, which
// erases freed memory, it is left to the garbage collector. The arena is also freed after a panic,
// and after an RPC whose client has gone.
//
// Middleware between [Middleware] and the handler, such as [http.TimeoutHandler], may answer before
// the handler does. The handler then keeps the arena, which is freed when it returns. Interceptors
// that come after [HandlerOptions] may answer early with an error, which doesn't show when the
// handler returns. If the RPC ends with Canceled or DeadlineExceeded, or its context has ended, the
// arena is left to the garbage collector, and counts as live until the collector finds it. After
// another error with interceptors it is freed: an abandoned handler may read it, but allocating
// panics. An interceptor that answers with a reply of its own while the handler runs must call
// [Keep] first.
//
// Without [PerMessage], messages of a stream live until its end, in one arena. With it, each lives
// until the handler receives the next.
//
// # Goroutines
//
// An arena is for one goroutine at a time: that of the handler, and in a stream the one that
// receives, which must be the only one to allocate. After the end of the RPC, arena.FromContext
// returns nil, the Go heap, and late messages are decoded there.
//
// # Budgets
//
// A message that exceeds the budget of its arena (arena.WithLimit), or of all arenas
// (arena.WithPoolLimit), results in an error with the code ResourceExhausted, which wraps the
// *arena.LimitError. So does a handler that panics with one, unless an interceptor recovers first.
// Decoded messages count several times their size on the wire, which connect.WithReadMaxBytes
// bounds.
//
// # Finding misuse
//
// In tests, take the pool from package arenatest: a message that is used too long fails the test.
// With arena.WithReuse, arena.WithCheckRate(1000) checks one RPC in a thousand in production, and
// reports kept values.
package arenaconnect
