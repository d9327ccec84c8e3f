package peers

import "github.com/harena-go/arena"

func newSelfContained() *Ops {
	a := arena.NewArena(arena.WithNoScan())
	ops := inArena(a)
	ops.KeepAlive = a.KeepAlive
	ops.Remarks = map[string]string{"new-node": unscanned}
	return ops
}
