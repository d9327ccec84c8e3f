// Package copied does what go vet must complain about.
package copied

import "github.com/harena-go/arena/collections"

func f(
	m collections.Map[int, int],
	s collections.Set[int],
	l collections.Slice[int],
	d collections.Deque[int],
	k collections.List[int],
	b collections.Buffer,
	i collections.Interner,
) {
}
