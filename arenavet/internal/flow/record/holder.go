package record

import (
	"strings"

	"github.com/harena-go/arena/arenavet/internal/flow/summary"
)

// This file names memory that callees have made.

// A Holder names memory with contents that a callee has made: the path to it, after a prefix that tells the holders of
// one call apart.
type Holder struct {
	Name string
	From int // start of the path in the name
}

// HolderOf returns the holder of a stored value, an empty one if it has none.
func HolderOf(x *summary.Store) Holder {
	way, _ := Behind(x.Flow.Out)
	if way == "" {
		return Holder{}
	}
	of := x.Into.String()
	return Holder{of + way, len(of)}
}

// Behind splits the path to a value behind pointers that the callee has made: into the path up to the last pointer, and
// the place in its target. Without a pointer the first part is empty.
//
//	#0*.name       #0          .name
//	#0*.items*[]   #0*.items   []
func Behind(out string) (holder, rest string) {
	n := strings.LastIndexByte(out, '*')
	return out[:n+1], out[n+1:]
}

// Here ends the name of a holder, so that none is empty.
const Here = "*"
