//go:build !unix

package load

import (
	"runtime/metrics"
	"time"
)

// processCPU returns the runtime's estimate of this process's CPU time.
func processCPU() time.Duration {
	all := []metrics.Sample{{Name: "/cpu/classes/total:cpu-seconds"}, {Name: "/cpu/classes/idle:cpu-seconds"}}
	metrics.Read(all)
	return time.Duration((all[0].Value.Float64() - all[1].Value.Float64()) * float64(time.Second))
}
