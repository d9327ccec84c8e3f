//go:build goexperiment.arenas

package micro

import (
	std "arena"

	"github.com/harena-go/arena/bench/trees"
)

// HasExperiment says whether the runtime's experimental arena is built in.
const HasExperiment = true

const experimental = "experimental"

// ExperimentRows are the rows that the runtime's arena has a counterpart for.
// It can't be reset: a batch frees it and makes the next one.
func ExperimentRows() []Row {
	return []Row{
		timed("new-8", "", one(objects, func(a *std.Arena) {
			for i := range objects {
				p := std.New[int64](a)
				*p = int64(i)
				sink8 = p
			}
		})),
		timed("new-64", "", one(objects, func(a *std.Arena) {
			for i := range objects {
				p := std.New[bytes64](a)
				p.v[0] = int64(i)
				sink64 = p
			}
		})),
		timed("new-node", "", one(objects, func(a *std.Arena) {
			for i := range objects {
				p := std.New[node](a)
				p.value = int64(i)
				sinkNode = p
			}
		})),
		timed("slice-1k", "", one(1<<10, func(a *std.Arena) {
			for i := range 1 << 10 {
				s := std.MakeSlice[byte](a, 1024, 1024)
				s[i] = 1
				sinkBytes = s
			}
		})),
		timed("string-32", "", one(objects, func(a *std.Arena) {
			for range objects { // it has no strings: bytes are what one gets
				s := std.MakeSlice[byte](a, 32, 32)
				copy(s, text32)
				sinkBytes = s
			}
		})),
		timed("fresh", "", one(1, func(a *std.Arena) {
			p := std.New[bytes64](a)
			p.v[0] = 1
			sink64 = p
		})),
		{"live-1000", "", "bytes", stdLive},
	}
}

// one is a variant that does all operations of a batch in an arena of its own.
// The sinks are emptied before the arena goes: a pointer into a freed one may
// not be looked at, and the collector looks.
func one(ops int, f func(*std.Arena)) func() []variant {
	return func() []variant {
		return []variant{{experimental, ops, func() {
			a := std.NewArena()
			f(a)
			sink8, sink64, sinkNode, sinkBytes = nil, nil, nil, nil
			a.Free()
		}}}
	}
}

// stdLive measures fewer arenas and scales up: each takes 8 MiB of address
// space, which 1,000 of them would not find on a small machine.
func stdLive(c Config) []Series {
	const arenas = 16
	live := func() any {
		live := make([]*std.Arena, arenas)
		for i := range live {
			live[i] = std.NewArena()
			std.New[bytes64](live[i]).v[0] = int64(i)
		}
		return live
	}
	c.Rounds = 1 // what it frees comes back several collections later and would blur a second one
	bytes := held(live, c)
	for i := range bytes {
		bytes[i] *= 1000 / arenas
	}
	return []Series{{Variant: experimental, Values: bytes}}
}

// BigInExperiment builds the tree for the timing of a full GC. The caller keeps
// the second result alive.
func BigInExperiment(n int) (*trees.BigNode, any) {
	a := std.NewArena()
	return trees.Big(n, func() *trees.BigNode { return std.New[trees.BigNode](a) }), a
}
