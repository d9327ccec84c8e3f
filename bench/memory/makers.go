package memory

import (
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/ortuman/nuke"
	wundergraph "github.com/wundergraph/go-arena"
)

type heap struct{}

func (heap) record() *record      { return new(record) }
func (heap) text(b []byte) string { return string(b) }
func (heap) bytes(n int) []byte   { return make([]byte, n) }
func (heap) counts(n int) []int64 { return make([]int64, n) }

type inArena struct{ a *arena.Arena }

func (m inArena) record() *record      { return arena.New[record](m.a) }
func (m inArena) text(b []byte) string { return m.a.AllocBytesToString(b) }
func (m inArena) bytes(n int) []byte   { return m.a.AllocBytes(n) }
func (m inArena) counts(n int) []int64 { return arena.MakeSlice[int64](m.a, n, n) }

type inNuke struct{ a nuke.Arena }

func (m inNuke) record() *record      { return nuke.New[record](m.a) }
func (m inNuke) text(b []byte) string { return textOf(m.bytes(len(b)), b) }
func (m inNuke) bytes(n int) []byte   { return nuke.MakeSlice[byte](m.a, n, n) }
func (m inNuke) counts(n int) []int64 { return nuke.MakeSlice[int64](m.a, n, n) }

type inWundergraph struct{ a wundergraph.Arena }

func (m inWundergraph) record() *record      { return wundergraph.Allocate[record](m.a) }
func (m inWundergraph) text(b []byte) string { return textOf(m.bytes(len(b)), b) }
func (m inWundergraph) bytes(n int) []byte   { return wundergraph.AllocateSlice[byte](m.a, n, n) }
func (m inWundergraph) counts(n int) []int64 { return wundergraph.AllocateSlice[int64](m.a, n, n) }

// textOf copies from into space and returns it as a string.
func textOf(space, from []byte) string {
	copy(space, from)
	return unsafe.String(unsafe.SliceData(space), len(from))
}

// A kit holds the records that serve one request after the other: what one keeps
// in a sync.Pool. Strings never change, so they can't be used again and come from
// the heap.
type kit struct {
	records []*record
	used    int
	body    []byte  // of the record that record has returned last
	ints    []int64 // of the same
}

func (k *kit) record() *record {
	if k.used == len(k.records) {
		k.records = append(k.records, new(record))
	}
	r := k.records[k.used]
	k.used++
	k.body, k.ints = r.body, r.counts
	return r
}

func (k *kit) text(b []byte) string { return string(b) }

func (k *kit) bytes(n int) []byte {
	if cap(k.body) < n {
		return make([]byte, n)
	}
	clear(k.body[:n])
	return k.body[:n]
}

func (k *kit) counts(n int) []int64 {
	if cap(k.ints) < n {
		return make([]int64, n)
	}
	clear(k.ints[:n])
	return k.ints[:n]
}
