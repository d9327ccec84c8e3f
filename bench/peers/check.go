package peers

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"strings"
	"unsafe"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

// findings are the defects of a peer, found by using it.
type findings struct {
	objects    int   // made and filled
	overlap    tally // lost their content to others
	misaligned tally
	dirty      tally              // not zero after allocation
	fallback   map[string]float64 // heap allocations of one operation in a warm arena

	// Of lostSteps objects, those whose pointers to the heap were dangling after a collection: used like the heap, and
	// with KeepAlive if there is one.
	lost, lostThough int
}

// A tally counts by operation.
type tally map[string]int

func (t tally) sum() (n int) {
	for _, v := range t {
		n += v
	}
	return n
}

// inspectPeer uses a peer in all ways that the loops have, and finds defects: memory that is returned twice, isn't
// zero, isn't aligned, is invisible to the garbage collector, or is the heap's. Broken code may run, so it should run
// in a process of its own.
func inspectPeer(peer string) (f *findings, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s panics where it should not: %v", peer, p)
		}
	}()
	if _, err := New(peer); err != nil {
		return nil, err
	}
	return inspect(makers[peer], suite.Ours(peer) || suite.Foreign(peer)), nil
}

// inspect is inspectPeer for any adapter.
func inspect(build func() *Ops, isArena bool) *findings {
	f := &findings{overlap: tally{}, misaligned: tally{}, dirty: tally{}, fallback: map[string]float64{}}
	ops := build()
	for range 3 {
		f.fill(ops)
		if ops.Reset == nil {
			break
		}
		ops.Reset()
	}
	if isArena {
		f.countMallocs(build())
	}
	if ops.NewNode == nil {
		return f
	}
	f.lost = losePointers(build(), false)
	f.lostThough = f.lost
	if ops.KeepAlive != nil {
		f.lostThough = losePointers(build(), true)
	}
	return f
}

// A use is one operation with one size.
type use struct {
	name  string
	align uintptr
	do    func(n int)
	// want is the content of the second object of two: the loops write the index 1 to it.
	want []byte
	// made reports that want was stored, and isn't just zero.
	made bool
}

// uses returns all operations of a peer, in sizes that leave gaps.
func uses(o *Ops) (all []use) {
	add := func(name string, size int, align uintptr, do func(int)) {
		if do != nil {
			want := make([]byte, size)
			binary.NativeEndian.PutUint64(want, 1)
			all = append(all, use{name: name, align: align, do: do, want: want})
		}
	}
	add("new-8", 8, 8, o.New8)
	add("new-64", 64, 8, o.New64)
	add("new-node", 24, 8, o.NewNode)
	add("new-1k", 1024, 1, o.New1K)
	sized := func(name string, align uintptr, op func(n, length int), length int, want []byte, made bool) {
		if op != nil {
			all = append(all, use{name, align, func(n int) { op(n, length) }, want, made})
		}
	}
	for _, n := range []int{1, 16, 1000} {
		zero, counted := make([]byte, 8*n), make([]byte, 8*n)
		for i := range n {
			binary.NativeEndian.PutUint64(counted[8*i:], uint64(i))
		}
		binary.NativeEndian.PutUint64(zero, 1)
		binary.NativeEndian.PutUint64(counted, 1)
		sized("slice", 8, o.Ints, n, zero, false)
		sized("append", 8, o.Append, n, counted, true)
	}
	for _, n := range []int{1, 3, 8, 33, 256} {
		if s := strings.Repeat("s", n); o.String != nil {
			all = append(all, use{"string", 1, func(n int) { o.String(n, s) }, []byte(s), true})
		}
	}
	return all
}

// A block is the memory of an object.
type block struct {
	name string
	mem  []byte
}

// visit calls f for each byte of the block with its expected content, which is unique to the block.
func (b block) visit(id int, f func(p *byte, want byte)) {
	for i := range b.mem {
		f(&b.mem[i], byte(i)^byte(id>>(8*(i%3))))
	}
}

// fill makes objects in all ways, interleaved, checks each, overwrites all of it, and finally checks that all still
// have their content. The collector stays off while pointers are overwritten.
func (f *findings) fill(ops *Ops) {
	const rounds = 100
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var blocks []block
	for range rounds {
		for _, u := range uses(ops) {
			u.do(2)
			b := block{u.name, unsafe.Slice((*byte)(Sink), len(u.want))}
			if uintptr(Sink)%u.align != 0 {
				f.misaligned[u.name]++
			}
			if !bytes.Equal(b.mem, u.want) {
				if u.made {
					f.overlap[u.name]++
				} else {
					f.dirty[u.name]++
				}
			}
			b.visit(len(blocks), func(p *byte, want byte) { *p = want })
			blocks = append(blocks, b)
		}
	}
	f.objects += len(blocks)
	for id, b := range blocks {
		same := true
		b.visit(id, func(p *byte, want byte) { same = same && *p == want })
		if !same {
			f.overlap[b.name]++
		}
	}
	for _, b := range blocks {
		if b.name == "new-node" {
			clear(b.mem) // words without pointers mustn't look like one
		}
	}
}

// countMallocs counts the heap allocations of operations in a warm arena. A chunk for many of them needs no remark.
func (f *findings) countMallocs(ops *Ops) {
	for _, u := range uses(ops) {
		batch := max(1, min(1000, room/32/len(u.want)))
		least := ^uint64(0)
		for range 4 {
			before := measure.Mallocs()
			u.do(batch)
			least = min(least, measure.Mallocs()-before)
			ops.Reset()
		}
		if per := float64(least) / float64(batch); per > 0.1 {
			f.fallback[u.name] = max(f.fallback[u.name], per)
		}
	}
}
