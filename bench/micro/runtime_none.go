//go:build !goexperiment.arenas

package micro

var freshRuntime, liveRuntime func(meter) float64
