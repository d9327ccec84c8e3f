package promises_test

import (
	"testing"

	"github.com/harena-go/arena"
)

// The runtime's arena charges 8 MiB for the first byte.
func TestRegressEightMiBPerArena(t *testing.T) {
	for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}} {
		a := arena.NewArena(opts...)
		if n := a.Stats().Reserved; n != 0 {
			t.Errorf("%d bytes reserved for nothing", n)
		}
		arena.New[byte](a)
		arena.New[*int](a)
		if n := a.Stats().Reserved; n > 8<<10 {
			t.Errorf("%d bytes reserved for two small values", n)
		}
	}
}
