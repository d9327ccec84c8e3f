//go:build goexperiment.arenas

package micro

import (
	std "arena"

	"github.com/harena-go/arena/bench/peers"
)

func freshRuntime(m meter) float64 {
	return m.seconds(batch{1, func() {
		a := std.NewArena()
		peers.Keep(std.New[peers.Bytes64](a), 1)
		peers.Sink = nil // the collector may not see a pointer into a freed arena
		a.Free()
	}})
}

// liveRuntime measures fewer arenas and scales up: each takes 8 MiB of address space, too much for 1,000 of them on a
// small machine.
func liveRuntime(meter) float64 {
	const arenas = 16
	return 1000.0 / arenas * held(func() any {
		live := make([]*std.Arena, arenas)
		for i := range live {
			live[i] = std.NewArena()
			*std.New[peers.Bytes64](live[i]) = peers.Bytes64{}
		}
		return live
	})
}
