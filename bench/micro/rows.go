package micro

import (
	"strconv"
	"strings"
	"unsafe"

	"github.com/harena-go/arena/bench/peers"
	"github.com/harena-go/arena/bench/suite"
)

// A row is one operation.
type row struct {
	name, title, group string
	unit               suite.Unit
	size               int  // bytes made by one operation
	batch              int  // operations between two resets
	allocs             bool // count heap allocations as well
	loop               func(*peers.Ops) loop
}

// A loop does an operation n times. It is nil if a peer can't.
type loop = func(n int)

const (
	objects  = 16 << 10
	maxBatch = 4 << 20 // bytes
	word     = int(unsafe.Sizeof(int(0)))
)

// times returns a row in seconds for one operation.
func times(group, name, title string, size int, l func(*peers.Ops) loop) row {
	return row{name: name, title: title, group: group, unit: suite.Seconds,
		size: size, batch: max(1, min(objects, maxBatch/size)), loop: l}
}

func (r row) countingAllocs() row { r.allocs = true; return r }

func text(n int) row {
	s := strings.Repeat("abcdefgh", n/8)
	return times("string", "string-"+strconv.Itoa(n), "string of "+strconv.Itoa(n)+" B", n, func(o *peers.Ops) loop {
		if o.String == nil {
			return nil
		}
		return func(n int) { o.String(n, s) }
	})
}

// sized returns a row of an operation with a length.
func sized(group, name, title string, length, size int, op func(*peers.Ops) func(n, length int)) row {
	return times(group, name, title, size, func(o *peers.Ops) loop {
		f := op(o)
		if f == nil {
			return nil
		}
		return func(n int) { f(n, length) }
	})
}

func intsOf(name, title string, length int) row {
	return sized("slice", name, title, length, length*word, func(o *peers.Ops) func(n, length int) { return o.Ints })
}

func appended(name, title string, length, batch int) row {
	r := sized("append", name, title, length, length*word, func(o *peers.Ops) func(n, length int) { return o.Append })
	r.batch = batch
	return r
}

// rows are the rows for every peer, in the order of the tables.
var rows = []row{
	times("fixed", "new-8", "New, 8 B", 8, func(o *peers.Ops) loop { return o.New8 }).countingAllocs(),
	times("fixed", "new-64", "New, 64 B", 64, func(o *peers.Ops) loop { return o.New64 }).countingAllocs(),
	times("fixed", "new-node", "New, 24 B node with two pointers", 24,
		func(o *peers.Ops) loop { return o.NewNode }).countingAllocs(),
	times("fixed", "new-1k", "New, 1 KiB", 1<<10, func(o *peers.Ops) loop { return o.New1K }),

	text(8),
	text(32).countingAllocs(),
	text(256),

	intsOf("slice-16", "slice of 16 ints", 16),
	intsOf("slice-1k", "slice of 1,024 ints", 1<<10).countingAllocs(),
	intsOf("slice-64k", "slice of 64 Ki ints", 64<<10),
	intsOf("slice-1m", "slice of 1 Mi ints", 1<<20),

	appended("append-100", "append 100 ints one at a time", 100, 512),
	appended("append-1000", "append 1,000 ints one at a time", 1000, 64).countingAllocs(),
	appended("append-10k", "append 10,000 ints one at a time", 10_000, 8),
	appended("append-100k", "append 100,000 ints one at a time", 100_000, 1),
}
