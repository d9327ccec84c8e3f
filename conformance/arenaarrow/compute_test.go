package arenaarrow_test

import (
	"context"
	"fmt"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/harena-go/arena"
)

// This file tests Arrow's functions, all that there are, over arenas, against the same over the Go heap.

type argument struct {
	name string
	make func(t testing.TB, mem memory.Allocator, seed uint64) compute.Datum
}

// arguments are the one or two arguments of functions.
var arguments = []argument{
	{"booleans", randomly(arrow.FixedWidthTypes.Boolean)},
	{"int32s", randomly(arrow.PrimitiveTypes.Int32)},
	{"uint8s", randomly(arrow.PrimitiveTypes.Uint8)},
	{"int64s", randomly(arrow.PrimitiveTypes.Int64)},
	{"float64s", randomly(arrow.PrimitiveTypes.Float64)},
	{"strings", randomly(arrow.BinaryTypes.String)},
	{"times", randomly(arrow.FixedWidthTypes.Timestamp_us)},
	{"decimals", randomly(&arrow.Decimal128Type{Precision: 30, Scale: 3})},
	{"lists", randomly(arrow.ListOf(arrow.BinaryTypes.String))},
	{"fixed lists", randomly(arrow.FixedSizeListOf(3, arrow.PrimitiveTypes.Int32))},
	{"runs", randomly(arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String))},
	{"indices", func(_ testing.TB, mem memory.Allocator, seed uint64) compute.Datum { // small, as bits to shift by are
		b := array.NewInt64Builder(mem)
		for i := range uint64(60) {
			b.Append(int64((i + seed) % 3))
		}
		return compute.NewDatumWithoutOwning(b.NewArray())
	}},
	{"cosines", func(_ testing.TB, mem memory.Allocator, seed uint64) compute.Datum {
		b := array.NewFloat64Builder(mem)
		for i := range uint64(60) {
			b.Append(float64((i+seed)%21)/10 - 1)
		}
		return compute.NewDatumWithoutOwning(b.NewArray())
	}},
}

// scalar is for the function that wants one; others end the process.
var scalar = argument{"a number", func(testing.TB, memory.Allocator, uint64) compute.Datum { return compute.NewDatum(int64(1)) }}

// randomly makes arrays of a type.
func randomly(dt arrow.DataType) func(testing.TB, memory.Allocator, uint64) compute.Datum {
	return func(t testing.TB, mem memory.Allocator, seed uint64) compute.Datum {
		return compute.NewDatumWithoutOwning(arrayOf(t, mem, dt, seed, 60))
	}
}

// options are the options of functions without a default.
func options(t testing.TB, mem memory.Allocator, name string) compute.FunctionOptions {
	switch name {
	case "cast":
		return compute.SafeCastOptions(arrow.BinaryTypes.String)
	case "run_end_encode":
		return &compute.RunEndEncodeOptions{RunEndType: arrow.PrimitiveTypes.Int32}
	case "is_in":
		return &compute.SetOptions{ValueSet: compute.NewDatumWithoutOwning(arrayOf(t, mem, arrow.BinaryTypes.String, 99, 30))}
	}
	return nil
}

// TestFunctions calls each of Arrow's functions with all kinds of arguments: it ends with the same
// error as on the heap, or with the same result, which is in the arena. Each works with something.
func TestFunctions(t *testing.T) {
	s := newStrict(t, arena.NewArena())
	names := compute.GetFunctionRegistry().GetFunctionNames()
	results := 0
	for i, name := range names {
		f, _ := compute.GetFunctionRegistry().GetFunction(name)
		works := 0
		for _, left := range arguments {
			seconds := arguments
			if f.Arity().NArgs == 1 {
				seconds = arguments[:1]
			} else if name == "list_element" {
				seconds = []argument{scalar}
			}
			for _, right := range seconds {
				call := func(mem memory.Allocator) (compute.Datum, error) {
					args := []compute.Datum{left.make(t, mem, uint64(i)), right.make(t, mem, uint64(i)+1)}
					return called(mem, name, options(t, mem, name), args[:f.Arity().NArgs])
				}
				got, err := call(s)
				want, of := call(memory.NewGoAllocator())
				if fmt.Sprint(err) != fmt.Sprint(of) {
					t.Errorf("%s of %s, %s: %v, on the heap %v", name, left.name, right.name, err, of)
				} else if err == nil {
					works++
					sameDatum(t, s.arena, fmt.Sprint(name, " of ", left.name, ", ", right.name), got, want)
				}
			}
		}
		if works == 0 {
			t.Errorf("%s has worked with nothing", name)
		}
		results += works
		runtime.GC()
		s.reset()
	}
	t.Logf("%d functions, %d results", len(names), results)
}

// called calls a function. Arrow's panics are errors here: not every function refuses bad arguments.
func called(mem memory.Allocator, name string, opts compute.FunctionOptions, args []compute.Datum) (d compute.Datum, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v", v)
		}
	}()
	return compute.CallFunction(compute.WithAllocator(context.Background(), mem), name, opts, args...)
}

// sameDatum fails if two results differ, or if the first isn't in the arena.
func sameDatum(t testing.TB, a *arena.Arena, what string, got, want compute.Datum) {
	t.Helper()
	g, ok := got.(*compute.ArrayDatum)
	if !ok {
		if !got.Equals(want) {
			t.Errorf("%s is %v, want %v", what, got, want)
		}
		return
	}
	sameArray(t, a, what, g.MakeArray(), want.(*compute.ArrayDatum).MakeArray())
}

func sameArray(t testing.TB, a *arena.Arena, what string, got, want arrow.Array) {
	t.Helper()
	if !array.ApproxEqual(got, want, array.WithNaNsEqual(true)) {
		t.Errorf("%s is\n%v\nwant\n%v", what, got, want)
	}
	inArena(t, a, got.Data())
}
