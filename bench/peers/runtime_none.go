//go:build !goexperiment.arenas

package peers

func newRuntime() *Ops { return nil }
