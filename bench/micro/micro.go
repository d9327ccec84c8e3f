// Package micro times single operations: what one allocation costs in a loop
// that does nothing else. Such loops are synthetic. They say what the fast path
// costs when caches and branch predictors are on its side; what a program gains
// is said by the other workloads.
//
// Each row has a few variants, the Go heap first. They take turns, a few
// milliseconds each, for some rounds, so that a busy machine slows all of them.
// A forced GC before each turn makes a variant pay for its own garbage and not
// for its neighbour's. Every object is written to and its address stored in a
// global variable.
package micro

import (
	"runtime"
	"time"

	"github.com/harena-go/arena/bench/measure"
)

// A Row is one operation with its variants.
type Row struct {
	Name  string // for -run
	Title string
	Unit  string
	run   func(Config) []Series
}

// Run measures the row.
func (r Row) Run(c Config) []Series { return r.run(c) }

// Config says how long to measure.
type Config struct {
	Rounds int
	Turn   time.Duration // of one variant in one round
}

// A Series is what the rounds measured for one variant.
type Series struct {
	Variant string    `json:"variant"`
	Values  []float64 `json:"values"`  // in the row's unit, one a round
	Mallocs float64   `json:"mallocs"` // heap allocations per operation, warm
}

// Rows are all rows, in the order of the table.
func Rows() []Row {
	return []Row{
		timed("new-8", "New, 8 B", new8),
		timed("new-64", "New, 64 B", new64),
		timed("new-node", "New, 24 B node with two pointers", newNode),
		timed("newof-64", "NewOf, 64 B", newOf64),
		timed("string-32", "AllocString, 32 B", string32),
		timed("append-1000", "Append 1,000 ints one at a time", append1000),
		timed("slice-1k", "MakeSlice, 1 KiB of bytes", slice1k),
		timed("uninit", "MakeSliceUninit of ints", uninit),
		timed("mark", "Mark, New 64 B, Rewind", markRewind),
		timed("pool", "Pool: Get, Put", pool),
		timed("fresh", "NewArena, first New, Free", fresh),
		{"live-1000", "1,000 live arenas, 64 B in each", "bytes", live1000},
		{"growth", "New, 64 B, while chunks are added", "ns", growth},
	}
}

// InExperiment are the rows that the runtime's experimental arena has a
// counterpart for: the names of ExperimentRows, which only a build with it has.
var InExperiment = []string{"new-8", "new-64", "new-node", "slice-1k", "string-32", "fresh", "live-1000"}

// A variant is one way to do the row's operation. batch does it ops times and
// leaves things as it found them.
type variant struct {
	name  string
	ops   int
	batch func()
}

func timed(name, title string, variants func() []variant) Row {
	return Row{name, title, "ns", func(c Config) []Series { return take(variants(), c) }}
}

// take measures the variants in turn.
func take(vs []variant, c Config) []Series {
	out := make([]Series, len(vs))
	batches := make([]int, len(vs))
	for i, v := range vs {
		out[i] = Series{Variant: v.name, Mallocs: mallocs(v)}
		batches[i] = calibrate(v, c.Turn)
	}
	for range c.Rounds {
		for i, v := range vs {
			ns := turn(v, batches[i]) / float64(batches[i]*v.ops)
			out[i].Values = append(out[i].Values, ns)
		}
	}
	return out
}

// turn is the time of n batches in ns.
func turn(v variant, n int) float64 {
	runtime.GC()
	began := time.Now()
	for range n {
		v.batch()
	}
	return float64(time.Since(began).Nanoseconds())
}

// calibrate finds how many batches fill a turn.
func calibrate(v variant, d time.Duration) int {
	for n := 1; ; n *= 2 {
		if t := turn(v, n); t >= float64(d.Nanoseconds())/2 {
			return max(1, int(float64(n)*float64(d.Nanoseconds())/t))
		}
	}
}

// mallocs is the number of heap allocations per operation once the variant is
// warm. The runtime allocates now and then on its own, so the lowest of a few
// attempts counts.
func mallocs(v variant) float64 {
	v.batch()
	v.batch()
	least := ^uint64(0)
	for range 5 {
		before := measure.Mallocs()
		v.batch()
		least = min(least, measure.Mallocs()-before)
	}
	return float64(least) / float64(v.ops)
}
