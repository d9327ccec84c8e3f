// Package peers puts every allocator that is compared behind the same loops.
//
// An adapter is a value of [Ops]: a function for each operation, which does it
// n times in a row. The loop is inside, and written out in each adapter, so
// that the allocator's own functions are inlined into it where the compiler
// can: nothing is called through an interface or a func value for each object
// that the allocator doesn't call so itself. The same loops are timed by package
// micro and checked by the suite here.
//
// The functions that fill in an Ops are in groups: objects of one size,
// strings and slices, objects of many types. None of them is inlined:
// in the copies of loops that come with an inlined function, Go 1.26 doesn't inline
// what they call, and peers would differ by whether their functions are large.
//
// Each library is used as its documentation tells, and set up to be as fast as
// it can be: one that never uses its second chunk again after a reset gets a
// first one that is large enough.
package peers

import (
	"fmt"

	"github.com/harena-go/arena/bench/suite"
)

// Ops are the operations of one peer, nil where it has no such thing. All
// memory is zero and all of it comes from one allocator, unless a remark says
// otherwise.
type Ops struct {
	New8, New64, NewNode, New1K func(n int)

	String      func(n int, s string)   // copies s
	Bytes, Ints func(n int, length int) // makes a slice
	Append      func(n int, length int) // appends ints to nil one at a time
	Mixed       func(n int) *Mix512     // n objects of each of 12 types
	KeepAlive   func(v any)             // for what the peer can't see that it points to
	Reset       func()                  // everything so far is dead
	Remarks     map[string]string       // what isn't like for like, by row or group of rows
}

// room is what a peer is given at the start that can't grow well: more than any
// batch needs. Untouched memory costs nothing.
const room = 32 << 20

var makers = map[string]func() *Ops{
	suite.Heap:          newHeap,
	suite.SyncPool:      newSyncPool,
	suite.Runtime:       newRuntime,
	suite.Nuke:          newNuke,
	suite.Pavanmanishd:  newPavanmanishd,
	suite.Goutil:        newGoutil,
	suite.Harena:        newHarena,
	suite.Typed:         newTyped,
	suite.SelfContained: newSelfContained,
}

// New sets up a peer anew.
func New(peer string) (*Ops, error) {
	build := makers[peer]
	if build == nil {
		return nil, fmt.Errorf("there is no adapter for %q", peer)
	}
	ops := build()
	if ops == nil {
		return nil, fmt.Errorf("%s needs a build with GOEXPERIMENT=arenas", peer)
	}
	return ops, nil
}

// Remark is what a reader must know about a row of this peer; "" if nothing.
func (o *Ops) Remark(row, group string) string {
	if text, ok := o.Remarks[row]; ok {
		return text
	}
	return o.Remarks[group]
}

// Remarks that several peers need.
const (
	unscanned   = "the garbage collector doesn't look into this memory"
	bytesCopied = "has no strings: makes a slice of bytes and copies"
	anew        = "a new arena for each batch: this one can't be used again"
)
