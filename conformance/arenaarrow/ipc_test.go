package arenaarrow_test

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/harena-go/arena"
)

// This file tests Arrow's streams and files, which are written from arenas and read to arenas.

// formats are how records may be written, by name.
var formats = map[string][]ipc.Option{
	"plain":        nil,
	"lz4":          {ipc.WithLZ4()},
	"zstd":         {ipc.WithZstd()},
	"lz4 in four":  {ipc.WithLZ4(), ipc.WithCompressConcurrency(4)},
	"zstd in four": {ipc.WithZstd(), ipc.WithCompressConcurrency(4)},
	"deltas":       {ipc.WithDictionaryDeltas(true)},
}

// containers are the formats in which records are written and read.
var containers = map[string]struct {
	write func(w io.Writer, opts ...ipc.Option) (recordWriter, error)
	read  func(data []byte, opts ...ipc.Option) (recordReader, error)
}{
	"stream": {
		func(w io.Writer, opts ...ipc.Option) (recordWriter, error) { return ipc.NewWriter(w, opts...), nil },
		func(data []byte, opts ...ipc.Option) (recordReader, error) {
			return ipc.NewReader(bytes.NewReader(data), opts...)
		},
	},
	"file": {
		func(w io.Writer, opts ...ipc.Option) (recordWriter, error) { return ipc.NewFileWriter(w, opts...) },
		func(data []byte, opts ...ipc.Option) (recordReader, error) {
			return fileReader(ipc.NewFileReader(bytes.NewReader(data), opts...))
		},
	},
}

type recordWriter interface {
	Write(arrow.RecordBatch) error
	Close() error
}

type recordReader interface {
	Read() (arrow.RecordBatch, error)
}

// A file is a reader of files that ends as streams do. Its records are the caller's.
type file struct {
	*ipc.FileReader
	next int
}

func fileReader(r *ipc.FileReader, err error) (recordReader, error) { return &file{FileReader: r}, err }

func (f *file) Read() (arrow.RecordBatch, error) {
	if f.next == f.NumRecords() {
		return nil, io.EOF
	}
	f.next++
	return f.RecordBatchAt(f.next - 1)
}

// written writes records to a container.
func written(t testing.TB, mem memory.Allocator, container string, records []arrow.RecordBatch, opts ...ipc.Option) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := containers[container].write(&buf, append(opts, ipc.WithSchema(records[0].Schema()), ipc.WithAllocator(mem))...)
	for _, r := range records {
		if err == nil {
			err = w.Write(r)
		}
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatalf("%s: %v", container, err)
	}
	return buf.Bytes()
}

// TestIPC: the output from an arena equals that from the heap, byte for byte, and reading it to an
// arena gives the original. Compressors run in several goroutines, so the race detector matters.
func TestIPC(t *testing.T) {
	heap := memory.NewGoAllocator()
	for name, opts := range formats {
		for container := range containers {
			t.Run(fmt.Sprintf("%s, %s", container, name), func(t *testing.T) {
				s := newStrict(t, arena.NewArena())
				for seed := range uint64(2) {
					of := func(mem memory.Allocator) (all []arrow.RecordBatch) {
						for i := range uint64(3) {
							if container != "stream" {
								i = 0 // files may have one dictionary for a column
							}
							all = append(all, wide(t, mem, 100*seed+i, 30))
						}
						return all
					}
					want := of(heap)
					data := written(t, s, container, of(s), opts...)
					if !bytes.Equal(data, written(t, heap, container, want, opts...)) {
						t.Error("the bytes differ")
					}
					runtime.GC()
					readBack(t, s, container, data, want, opts...)
					s.reset()
				}
			})
		}
	}
}

// readBack reads records to an arena, and looks whether they are right.
func readBack(t testing.TB, s *strict, container string, data []byte, want []arrow.RecordBatch, opts ...ipc.Option) {
	t.Helper()
	r, err := containers[container].read(data, append(opts, ipc.WithAllocator(s))...)
	if err != nil {
		t.Fatal(err)
	}
	var got []arrow.RecordBatch
	for {
		rec, err := r.Read()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rec.Retain() // which a stream's reader releases else
		got = append(got, rec)
	}
	runtime.GC()
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i := range got {
		if !array.RecordEqual(got[i], want[i]) {
			t.Errorf("record %d is\n%v\nwant\n%v", i, got[i], want[i])
		}
		for _, c := range got[i].Columns() {
			inArena(t, s.arena, c.Data())
		}
		got[i].Release()
	}
}
