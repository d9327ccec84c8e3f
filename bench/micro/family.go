package micro

import (
	"fmt"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/peers"
	"github.com/harena-go/arena/bench/suite"
)

// families show that what an arena of many costs doesn't depend on how many they are.
var families = append(ofFamily("local", "locals", locals), ofFamily("child", "children", children)...)

func ofFamily(member, many string, of func(n int, opts ...arena.Option) func(meter) float64) (rows []lifetime) {
	for _, n := range []struct {
		n     int
		title string
	}{{1000, "1,000"}, {10_000, "10,000"}, {100_000, "100,000"}} {
		rows = append(rows, ofLifetime(fmt.Sprintf("%s-%d", member, n.n),
			fmt.Sprintf("one of %s %s: make, New 64 B, end by Reset", n.title, many), suite.Seconds,
			map[string]func(meter) float64{suite.Harena: of(n.n), suite.SelfContained: of(n.n, arena.WithNoScan())}))
	}
	return rows
}

// forMany are the options of arenas with so many children that what these leave is
// more than Reset keeps by default.
func forMany(opts []arena.Option) []arena.Option {
	return append(opts, arena.WithChunkSize(256), arena.WithMaxRetained(1<<29))
}

func locals(n int, opts ...arena.Option) func(meter) float64 {
	return func(m meter) float64 {
		s := arena.NewShared(forMany(opts)...)
		return m.seconds(batch{n, func() {
			for i := range n {
				//arenavet:ignore the compiler is to believe that it is used; nobody reads it
				peers.Keep(arena.New[peers.Bytes64](s.Local()), i)
			}
			s.Reset()
		}})
	}
}

func children(n int, opts ...arena.Option) func(meter) float64 {
	return func(m meter) float64 {
		a := arena.NewArena(forMany(opts)...)
		return m.seconds(batch{n, func() {
			for i := range n {
				//arenavet:ignore the compiler is to believe that it is used; nobody reads it
				peers.Keep(arena.New[peers.Bytes64](a.Child()), i)
			}
			a.Reset()
		}})
	}
}
