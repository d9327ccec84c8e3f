// Package arenagrpc gives each RPC of a gRPC server an arena, and decodes its requests there. Decoding then makes no
// garbage, which is most of what such a server makes. Messages are the ordinary ones of protoc-gen-go, and services
// those of protoc-gen-go-grpc.
//
//	var pool = arena.NewPool(arena.WithLimit(16<<20), arena.WithPoolLimit(1<<30))
//
//	s := grpc.NewServer(arenagrpc.ServerOptions(pool)...)
//	pb.RegisterOrdersServer(arenagrpc.Registrar(s), orders)
//
// In handlers and interceptors of unary methods, arena.FromContext(ctx) is the arena, for the reply and for anything
// that lives no longer than the RPC.
//
// # Memory
//
// The arena is got when the RPC begins, and put back when the reply is encoded, or the RPC has ended with an error,
// or the handler of a stream has returned. So a reply may be made of parts of the request. Its struct itself is on the
// heap, made by generated code. With arena.WithReuse any other use of the request, or of anything in the arena, after
// that is a mistake: by a cache, a batch or a log that is written later, or a goroutine that outlives the handler. Copy
// what must live longer with arenaproto.Clone, or save all of it with [Keep]. Without WithReuse all of it stays valid.
//
// Errors of unary methods may refer to the request, whatever their type: their status is copied before the arena goes
// back. Errors of streams are passed on unchanged, for interceptors, so the arena is freed. It is also freed if headers
// or trailers are strings in the arena or in a child of it, since gRPC reads them later; with arena.WithScrub, which
// erases what is freed, it is left to the garbage collector. After a panic the arena is also freed, even if an
// interceptor recovers.
//
// An interceptor may answer before the handler does, or without it. A handler that still runs then keeps the arena,
// and in a unary RPC it is freed when the handler returns. It is also freed if interceptors haven't called the
// handler, or if the RPC ends with Canceled or DeadlineExceeded, since other interceptors may still be at work. An
// interceptor that outlives the RPC must not allocate from the arena.
//
// Without [PerMessage], messages of a stream live until its end, in one arena. With it, each lives until
// the handler asks for the next.
//
// A fresh arena for each message, freed afterwards, does not pay. The gain comes from a Pool, whose lives share chunks,
// and most of it from one that reuses memory.
//
// # Goroutines
//
// An arena is for one goroutine at a time. In a unary RPC that is the handler's. In a stream the goroutine that
// receives is the one that may allocate, as receiving does; another may send, but not allocate. After the end of the
// RPC and its handler, arena.FromContext returns nil, the Go heap, and late messages are decoded there.
//
// # Budgets
//
// A message that exceeds the budget of its arena (arena.WithLimit), or of all arenas (arena.WithPoolLimit), results
// in an error with the code ResourceExhausted, which wraps the *arena.LimitError. So does a handler that panics with
// one, unless an interceptor recovers first. Decoded messages count several times their size on the wire.
//
// # What sees messages
//
// Interceptors see requests and replies as usual. Unary ones run before the arena goes back. For interceptors of
// streams that do something after the handler, see [AtEnd]. A stats.Handler is given the request, which it must not
// keep, and an empty reply; see [AtEnd]. Tracing (grpc.EnableTracing) keeps messages: while it is set no RPC has an
// arena.
//
// # Finding misuse
//
// In tests, take the pool from package arenatest: a message that is used too long fails the test. With arena.WithReuse,
// arena.WithCheckRate(1000) checks one RPC in a thousand in production, and reports what was kept.
package arenagrpc
