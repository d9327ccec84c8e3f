//go:build cgo

package arenaarrow_test

import (
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/cdata"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/harena-go/arena"
)

// This file tests Arrow's interface to C, which passes values in an arena without a copy.

// TestCData: an array of any type, passed to C and back, equals the one on the heap and is still in the
// arena. After C has released it Arrow has no references left.
func TestCData(t *testing.T) {
	s := newStrict(t, arena.NewArena())
	for seed, dt := range allTypes {
		checked := memory.NewCheckedAllocator(s)
		exported := arrayOf(t, checked, dt, uint64(seed), 100)
		want := arrayOf(t, memory.NewGoAllocator(), dt, uint64(seed), 100)
		var c cdata.CArrowArray
		var schema cdata.CArrowSchema
		cdata.ExportArrowArray(exported, &c, &schema)
		exported.Release() // C has it now
		runtime.GC()
		_, got, err := cdata.ImportCArray(&c, &schema)
		if err != nil {
			t.Errorf("%v: %v", dt, err)
			continue
		}
		if want = stored(want); !array.Equal(got, want) {
			t.Errorf("%v:\n%v\nwant\n%v", dt, got, want)
		}
		inArena(t, s.arena, got.Data())
		if checked.CurrentAlloc() == 0 && dt != arrow.Null {
			t.Errorf("%v: it is released before C has released it", dt)
		}
		got.Release()
		checked.AssertSize(t, 0)
	}
}

// stored returns an array as C has it, which doesn't know the names of extensions.
func stored(a arrow.Array) arrow.Array {
	if e, ok := a.(array.ExtensionArray); ok {
		return e.Storage()
	}
	return a
}

// TestCDataRecords: a reader of records that are in an arena, as C sees it.
func TestCDataRecords(t *testing.T) {
	s := newStrict(t, arena.NewArena())
	checked := memory.NewCheckedAllocator(s)
	var all []arrow.RecordBatch
	for seed := range uint64(3) {
		all = append(all, wide(t, checked, seed, 100))
	}
	r, err := array.NewRecordReader(all[0].Schema(), all)
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range all {
		rec.Release()
	}
	stream := new(cdata.CArrowArrayStream)
	cdata.ExportRecordReader(r, stream)
	r.Release()
	in, err := cdata.ImportCRecordReader(stream, nil)
	if err != nil {
		t.Fatal(err)
	}
	for seed := range uint64(3) {
		got, err := in.Read()
		if err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		want := wide(t, memory.NewGoAllocator(), seed, 100)
		for i, c := range got.Columns() {
			if want := stored(want.Column(i)); !array.Equal(c, want) {
				t.Errorf("seed %d, column %d is\n%v\nwant\n%v", seed, i, c, want)
			}
			inArena(t, s.arena, c.Data())
		}
	}
	in.(interface{ Release() }).Release()
	checked.AssertSize(t, 0)
}
