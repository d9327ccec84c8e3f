package micro

import (
	"runtime"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/peers"
	"github.com/harena-go/arena/bench/suite"
)

// A lifetime is a row about other operations of arenas than allocation, with the measurement of each peer that has
// something comparable.
type lifetime struct {
	row
	of map[string]func(meter) float64
}

func ofLifetime(name, title string, unit suite.Unit, of map[string]func(meter) float64) lifetime {
	return lifetime{row{name: name, title: title, group: "lifetime", unit: unit}, of}
}

var lifetimes = append([]lifetime{
	ofLifetime("live-1000", "1,000 live arenas, 64 B in each", suite.Bytes, map[string]func(meter) float64{
		suite.Heap:          liveObjects,
		suite.Harena:        liveArenas(),
		suite.SelfContained: liveArenas(arena.WithNoScan()),
		suite.Runtime:       liveRuntime,
	}),
	ofLifetime("newof-64", "NewOf, 64 B", suite.Seconds, map[string]func(meter) float64{
		suite.Heap: timed(objects, func() {
			for i := range objects {
				p := new(peers.Bytes64)
				*p = peers.Bytes64{7: int64(i)}
				peers.Keep(p, i)
			}
		}),
		suite.Harena: newOf,
	}),
	ofLifetime("mark", "Mark, New 64 B, Rewind", suite.Seconds, map[string]func(meter) float64{
		suite.Harena: markRewind,
	}),
	ofLifetime("fresh", "NewArena, first New, Free", suite.Seconds, map[string]func(meter) float64{
		suite.Harena:        fresh(),
		suite.SelfContained: fresh(arena.WithNoScan()),
		suite.Runtime:       freshRuntime,
	}),
}, pools...)

func timed(ops int, do func()) func(meter) float64 {
	return func(m meter) float64 { return m.seconds(batch{ops, do}) }
}

func newOf(m meter) float64 {
	a := arena.NewArena()
	return m.seconds(batch{objects, func() {
		for i := range objects {
			//arenavet:ignore the compiler is to believe that it is used; nobody reads it
			peers.Keep(arena.NewOf(a, peers.Bytes64{7: int64(i)}), i)
		}
		a.Reset()
	}})
}

func markRewind(m meter) float64 {
	a := arena.NewArena()
	return m.seconds(batch{objects, func() {
		for i := range objects {
			mark := a.Mark()
			//arenavet:ignore the compiler is to believe that it is used; nobody reads it
			peers.Keep(arena.New[peers.Bytes64](a), i)
			a.Rewind(mark)
		}
	}})
}

// fresh measures an arena without reuse: the wrong way to use one, and the only way to use the runtime's.
func fresh(opts ...arena.Option) func(meter) float64 {
	const arenas = 64
	return timed(arenas, func() {
		for i := range arenas {
			a := arena.NewArena(opts...)
			peers.Keep(arena.New[peers.Bytes64](a), i)
			a.Free()
		}
	})
}

// liveArenas measures the heap held by 1,000 arenas with a single object each.
func liveArenas(opts ...arena.Option) func(meter) float64 {
	return func(meter) float64 {
		return held(func() any {
			live := make([]*arena.Arena, 1000)
			for i := range live {
				live[i] = arena.NewArena(opts...)
				peers.Keep(arena.New[peers.Bytes64](live[i]), i)
			}
			return live
		})
	}
}

func liveObjects(meter) float64 {
	return held(func() any {
		live := make([]*peers.Bytes64, 1000)
		for i := range live {
			live[i] = new(peers.Bytes64)
			peers.Keep(live[i], i)
		}
		return live
	})
}

// held returns the bytes of heap that the result of build keeps.
func held(build func() any) float64 {
	peers.Sink = nil
	before := settledHeap()
	live := build()
	bytes := settledHeap() - before
	runtime.KeepAlive(live)
	return bytes
}

// settledHeap returns the size of the live heap. It takes two collections, since the first may have to finish an
// earlier sweep, and some more until the runtime's freed arenas are gone.
func settledHeap() float64 {
	const enough = 8
	for range enough {
		runtime.GC()
	}
	return float64(measure.HeapBytes())
}
