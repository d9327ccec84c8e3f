package arenaarrow_test

import (
	"fmt"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaarrow"
)

// This file tests Arrow itself over arenas. The module conformance does so for arrays of all types.

// words builds an array of strings, different for each number.
func words(mem memory.Allocator, number int) arrow.Array {
	b := array.NewStringBuilder(mem)
	defer b.Release()
	for i := range 100 {
		b.Append(fmt.Sprintf("word %d of %0*d", i, i, number))
	}
	return b.NewArray()
}

// TestReleaseAfterReset: it harms neither the arena nor its new values.
func TestReleaseAfterReset(t *testing.T) {
	a := arena.NewArena()
	mem := arenaarrow.NewAllocator(a)
	old := words(mem, 1)
	a.Reset()
	got := words(mem, 2)
	old.Release()
	next := words(mem, 3)
	for number, is := range map[int]arrow.Array{2: got, 3: next} {
		if want := words(memory.NewGoAllocator(), number); !array.Equal(is, want) {
			t.Errorf("array %d is\n%v\nwant\n%v", number, is, want)
		}
	}
	a.Free()
	got.Release()
}

// TestBuffersGrowInPlace: a single buffer leaves no copies behind, nor does a builder that reserves its
// size.
func TestBuffersGrowInPlace(t *testing.T) {
	a := arena.NewArena(arena.WithChunkSize(4 << 20))
	mem := arenaarrow.NewAllocator(a)
	const n = 200_000
	b := memory.NewResizableBuffer(mem)
	for i := range n {
		b.Resize(8 * (i + 1))
	}
	if used := a.UsedBytes(); used > 9*n {
		t.Errorf("a buffer: %d bytes are used for %d", used, 8*n)
	}
	a.Reset()
	builder := array.NewInt64Builder(mem)
	builder.Reserve(n)
	for i := range n {
		builder.Append(int64(i))
	}
	values := builder.NewInt64Array()
	if values.Len() != n || values.Value(n-1) != n-1 {
		t.Error(values.Len())
	}
	if used := a.UsedBytes(); used > 12*n { // n is rounded up to a power of two
		t.Errorf("a builder: %d bytes are used for %d", used, 8*n)
	}
}
