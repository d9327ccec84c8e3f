package load

import (
	"encoding/json"
	"net/http"
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"
)

// A Reading has the resources that a process has used since its start.
type Reading struct {
	CPU    time.Duration // of all its threads
	GC     time.Duration // the collector's part, as the runtime estimates it
	Heap   uint64        // bytes allocated on the Go heap
	RSS    int64         // resident bytes now
	Cycles uint64        // of the collector
}

// Usage answers with a Reading of this process.
func Usage() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		samples := []metrics.Sample{{Name: "/cpu/classes/gc/total:cpu-seconds"}, {Name: "/gc/heap/allocs:bytes"},
			{Name: "/gc/cycles/total:gc-cycles"}}
		metrics.Read(samples)
		json.NewEncoder(w).Encode(Reading{
			CPU:    processCPU(),
			GC:     time.Duration(samples[0].Value.Float64() * float64(time.Second)),
			Heap:   samples[1].Value.Uint64(),
			Cycles: samples[2].Value.Uint64(),
			RSS:    resident(),
		})
	})
}

// resident returns the resident bytes of this process, or 0 where the system doesn't report them.
func resident() int64 {
	text, _ := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(text)); len(fields) > 1 {
		pages, _ := strconv.ParseInt(fields[1], 10, 64)
		return pages * int64(os.Getpagesize())
	}
	return 0
}
