//go:build goexperiment.arenas

package gc

import std "arena"

func onRuntime() (ground, error) {
	a := std.NewArena()
	return ground{func() *Node { return std.New[Node](a) }, nil, a.Free}, nil
}
