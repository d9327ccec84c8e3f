package micro

import "github.com/harena-go/arena/bench/peers"

// Floor is the lower bound of all allocators: the next element of a ready slice, set to zero first. It distinguishes a
// slow arena from a slow machine.
const Floor = "floor"

func floor() *peers.Ops {
	return &peers.Ops{
		New8:    ready[int64](),
		New64:   ready[peers.Bytes64](),
		NewNode: ready[peers.Node](),
		New1K:   ready[peers.Bytes1K](),
	}
}

// ready makes the slice with the first batch.
func ready[T any]() loop {
	var s []T
	return func(n int) {
		if len(s) < n {
			s = make([]T, n)
		}
		s := s[:n]
		for i := range s {
			p := &s[i]
			var zero T
			*p = zero
			peers.Keep(p, i)
		}
	}
}
