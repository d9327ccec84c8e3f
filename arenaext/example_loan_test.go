package arenaext_test

import (
	"context"
	"fmt"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
)

// A request is the state that a server has of a request. It is in the context under arenaext.ContextKey.
type request struct {
	arenaext.Loan
	route  string
	header map[string][]string // which the server sends when the handler has returned
}

func (r *request) Key() string                { return r.route }
func (r *request) Settle(a *arena.Arena) bool { return arenaext.OwnsHeader(a, r.header) }

// begin begins a request.
func begin(pool *arena.Pool) (r *request, ctx context.Context) {
	r = &request{route: "GET /orders", header: map[string][]string{}}
	r.Start(pool, r)
	return r, context.WithValue(context.Background(), arenaext.ContextKey{}, r)
}

// printEnd prints how a pool's arenas have ended.
func printEnd(pool *arena.Pool) {
	s := pool.Stats()
	fmt.Printf("%d put back, %d freed, %d in use\n", s.Puts, s.Freed, s.Live)
}

func ExampleLoan() {
	pool := arena.NewPool(arena.WithReuse())
	r, ctx := begin(pool)
	printEnd(pool)
	fmt.Println(arena.FromContext(ctx).AllocString("in the arena of the request")) // by Lend
	printEnd(pool)
	fmt.Println(r.Arena() == r.Lend(ctx))
	r.Use(func(a *arena.Arena) { fmt.Println(a.AllocString("decoded here")) })
	r.End()
	r.End()
	printEnd(pool)
	fmt.Println(arena.FromContext(ctx) == nil)
	// Output:
	// 0 put back, 0 freed, 0 in use
	// in the arena of the request
	// 0 put back, 0 freed, 1 in use
	// true
	// decoded here
	// 1 put back, 0 freed, 0 in use
	// true
}

func ExampleRequest() {
	pool := arena.NewPool(arena.WithReuse())
	r, ctx := begin(pool)
	r.header["Etag"] = []string{arena.FromContext(ctx).AllocString("is sent later")}
	r.End()
	printEnd(pool)
	// Output: 0 put back, 1 freed, 0 in use
}

func ExampleOwnsHeader() {
	a := arena.NewArena()
	fmt.Println(arenaext.OwnsHeader(a, map[string][]string{"Etag": {"a constant"}}))
	fmt.Println(arenaext.OwnsHeader(a, map[string][]string{"Etag": {a.AllocString("in the arena")}}))
	// Output:
	// false
	// true
}

func ExampleLoan_handler() {
	pool := arena.NewPool(arena.WithReuse())
	r := &request{}
	r.Start(pool, r)
	r.Enter()
	r.Arena()
	r.End() // the server has answered without the handler
	printEnd(pool)
	r.Leave()
	printEnd(pool)
	// Output:
	// 0 put back, 0 freed, 1 in use
	// 0 put back, 1 freed, 0 in use
}

func ExampleLoan_Detach() {
	pool := arena.NewPool(arena.WithReuse())
	r, ctx := begin(pool)
	arena.FromContext(ctx)
	done := r.Detach()
	r.End()
	printEnd(pool)
	done()
	printEnd(pool)
	// Output:
	// 0 put back, 0 freed, 1 in use
	// 1 put back, 0 freed, 0 in use
}

func ExampleLoan_Keep() {
	pool := arena.NewPool(arena.WithReuse())
	r, ctx := begin(pool)
	s := arena.FromContext(ctx).AllocString("stays valid")
	fmt.Println(r.Keep())
	r.End()
	printEnd(pool)
	fmt.Println(s)
	// Output:
	// true
	// 0 put back, 1 freed, 0 in use
	// stays valid
}

func ExampleLoan_Abandon() {
	r, ctx := begin(arena.NewPool(arena.WithReuse()))
	a := arena.FromContext(ctx)
	r.Abandon() // a handler wasn't waited for
	r.End()
	fmt.Println(arena.FromContext(ctx) == a, a.AllocString("still works"))
	// Output: true still works
}

func ExampleLoan_Next() {
	r, ctx := begin(arena.NewPool(arena.WithReuse()))
	for range 1000 {
		r.Next()
		arena.FromContext(ctx).AllocBytes(1000)
	}
	fmt.Println(arena.FromContext(ctx).UsedBytes())
	// Output: 1000
}
