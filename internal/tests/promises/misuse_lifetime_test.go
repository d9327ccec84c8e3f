package promises_test

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests use after Free, copies, options that can't be, and budgets.

func TestCopiedArena(t *testing.T) {
	var a arena.Arena
	arenakit.Works(&a)
	b := new(arena.Arena)
	// Not *b = a, which go vet refuses.
	copy(testkit.BytesAt(unsafe.Pointer(b), int(unsafe.Sizeof(a))), testkit.BytesAt(unsafe.Pointer(&a), int(unsafe.Sizeof(a))))
	testkit.WantPanic(t, func() { arena.MakeSlice[byte](b, 100000, 100000) }, "arena: MakeSlice: the Arena is a copy")
	testkit.WantPanic(t, func() { b.Mark() }, "copy")
	testkit.WantPanic(t, func() { b.Reset() }, "copy")
	if err := arenakit.Works(&a); err != nil {
		t.Error(err)
	}
}

// TestUnusualOptions: small, large and absent sizes are fine. TestBadPoolOptions has the others.
func TestUnusualOptions(t *testing.T) {
	for _, opts := range [][]arena.Option{
		{arena.WithChunkSize(1 << 22)}, {arena.WithMaxChunkSize(300)}, {arena.WithChunkSize(1)}, {arena.WithMaxChunkSize(1)},
		{arena.WithChunkSize(1), arena.WithMaxChunkSize(2)}, {arena.WithChunkSize(0), arena.WithMaxChunkSize(0), arena.WithLimit(0)},
	} {
		if err := arenakit.Works(arena.NewArena(opts...)); err != nil {
			t.Error(err)
		}
	}
}

// TestOptionsOfZero: a chunk size of 0 is the default.
func TestOptionsOfZero(t *testing.T) {
	reserved := func(opts ...arena.Option) (sizes []int) {
		a := arena.NewArena(opts...)
		for range 10 {
			a.AllocBytes(100_000)
			arena.New[entry](a)
			sizes = append(sizes, a.Stats().Reserved)
		}
		return sizes
	}
	if got, want := reserved(arena.WithChunkSize(0), arena.WithMaxChunkSize(0)), reserved(); !slices.Equal(got, want) {
		t.Errorf("%d bytes reserved, %d without options", got, want)
	}
}
