package memory

import (
	"runtime"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
	"github.com/ortuman/nuke"
	wundergraph "github.com/wundergraph/go-arena"
)

// A mix is a string and an object of each of these types, with pointers and
// without. They are linked, so that no part of it dies early.
type (
	mix8  struct{ n int64 }
	mix16 struct {
		p *mix8
		n int64
	}
	mix24 struct {
		p *mix16
		v [2]int64
	}
	mix40 struct{ v [5]int64 }
	mix64 struct {
		p    *mix24
		q    *mix40
		name string
		v    [4]int64
	}
	mix192 struct {
		before *mix192
		p      *mix64
		v      [22]int64
	}
)

// mixBytes is what the parts of a mix take on 64-bit systems, with a string of
// 24 bytes.
const mixBytes = 8 + 16 + 24 + 40 + 64 + 192 + nameBytes

// A mixer makes parts of mixes, without their contents.
type mixer interface {
	mix8() *mix8
	mix16() *mix16
	mix24() *mix24
	mix40() *mix40
	mix64() *mix64
	mix192() *mix192
	text([]byte) string
}

// mixes makes n mixes and returns the last one, which leads to the others.
func mixes[M mixer](m M, n int) (last *mix192) {
	for range n {
		a, b, c, d, e, f := m.mix8(), m.mix16(), m.mix24(), m.mix40(), m.mix64(), m.mix192()
		b.p, c.p, e.p, e.q, e.name, f.p, f.before = a, b, c, d, m.text(text24), e, last
		last = f
	}
	return last
}

func (heap) mix8() *mix8     { return new(mix8) }
func (heap) mix16() *mix16   { return new(mix16) }
func (heap) mix24() *mix24   { return new(mix24) }
func (heap) mix40() *mix40   { return new(mix40) }
func (heap) mix64() *mix64   { return new(mix64) }
func (heap) mix192() *mix192 { return new(mix192) }

func (m inArena) mix8() *mix8     { return arena.New[mix8](m.a) }
func (m inArena) mix16() *mix16   { return arena.New[mix16](m.a) }
func (m inArena) mix24() *mix24   { return arena.New[mix24](m.a) }
func (m inArena) mix40() *mix40   { return arena.New[mix40](m.a) }
func (m inArena) mix64() *mix64   { return arena.New[mix64](m.a) }
func (m inArena) mix192() *mix192 { return arena.New[mix192](m.a) }

func (m inNuke) mix8() *mix8     { return nuke.New[mix8](m.a) }
func (m inNuke) mix16() *mix16   { return nuke.New[mix16](m.a) }
func (m inNuke) mix24() *mix24   { return nuke.New[mix24](m.a) }
func (m inNuke) mix40() *mix40   { return nuke.New[mix40](m.a) }
func (m inNuke) mix64() *mix64   { return nuke.New[mix64](m.a) }
func (m inNuke) mix192() *mix192 { return nuke.New[mix192](m.a) }

func (m inWundergraph) mix8() *mix8     { return wundergraph.Allocate[mix8](m.a) }
func (m inWundergraph) mix16() *mix16   { return wundergraph.Allocate[mix16](m.a) }
func (m inWundergraph) mix24() *mix24   { return wundergraph.Allocate[mix24](m.a) }
func (m inWundergraph) mix40() *mix40   { return wundergraph.Allocate[mix40](m.a) }
func (m inWundergraph) mix64() *mix64   { return wundergraph.Allocate[mix64](m.a) }
func (m inWundergraph) mix192() *mix192 { return wundergraph.Allocate[mix192](m.a) }

// grown is a new arena with n mixes in it, or on the heap just the mixes, and
// nil if a peer has no arenas.
func grown(peer string, n int) any {
	switch peer {
	case suite.Heap:
		return mixes(heap{}, n)
	case suite.Nuke:
		const buffer = 4 << 10
		a := nuke.NewMonotonicArena(buffer, n*mixBytes*5/4/buffer+1)
		mixes(inNuke{a}, n)
		return a
	case suite.Wundergraph:
		a := wundergraph.NewMonotonicArena()
		mixes(inWundergraph{a}, n)
		return a
	case suite.Harena, suite.SelfContained:
		var opts []arena.Option
		if peer == suite.SelfContained {
			opts = append(opts, arena.WithNoScan())
		}
		a := arena.NewArena(opts...)
		mixes(inArena{a}, n)
		return a
	}
	return nil
}

// reservedPerUsed is how many bytes of heap it takes to have one byte of mixes in
// each of some arenas with n of them; 0 if the peer has no arenas.
func reservedPerUsed(peer string, n int) float64 {
	const arenas = 200
	live := make([]any, arenas)
	if grown(peer, n) == nil {
		return 0
	}
	before := settledHeap()
	for i := range live {
		live[i] = grown(peer, n)
	}
	bytes := settledHeap() - before
	runtime.KeepAlive(live)
	return bytes / float64(arenas*n*mixBytes)
}

// settledHeap is the size of what is live. Two collections: the first may have
// to finish the sweep of the one before.
func settledHeap() float64 {
	runtime.GC()
	runtime.GC()
	return float64(measure.HeapBytes())
}
