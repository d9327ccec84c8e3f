package arenaarrow_test

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaarrow"
)

// Arrays, and computed results, in the arena of a request.
func Example() {
	pool := arena.NewPool()
	err := pool.Do(func(a *arena.Arena) error {
		mem := arenaarrow.NewAllocator(a)
		b := array.NewInt64Builder(mem)
		b.AppendValues([]int64{1, 2, 3}, nil)
		numbers := compute.NewDatum(b.NewArray())
		ctx := compute.WithAllocator(context.Background(), mem)
		twice, err := compute.Add(ctx, compute.ArithmeticOptions{}, numbers, numbers)
		if err != nil {
			return err
		}
		fmt.Println(twice.(*compute.ArrayDatum).MakeArray())
		return nil // no Release is needed
	})
	fmt.Println(err)
	// Output:
	// [2 4 6]
	// <nil>
}
