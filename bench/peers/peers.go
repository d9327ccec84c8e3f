// Package peers puts every allocator that is compared behind the same loops.
//
// An adapter is a value of [Ops]: a function for each operation, which does it n times in a row. The loop is inside,
// and written out in each adapter, so that the allocator's own functions are inlined into it where the compiler can: no
// object takes a call through an interface or a func value unless the allocator does so itself. The same loops are
// timed by package micro and checked by the suite here.
//
// The functions that fill in an Ops are in groups: objects of one size, and strings and slices. None of them is
// inlined: in the copies of loops that come with an inlined function, Go 1.26 doesn't inline the calls, and
// peers would differ by the size of their functions.
//
// Each library is used as documented, and set up to be as fast as possible: an arena that never reuses its second chunk
// after a reset gets a large enough first one.
package peers

import (
	"fmt"

	"github.com/harena-go/arena/bench/suite"
)

// Ops are the operations of one peer, nil where it has no such thing. All memory is zero and comes from one allocator,
// unless a remark says otherwise.
type Ops struct {
	New8, New64, NewNode, New1K func(n int)

	String    func(n int, s string)   // copies s
	Ints      func(n int, length int) // makes a slice
	Append    func(n int, length int) // appends ints to nil one at a time
	KeepAlive func(v any)             // for values that the peer can't see
	Reset     func()                  // everything so far is dead
	Remarks   map[string]string       // differences in the comparison, by row or group of rows
}

// room is the initial size for a peer that can't grow well: more than any batch needs. Untouched memory costs nothing.
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

// Remark returns the caveat about a row of this peer, or "".
func (o *Ops) Remark(row, group string) string {
	if text, ok := o.Remarks[row]; ok {
		return text
	}
	return o.Remarks[group]
}

// Remarks of several peers.
const (
	unscanned   = "the garbage collector doesn't look into this memory"
	bytesCopied = "has no strings: makes a slice of bytes and copies"
	anew        = "a new arena for each batch: this one can't be used again"
)
