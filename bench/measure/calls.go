package measure

import (
	"runtime"
	"time"
)

// Once returns the CPU time of a single call, in seconds.
func Once(do func() error) (float64, error) {
	runtime.GC()
	cpu, began := ProcessCPU(), time.Now()
	err := do()
	return spent(cpu, began), err
}

// PerCall returns the CPU time of a call, in seconds, from as many calls as fit into turn.
func PerCall(do func() error, turn time.Duration) (float64, error) {
	n := 1
	for ; ; n *= 2 {
		t, err := wall(do, n)
		if err != nil {
			return 0, err
		}
		if t >= turn/4 {
			n = max(1, int(float64(n)*float64(turn)/float64(t)))
			break
		}
	}
	runtime.GC()
	cpu, began := ProcessCPU(), time.Now()
	_, err := wall(do, n)
	return spent(cpu, began) / float64(n), err
}

// turns limits the timings of PerRun.
const turns = 5

// PerRun returns the median time of do(n), and its median CPU time, in seconds: of a few turns, each with as many runs
// as fit.
func PerRun(do func(n int) int64, n int, turn time.Duration) (wall, cpu float64) {
	runs := 1
	for ; ; runs *= 2 {
		if t, _ := timed(do, n, runs); t >= turn.Seconds()/2 {
			runs = max(1, int(float64(runs)*turn.Seconds()/t))
			break
		}
	}
	var walls, cpus []float64
	for range min(turns, 1+2*runs) { // a million entries of a container take half a second and more
		w, c := timed(do, n, runs)
		walls, cpus = append(walls, w/float64(runs)), append(cpus, c/float64(runs))
	}
	return Median(walls), Median(cpus)
}

// results keeps the compiler from omitting them.
var results int64

// timed measures a number of runs. It begins with a collection, so that no earlier garbage counts.
func timed(do func(n int) int64, n, runs int) (wall, cpu float64) {
	runtime.GC()
	before, began := ProcessCPU(), time.Now()
	for range runs {
		results += do(n)
	}
	return time.Since(began).Seconds(), ProcessCPU() - before
}

// spent returns the CPU time since a start, or the wall time where CPU time isn't counted.
func spent(cpu float64, began time.Time) float64 {
	if now := ProcessCPU(); now > cpu {
		return now - cpu
	}
	return time.Since(began).Seconds()
}

func wall(do func() error, n int) (time.Duration, error) {
	began := time.Now()
	for range n {
		if err := do(); err != nil {
			return 0, err
		}
	}
	return time.Since(began), nil
}

// AllocsPerCall returns the heap allocations of a call. The few allocations of the runtime itself are lost in the
// division, as in testing.AllocsPerRun.
func AllocsPerCall(do func() error, turn time.Duration) (float64, error) {
	n := 100
	if turn < 10*time.Millisecond {
		n = 20
	}
	for began := time.Now(); time.Since(began) < turn; { // a pool learns its sizes
		if err := do(); err != nil {
			return 0, err
		}
	}
	before := Mallocs()
	_, err := wall(do, n)
	return float64((Mallocs() - before) / uint64(n)), err
}
