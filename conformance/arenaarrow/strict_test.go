package arenaarrow_test

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/extensions"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaarrow"
)

// This file holds an allocator that checks the results of ours, and arrays of each of Arrow's types.

// strict passes on to an Allocator, and looks at all that comes back: whether it is aligned, as
// long as it should be, in the arena, zero where it is new, as it was where it isn't, and nobody
// else's.
type strict struct {
	t     testing.TB
	arena *arena.Arena
	mem   *arenaarrow.Allocator

	mu     sync.Mutex
	blocks []span // that are in use, sorted
	kept   int    // how often Reallocate has left a block where it was
	moved  int    // and how often it hasn't
}

// A span is from one address up to another.
type span struct{ from, to uintptr }

func newStrict(t testing.TB, a *arena.Arena) *strict {
	return &strict{t: t, arena: a, mem: arenaarrow.NewAllocator(a)}
}

func (s *strict) Allocate(size int) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.mem.Allocate(size)
	s.look("Allocate", b, size, 0)
	return b
}

func (s *strict) Reallocate(size int, b []byte) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	was := string(b[:min(len(b), max(size, 0))])
	s.forget(b)
	c := s.mem.Reallocate(size, b)
	s.look("Reallocate", c, size, len(was))
	if string(c[:len(was)]) != was {
		s.t.Errorf("Reallocate from %d to %d bytes: what was there has changed", len(b), size)
	}
	if len(b) > 0 && size > 0 {
		if where(b) == where(c) {
			s.kept++
		} else if s.moved++; size <= len(b) {
			s.t.Errorf("Reallocate from %d to %d bytes has moved the block", len(b), size)
		}
	}
	return c
}

// Free keeps the block in the list: freed memory isn't used for other blocks.
func (s *strict) Free(b []byte) { s.mem.Free(b) }

// look checks a block that is new from offset from on.
func (s *strict) look(what string, b []byte, size, from int) {
	if b == nil || len(b) != size || cap(b) != size {
		s.t.Errorf("%s: %d bytes of %d, want %d", what, len(b), cap(b), size)
	}
	if size == 0 {
		return
	}
	if where(b)%arenaarrow.Alignment != 0 || !s.arena.Owns(pointerTo(b)) {
		s.t.Errorf("%s: %d bytes at %#x, in the arena: %t", what, size, where(b), s.arena.Owns(pointerTo(b)))
	}
	for i, c := range b[from:] {
		if c != 0 {
			s.t.Errorf("%s: byte %d of %d is %d, not 0", what, from+i, size, c)
			break
		}
	}
	now := span{where(b), where(b) + uintptr(size)}
	i, _ := slices.BinarySearchFunc(s.blocks, now.from, atAddress)
	if i > 0 && s.blocks[i-1].to > now.from || i < len(s.blocks) && s.blocks[i].from < now.to {
		s.t.Errorf("%s: %d bytes at %#x are another's", what, size, now.from)
	}
	s.blocks = slices.Insert(s.blocks, i, now)
}

// forget forgets a block that Reallocate may return again.
func (s *strict) forget(b []byte) {
	if len(b) == 0 {
		return
	}
	i, ok := slices.BinarySearchFunc(s.blocks, where(b), atAddress)
	if !ok {
		s.t.Errorf("Reallocate: %d bytes at %#x are nobody's", len(b), where(b))
		return
	}
	s.blocks = slices.Delete(s.blocks, i, i+1)
}

func atAddress(s span, at uintptr) int { return cmp.Compare(s.from, at) }

// reset resets the arena.
func (s *strict) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.arena.Reset()
	s.blocks = nil
}

// allTypes are types of every kind, nested ones of a few others.
var allTypes = func() []arrow.DataType {
	dictionary := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.String}
	fields := []arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int32, Nullable: true}, {Name: "s", Type: arrow.BinaryTypes.String, Nullable: true}, {Name: "d", Type: dictionary, Nullable: true}}
	flat := []arrow.DataType{
		arrow.Null, arrow.FixedWidthTypes.Boolean,
		arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint8, arrow.PrimitiveTypes.Uint16, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Uint64,
		arrow.FixedWidthTypes.Float16, arrow.PrimitiveTypes.Float32, arrow.PrimitiveTypes.Float64,
		arrow.FixedWidthTypes.Date32, arrow.FixedWidthTypes.Date64, arrow.FixedWidthTypes.Time32s, arrow.FixedWidthTypes.Time64ns,
		arrow.FixedWidthTypes.Timestamp_us, arrow.FixedWidthTypes.Duration_ms,
		arrow.FixedWidthTypes.MonthInterval, arrow.FixedWidthTypes.DayTimeInterval, arrow.FixedWidthTypes.MonthDayNanoInterval,
		&arrow.Decimal32Type{Precision: 9, Scale: 2}, &arrow.Decimal64Type{Precision: 18, Scale: 2},
		&arrow.Decimal128Type{Precision: 30, Scale: 3}, &arrow.Decimal256Type{Precision: 60, Scale: 4},
		arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView,
		arrow.BinaryTypes.Binary, arrow.BinaryTypes.LargeBinary, arrow.BinaryTypes.BinaryView, &arrow.FixedSizeBinaryType{ByteWidth: 5},
		extensions.NewUUIDType(), extensions.NewBool8Type(),
	}
	nested := []arrow.DataType{
		dictionary,
		&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Uint16, ValueType: arrow.PrimitiveTypes.Float64},
		arrow.StructOf(fields...), arrow.SparseUnionOf(fields, []arrow.UnionTypeCode{0, 1, 2}), arrow.DenseUnionOf(fields, []arrow.UnionTypeCode{5, 7, 9}),
		arrow.RunEndEncodedOf(arrow.PrimitiveTypes.Int32, arrow.BinaryTypes.String),
	}
	for _, of := range []arrow.DataType{arrow.BinaryTypes.String, dictionary, arrow.StructOf(fields...), arrow.ListOf(arrow.BinaryTypes.StringView)} {
		nested = append(nested, arrow.ListOf(of), arrow.LargeListOf(of), arrow.ListViewOf(of), arrow.LargeListViewOf(of), arrow.FixedSizeListOf(3, of), arrow.MapOf(arrow.BinaryTypes.String, of))
	}
	return append(flat, nested...)
}()

// fill appends a random value to a builder of any type, the same for the same random numbers.
func fill(r *rand.Rand, b array.Builder) error {
	if _, ok := b.Type().(*arrow.RunEndEncodedType); !ok && r.IntN(6) == 0 {
		b.AppendNull()
		return nil
	}
	switch b := b.(type) {
	case *array.ListBuilder:
		b.Append(true)
		return fillSome(r, b.ValueBuilder(), r.IntN(4))
	case *array.LargeListBuilder:
		b.Append(true)
		return fillSome(r, b.ValueBuilder(), r.IntN(4))
	case *array.ListViewBuilder:
		n := r.IntN(4)
		b.AppendWithSize(true, n)
		return fillSome(r, b.ValueBuilder(), n)
	case *array.LargeListViewBuilder:
		n := r.IntN(4)
		b.AppendWithSize(true, n)
		return fillSome(r, b.ValueBuilder(), n)
	case *array.FixedSizeListBuilder:
		b.Append(true)
		return fillSome(r, b.ValueBuilder(), 3)
	case *array.MapBuilder:
		b.Append(true)
		n := r.IntN(3)
		for i := range n {
			b.KeyBuilder().(*array.StringBuilder).Append(fmt.Sprint("key", i))
		}
		return fillSome(r, b.ItemBuilder(), n)
	case *array.StructBuilder:
		b.Append(true)
		for i := range b.NumField() {
			if err := fill(r, b.FieldBuilder(i)); err != nil {
				return err
			}
		}
		return nil
	case *array.SparseUnionBuilder:
		of := r.IntN(b.NumChildren())
		b.Append(b.Type().(arrow.UnionType).TypeCodes()[of])
		for i := range b.NumChildren() {
			if i != of {
				b.Child(i).AppendEmptyValue()
			}
		}
		return fill(r, b.Child(of))
	case *array.DenseUnionBuilder:
		of := r.IntN(b.NumChildren())
		b.Append(b.Type().(arrow.UnionType).TypeCodes()[of])
		return fill(r, b.Child(of))
	case *array.RunEndEncodedBuilder:
		b.Append(uint64(1 + r.IntN(3)))
		return fill(r, b.ValueBuilder())
	}
	return b.AppendValueFromString(word(r, b.Type()))
}

func fillSome(r *rand.Rand, b array.Builder, n int) error {
	for range n {
		if err := fill(r, b); err != nil {
			return err
		}
	}
	return nil
}

// word is a random value of a flat type, as text.
func word(r *rand.Rand, t arrow.DataType) string {
	n := r.IntN(100)
	switch t := t.(type) {
	case *arrow.NullType:
		return array.NullValueStr
	case *arrow.DictionaryType:
		return word(r, t.ValueType)
	case *arrow.BooleanType, *extensions.Bool8Type:
		return []string{"true", "false"}[n%2]
	case *arrow.Float16Type, *arrow.Float32Type, *arrow.Float64Type, arrow.DecimalType:
		return fmt.Sprintf("%d.%d", n, r.IntN(8))
	case *arrow.Date32Type, *arrow.Date64Type:
		return fmt.Sprintf("2026-01-%02d", 1+n%28)
	case *arrow.Time32Type, *arrow.Time64Type:
		return fmt.Sprintf("01:02:%02d", n%60)
	case *arrow.DurationType:
		return (time.Duration(n) * time.Millisecond).String()
	case *arrow.DayTimeIntervalType:
		return fmt.Sprintf(`{"days": %d, "milliseconds": %d}`, n, n*7)
	case *arrow.MonthDayNanoIntervalType:
		return fmt.Sprintf(`{"months": %d, "days": %d, "nanoseconds": %d}`, n%12, n, n*7)
	case *arrow.StringType, *arrow.LargeStringType, *arrow.StringViewType:
		return strings.Repeat(string(rune('a'+n%26)), n%30) // views have up to 12 bytes within
	case *arrow.BinaryType, *arrow.LargeBinaryType, *arrow.BinaryViewType:
		return base64.StdEncoding.EncodeToString([]byte(strings.Repeat("x", n%30)))
	case *arrow.FixedSizeBinaryType:
		return base64.StdEncoding.EncodeToString([]byte(fmt.Sprintf("%05d", n)))
	case *extensions.UUIDType:
		return fmt.Sprintf("f47ac10b-58cc-4372-a567-0e02b2c3d4%02d", n)
	}
	return fmt.Sprint(n)
}

// arrayOf builds a random array, the same for the same seed.
func arrayOf(t testing.TB, mem memory.Allocator, dt arrow.DataType, seed uint64, n int) arrow.Array {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	b := array.NewBuilder(mem, dt)
	defer b.Release()
	if seed%3 == 0 {
		b.Reserve(n)
	}
	if err := fillSome(r, b, n); err != nil {
		t.Fatalf("%v: %v", dt, err)
	}
	return b.NewArray()
}

// wide builds a record with a column of each type.
func wide(t testing.TB, mem memory.Allocator, seed uint64, rows int) arrow.RecordBatch {
	t.Helper()
	var fields []arrow.Field
	var columns []arrow.Array
	for i, dt := range allTypes {
		column := arrayOf(t, mem, dt, seed+uint64(i), rows)
		if column.Len() > rows {
			whole := column
			column = array.NewSlice(whole, 0, int64(rows)) // run-end encoded ones are longer
			whole.Release()
		}
		fields = append(fields, arrow.Field{Name: fmt.Sprint(dt.Name(), i), Type: dt, Nullable: true})
		columns = append(columns, column)
	}
	rec := array.NewRecordBatch(arrow.NewSchema(fields, nil), columns, int64(rows))
	for _, c := range columns {
		c.Release()
	}
	return rec
}

// TestBuilders: of every type, built in arenas that are used again and again, with each block that they get looked at.
func TestBuilders(t *testing.T) {
	s := newStrict(t, arena.NewArena(arena.WithChunkSize(8<<10)))
	for seed := range uint64(4) {
		for i, dt := range allTypes {
			checked := memory.NewCheckedAllocator(s)
			got := arrayOf(t, checked, dt, seed, 50<<seed)
			want := arrayOf(t, memory.NewGoAllocator(), dt, seed, 50<<seed)
			if !array.Equal(got, want) {
				t.Errorf("%v:\n%v\nwant\n%v", dt, got, want)
			}
			if err, of := array.ValidateFull(got), array.ValidateFull(want); fmt.Sprint(err) != fmt.Sprint(of) { // which isn't nil for run-end encoded ones
				t.Errorf("%v: %v, on the heap %v", dt, err, of)
			}
			inArena(t, s.arena, got.Data())
			got.Release()
			checked.AssertSize(t, 0)
			if i%10 == 0 {
				s.reset()
			}
		}
	}
	if s.kept < 100 || s.moved < 100 {
		t.Errorf("blocks have stayed where they were %d times, and moved %d times", s.kept, s.moved)
	}
}

// where is the address of a slice.
func where(b []byte) uintptr { return uintptr(pointerTo(b)) }

func pointerTo(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

// inArena fails if a buffer of an array with something in it isn't in the arena.
func inArena(t testing.TB, a *arena.Arena, data arrow.ArrayData) {
	t.Helper()
	for _, b := range data.Buffers() {
		if b != nil && b.Len() > 0 && !a.Owns(pointerTo(b.Bytes())) {
			t.Errorf("a buffer of %d bytes of a %v isn't in the arena", b.Len(), data.DataType())
		}
	}
	for _, c := range data.Children() {
		inArena(t, a, c)
	}
}
