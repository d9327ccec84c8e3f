package arena_test

import (
	"context"
	"fmt"

	"github.com/harena-go/arena"
)

// greet is called with and without an arena.
func greet(ctx context.Context, name string) string {
	return arena.FromContext(ctx).Sprintf("Hello, %s!", name)
}

func ExampleNewContext() {
	var pool arena.Pool
	pool.Do(func(a *arena.Arena) error {
		ctx := arena.NewContext(context.Background(), a)
		fmt.Println(greet(ctx, "arena"))
		fmt.Println(a.UsedBytes())
		return nil
	})
	// Output:
	// Hello, arena!
	// 13
}

// Without an arena in the context it is the Go heap.
func ExampleFromContext() {
	ctx := context.Background()
	fmt.Println(arena.FromContext(ctx) == nil)
	fmt.Println(greet(ctx, "heap"))
	// Output:
	// true
	// Hello, heap!
}
