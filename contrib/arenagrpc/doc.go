// Package arenagrpc gives each RPC of a gRPC server an arena, and decodes its requests there. Decoding makes most of a
// server's garbage; in an arena it makes none. Messages are the ordinary ones of protoc-gen-go, and services those of
// protoc-gen-go-grpc.
//
//	var pool = arena.NewPool(arena.WithLimit(16<<20), arena.WithPoolLimit(1<<30))
//
//	s := grpc.NewServer(arenagrpc.ServerOptions(pool)...)
//	pb.RegisterOrdersServer(arenagrpc.Registrar(s), orders)
//
// In handlers and interceptors of unary methods, arena.FromContext(ctx) is the arena, for the reply and for other
// values of the RPC.
//
// # Memory
//
// The arena is got when the RPC begins, and put back when the reply is encoded, or the RPC has ended with an error,
// or the handler of a stream has returned. So a reply may be made of parts of the request. The request's struct itself
// is on the heap, made by generated code. With arena.WithReuse a later use of the request, or of other values in the
// arena, is a mistake: by a cache, a batch or a log that is written later, or a goroutine that outlives the handler.
// Copy values that live longer with arenaproto.Clone, or save all of them with [Keep]. Without WithReuse they stay
// valid.
//
// Errors of unary methods, of any type, may refer to the request: their status is copied before the arena is put back.
// Errors of streams are passed on unchanged, for interceptors, so the arena is freed. It is also freed if headers or
// trailers are strings in the arena or in a child of it, since gRPC reads them later. With arena.WithScrub, which
// erases freed memory, it is left to the garbage collector in both cases. After a panic the arena is also freed, even
// if an interceptor recovers.
//
// An interceptor may answer before the handler does, or without it. A handler that still runs then keeps the arena,
// and in a unary RPC it is freed when the handler returns. It is also freed if interceptors haven't called the
// handler, or if the RPC ends with Canceled or DeadlineExceeded, since other interceptors may still be at work. An
// interceptor that outlives the RPC must not allocate from the arena.
//
// Without [PerMessage], messages of a stream live until its end, in one arena. With it, each lives until the handler
// receives the next.
//
// A new arena for each message, freed afterwards, isn't worthwhile. The gain comes from a Pool, whose lives share
// chunks, and most of it from one that reuses memory.
//
// # Goroutines
//
// An arena is for one goroutine at a time. In a unary RPC that is the handler's. In a stream it is the goroutine that
// receives, since receiving allocates; another may send, but not allocate. After the end of the RPC and its handler,
// arena.FromContext returns nil, the Go heap, and late messages are decoded there.
//
// # Budgets
//
// A message that exceeds the budget of its arena (arena.WithLimit), or of all arenas (arena.WithPoolLimit), results
// in an error with the code ResourceExhausted, which wraps the *arena.LimitError. So does a handler that panics with
// one, unless an interceptor recovers first. Decoded messages count several times their size on the wire.
//
// # Interceptors, statistics and tracing
//
// Interceptors see requests and replies as usual. Unary ones run before the arena is put back. [AtEnd] is for
// interceptors of streams that use messages after the handler has returned. A stats.Handler gets the request, which it
// must not keep, and an empty reply; with AtEnd it gets the reply too. Tracing (grpc.EnableTracing) keeps messages:
// while it is set RPCs have no arena.
//
// # Finding misuse
//
// In tests, take the pool from package arenatest: a message that is used too long fails the test. With arena.WithReuse,
// arena.WithCheckRate(1000) checks one RPC in a thousand in production, and reports kept values.
package arenagrpc
