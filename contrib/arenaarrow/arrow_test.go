package arenaarrow_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaarrow"
)

// This file tests Arrow itself over arenas, against Arrow over the Go heap. The module conformance has more of that.

var schema = arrow.NewSchema([]arrow.Field{
	{Name: "id", Type: arrow.PrimitiveTypes.Int64},
	{Name: "price", Type: arrow.PrimitiveTypes.Float64, Nullable: true},
	{Name: "sold", Type: arrow.FixedWidthTypes.Boolean, Nullable: true},
	{Name: "name", Type: arrow.BinaryTypes.String, Nullable: true},
	{Name: "view", Type: arrow.BinaryTypes.StringView, Nullable: true},
	{Name: "color", Type: &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int32, ValueType: arrow.BinaryTypes.String}, Nullable: true},
	{Name: "tags", Type: arrow.ListOf(arrow.BinaryTypes.String), Nullable: true},
	{Name: "size", Type: arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int32}, arrow.Field{Name: "y", Type: &arrow.Decimal128Type{Precision: 20, Scale: 2}})},
	{Name: "attributes", Type: arrow.MapOf(arrow.BinaryTypes.String, arrow.PrimitiveTypes.Uint16)},
}, nil)

// record builds a record of rows, the same for the same seed.
func record(mem memory.Allocator, seed uint64, rows int) arrow.RecordBatch {
	r := rand.New(rand.NewPCG(seed, 7))
	b := array.NewRecordBuilder(mem, schema)
	defer b.Release()
	word := func() string { return fmt.Sprintf("%0*d", r.IntN(30), r.IntN(1000)) }
	for row := range rows {
		for i, f := range b.Fields() {
			if schema.Field(i).Nullable && r.IntN(5) == 0 {
				f.AppendNull()
				continue
			}
			switch f := f.(type) {
			case *array.Int64Builder:
				f.Append(int64(row))
			case *array.Float64Builder:
				f.Append(r.Float64())
			case *array.BooleanBuilder:
				f.Append(r.IntN(2) == 0)
			case *array.StringBuilder:
				f.Append(word())
			case *array.StringViewBuilder:
				f.Append(word())
			case *array.BinaryDictionaryBuilder:
				f.AppendString([]string{"red", "green", "blue"}[r.IntN(3)])
			case *array.ListBuilder:
				f.Append(true)
				for range r.IntN(4) {
					f.ValueBuilder().(*array.StringBuilder).Append(word())
				}
			case *array.StructBuilder:
				f.Append(true)
				f.FieldBuilder(0).(*array.Int32Builder).Append(int32(row))
				f.FieldBuilder(1).(*array.Decimal128Builder).Append(decimal128.FromI64(int64(row) * 100))
			case *array.MapBuilder:
				f.Append(true)
				for i := range r.IntN(3) {
					f.KeyBuilder().(*array.StringBuilder).Append(fmt.Sprint("key", i))
					f.ItemBuilder().(*array.Uint16Builder).Append(uint16(i))
				}
			default:
				panic(fmt.Sprintf("a %T", f))
			}
		}
	}
	return b.NewRecordBatch()
}

// inArena fails if a non-empty buffer of an array isn't in the arena.
func inArena(t testing.TB, a *arena.Arena, data arrow.ArrayData) {
	t.Helper()
	for _, b := range data.Buffers() {
		if b != nil && b.Len() > 0 && !a.Owns(bufferAt(b)) {
			t.Errorf("a buffer of %d bytes of a %v isn't in the arena", b.Len(), data.DataType())
		}
	}
	for _, c := range data.Children() {
		inArena(t, a, c)
	}
}

// TestRecords: columns of all kinds, built in reused arenas, equal those on the heap, and are in the
// arena.
func TestRecords(t *testing.T) {
	pool := arena.NewPool(arena.WithReuse(), arena.WithScrub())
	for seed := range uint64(30) {
		a := pool.Get()
		mem := memory.NewCheckedAllocator(arenaarrow.NewAllocator(a))
		got := record(mem, seed, 200)
		want := record(memory.NewGoAllocator(), seed, 200)
		runtime.GC()
		if !array.RecordEqual(got, want) {
			t.Fatalf("seed %d:\n%v\nwant\n%v", seed, got, want)
		}
		for _, c := range got.Columns() {
			if err := array.ValidateFull(c); err != nil {
				t.Error(err)
			}
			inArena(t, a, c.Data())
		}
		got.Release()
		mem.AssertSize(t, 0)
		pool.Put(a)
	}
	if s := pool.Stats(); s.Misses > 15 && s.Growths > 3*s.Gets {
		t.Log(s) // the GC takes idle arenas
	}
}

// TestReleaseAfterReset: it harms neither the arena nor its new values.
func TestReleaseAfterReset(t *testing.T) {
	a := arena.NewArena()
	mem := arenaarrow.NewAllocator(a)
	old := record(mem, 1, 100)
	a.Reset()
	got := record(mem, 2, 100)
	old.Release()
	next := record(mem, 3, 100)
	for seed, r := range map[uint64]arrow.RecordBatch{2: got, 3: next} {
		if want := record(memory.NewGoAllocator(), seed, 100); !array.RecordEqual(r, want) {
			t.Errorf("seed %d:\n%v\nwant\n%v", seed, r, want)
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
