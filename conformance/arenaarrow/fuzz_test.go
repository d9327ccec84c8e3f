package arenaarrow_test

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/compute"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/harena-go/arena"
)

// This file tests programs of arrays: their results in an arena equal those on the heap.

// A program is bytes that choose steps and their arguments. It ends with them.
type program []byte

// next returns a number below n, or 0 at the end.
func (p *program) next(n int) int {
	if len(*p) == 0 {
		return 0
	}
	b := (*p)[0]
	*p = (*p)[1:]
	return int(b) % n
}

// A world is an arena and the heap, and the arrays that a program has made in both.
type world struct {
	t         testing.TB
	mem       *strict
	heap      memory.Allocator
	got, want []arrow.Array
}

// steps are the steps of programs.
var steps = []func(w *world, p *program){
	(*world).build, (*world).build, (*world).slice, (*world).concatenate, (*world).call, (*world).choose, (*world).send, (*world).buffer, (*world).release,
	(*world).rewind, (*world).reset,
}

// FuzzDiffer runs programs. Each block that Arrow gets of an arena is looked at, too.
func FuzzDiffer(f *testing.F) {
	for i := range steps {
		var p program // builds, does something, and builds again
		for j := range 12 {
			p = append(p, 0, byte(i*13+j*5), byte(j), byte(20*j), byte(i), byte(j), byte(2*j), byte(7*j))
		}
		f.Add([]byte(p))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		w := &world{t: t, mem: newStrict(t, arena.NewArena(arena.WithChunkSize(1024))), heap: memory.NewGoAllocator()}
		p := program(data[:min(len(data), 300)])
		for len(p) > 0 {
			steps[p.next(len(steps))](w, &p)
		}
		runtime.GC()
		for i := range w.got {
			sameArray(t, w.mem.arena, fmt.Sprint("array ", i, " in the end"), w.got[i], w.want[i])
		}
	})
}

// add adds an array that was made in both.
func (w *world) add(what string, got, want arrow.Array) {
	w.t.Helper()
	sameArray(w.t, w.mem.arena, what, got, want)
	if len(w.got) < 50 && got.Len() < 10_000 {
		w.got, w.want = append(w.got, got), append(w.want, want)
	}
}

// pick returns the index of an array, and whether there is one.
func (w *world) pick(p *program) (int, bool) {
	i := p.next(256)
	if len(w.got) == 0 {
		return 0, false
	}
	return i % len(w.got), true
}

func (w *world) build(p *program) {
	dt, seed, n := allTypes[p.next(len(allTypes))], uint64(p.next(256)), p.next(256)
	w.add(fmt.Sprint(dt), arrayOf(w.t, w.mem, dt, seed, n), arrayOf(w.t, w.heap, dt, seed, n))
}

func (w *world) slice(p *program) {
	i, ok := w.pick(p)
	from, to := p.next(256), p.next(256)
	if ok {
		n := w.got[i].Len()
		from, to = min(from, to, n), min(max(from, to), n)
		w.add("a slice", array.NewSlice(w.got[i], int64(from), int64(to)), array.NewSlice(w.want[i], int64(from), int64(to)))
	}
}

func (w *world) concatenate(p *program) {
	i, ok := w.pick(p)
	if !ok {
		return
	}
	var got, want []arrow.Array
	for j := range w.got {
		if j == i || arrow.TypeEqual(w.got[j].DataType(), w.got[i].DataType()) {
			got, want = append(got, w.got[j]), append(want, w.want[j])
		}
	}
	g, err := array.Concatenate(got, w.mem)
	h, of := array.Concatenate(want, w.heap)
	w.result(fmt.Sprint("the concatenation of ", w.got[i].DataType()), g, err, h, of)
}

// result adds the results of two functions, if they haven't failed.
func (w *world) result(what string, got arrow.Array, err error, want arrow.Array, of error) {
	w.t.Helper()
	if fmt.Sprint(err) != fmt.Sprint(of) {
		w.t.Errorf("%s: %v, on the heap %v", what, err, of)
	} else if err == nil {
		w.add(what, got, want)
	}
}

// call calls a function of one array.
func (w *world) call(p *program) {
	i, ok := w.pick(p)
	name := []string{"unique", "dictionary_encode", "is_null", "sort_indices", "cast", "run_end_encode", "negate", "cumulative_sum"}[p.next(8)]
	if !ok {
		return
	}
	one := func(mem memory.Allocator, a arrow.Array) (arrow.Array, error) {
		d, err := called(mem, name, options(w.t, mem, name), []compute.Datum{compute.NewDatumWithoutOwning(a)})
		return arrayIn(d), err
	}
	got, err := one(w.mem, w.got[i])
	want, of := one(w.heap, w.want[i])
	w.result(fmt.Sprint(name, " of ", w.got[i].DataType()), got, err, want, of)
}

// arrayIn returns the array that a function has returned, or nil.
func arrayIn(d compute.Datum) arrow.Array {
	if d, ok := d.(*compute.ArrayDatum); ok {
		return d.MakeArray()
	}
	return nil
}

// choose takes some values of an array, or filters them.
func (w *world) choose(p *program) {
	i, ok := w.pick(p)
	step, take := 1+p.next(7), p.next(2) == 0
	if !ok {
		return
	}
	choice := func(mem memory.Allocator, a arrow.Array) (arrow.Array, error) {
		indices, mask := array.NewInt32Builder(mem), array.NewBooleanBuilder(mem)
		for j := range a.Len() {
			if mask.Append(j%step == 0); j%step == 0 {
				indices.Append(int32(a.Len() - 1 - j))
			}
		}
		name, by := "filter", arrow.Array(mask.NewArray())
		if take {
			name, by = "take", indices.NewArray()
		}
		d, err := called(mem, name, nil, []compute.Datum{compute.NewDatumWithoutOwning(a), compute.NewDatumWithoutOwning(by)})
		return arrayIn(d), err
	}
	got, err := choice(w.mem, w.got[i])
	want, of := choice(w.heap, w.want[i])
	w.result(fmt.Sprint("a choice of ", w.got[i].DataType()), got, err, want, of)
}

// send writes an array as Arrow's files and streams have it, and reads it again.
func (w *world) send(p *program) {
	i, ok := w.pick(p)
	opts := formats[[]string{"plain", "lz4", "zstd", "deltas"}[p.next(4)]]
	container := []string{"stream", "file"}[p.next(2)]
	if !ok {
		return
	}
	of := func(a arrow.Array) arrow.RecordBatch {
		return array.NewRecordBatch(arrow.NewSchema([]arrow.Field{{Name: "a", Type: a.DataType(), Nullable: true}}, nil), []arrow.Array{a}, int64(a.Len()))
	}
	want := []arrow.RecordBatch{of(w.want[i])}
	data := written(w.t, w.mem, container, []arrow.RecordBatch{of(w.got[i])}, opts...)
	if !bytes.Equal(data, written(w.t, w.heap, container, want, opts...)) {
		w.t.Errorf("a %s of %v: the bytes differ", container, w.got[i].DataType())
	}
	readBack(w.t, w.mem, container, data, want, opts...)
}

// buffer resizes a buffer again and again. What is new in it is anything, on the heap.
func (w *world) buffer(p *program) {
	got, want := memory.NewResizableBuffer(w.mem), memory.NewResizableBuffer(w.heap)
	for range p.next(8) {
		was, n := got.Len(), p.next(256)*p.next(64)
		if p.next(2) == 0 {
			got.Resize(n)
			want.Resize(n)
		} else {
			got.ResizeNoShrink(n)
			want.ResizeNoShrink(n)
		}
		for j := was; j < n; j++ {
			got.Bytes()[j], want.Bytes()[j] = byte(j), byte(j)
		}
		if !bytes.Equal(got.Bytes(), want.Bytes()) {
			w.t.Errorf("a buffer that has now %d bytes isn't what it was", n)
		}
	}
	got.Release()
}

func (w *world) release(p *program) {
	if i, ok := w.pick(p); ok {
		w.got[i].Release()
		w.want[i].Release()
		w.got, w.want = slices.Delete(w.got, i, i+1), slices.Delete(w.want, i, i+1)
	}
}

// rewind builds an array and rewinds the arena to before it.
func (w *world) rewind(p *program) {
	mark, blocks, n := w.mem.arena.Mark(), slices.Clone(w.mem.blocks), len(w.got)
	w.build(p)
	w.mem.arena.Rewind(mark)
	w.mem.blocks, w.got, w.want = blocks, w.got[:n], w.want[:n]
}

// reset begins again. Arrays are released too late.
func (w *world) reset(*program) {
	w.mem.reset()
	for i := range w.got {
		w.got[i].Release()
		w.want[i].Release()
	}
	w.got, w.want = nil, nil
}
