package micro

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/measure"
)

func markRewind() []variant {
	a := arena.NewArena()
	return []variant{
		{"default", objects, func() {
			for i := range objects {
				m := a.Mark()
				p := arena.New[bytes64](a)
				p.v[0] = int64(i)
				sink64 = p
				a.Rewind(m)
			}
		}},
	}
}

// fresh is what an arena costs that is not reused: the wrong way to use one,
// and the only way to use the runtime's.
func fresh() []variant {
	const arenas = 64
	in := func(opts ...arena.Option) func() {
		return func() {
			for i := range arenas {
				a := arena.NewArena(opts...)
				p := arena.New[bytes64](a)
				p.v[0] = int64(i)
				sink64 = p
				a.Free()
			}
		}
	}
	return []variant{
		{"default", arenas, in()},
		{"self-contained", arenas, in(arena.WithNoScan())},
	}
}

// pool is what it costs to lend an arena, against what it costs to lend
// anything.
func pool() []variant {
	bare := sync.Pool{New: func() any { return new(bytes64) }}
	var p arena.Pool
	use := func(a *arena.Arena, i int) {
		o := arena.New[bytes64](a)
		o.v[0] = int64(i)
		sink64 = o
	}
	return []variant{
		{"sync.Pool", objects, func() {
			for i := range objects {
				o := bare.Get().(*bytes64)
				o.v[0] = int64(i)
				bare.Put(o)
			}
		}},
		{"default", objects, func() {
			for range objects {
				p.Put(p.Get())
			}
		}},
		{"default, New 64 B", objects, func() {
			for i := range objects {
				a := p.Get()
				use(a, i)
				p.Put(a)
			}
		}},
		{"default, New 64 B, keyed", objects, func() {
			for i := range objects {
				a := p.GetKeyed("/search")
				use(a, i)
				p.Put(a)
			}
		}},
		{"default, New 64 B, Do", objects, func() {
			for i := range objects {
				if err := p.Do(func(a *arena.Arena) error { use(a, i); return nil }); err != nil {
					panic(err)
				}
			}
		}},
	}
}

// live1000 is how much heap 1,000 arenas hold that have a single object each.
func live1000(c Config) []Series {
	const arenas = 1000
	in := func(opts ...arena.Option) func() any {
		return func() any {
			live := make([]*arena.Arena, arenas)
			for i := range live {
				live[i] = arena.NewArena(opts...)
				arena.New[bytes64](live[i]).v[0] = int64(i)
			}
			return live
		}
	}
	heap := func() any {
		live := make([]*bytes64, arenas)
		for i := range live {
			live[i] = new(bytes64)
			live[i].v[0] = int64(i)
		}
		return live
	}
	return []Series{
		{Variant: "heap", Values: held(heap, c)},
		{Variant: "default", Values: held(in(), c)},
		{Variant: "self-contained", Values: held(in(arena.WithNoScan()), c)},
	}
}

// held is how many bytes of heap the result of build keeps.
func held(build func() any, c Config) (bytes []float64) {
	for range min(c.Rounds, 3) {
		before := settledHeap()
		live := build()
		bytes = append(bytes, settledHeap()-before)
		runtime.KeepAlive(live)
	}
	return bytes
}

// settledHeap is the size of what is live. Two collections: the first may have
// to finish the sweep of the one before.
func settledHeap() float64 {
	runtime.GC()
	runtime.GC()
	return float64(measure.HeapBytes())
}

// growth times allocations in an arena whose chunks stay small, so that there
// are soon many. An arena that looks through its chunks gets slower with each.
func growth(c Config) []Series {
	const (
		chunk  = 4096
		chunks = 1000
		step   = chunk / 64 * 100 // objects in about 100 chunks
	)
	// A collection in one of the steps would look like a slow step.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var out []Series
	for _, kind := range []struct {
		name string
		opts []arena.Option
	}{
		{"default", nil},
		{"self-contained", []arena.Option{arena.WithNoScan()}},
	} {
		first := Series{Variant: kind.name + ", chunks 1-100"}
		last := Series{Variant: kind.name + ", chunks 901-1000"}
		for range c.Rounds {
			runtime.GC()
			a := arena.NewArena(append(kind.opts, arena.WithChunkSize(chunk), arena.WithMaxChunkSize(chunk))...)
			var steps []float64
			for range chunks / 100 {
				began := time.Now()
				for i := range step {
					p := arena.New[bytes64](a)
					p.v[0] = int64(i)
					sink64 = p
				}
				steps = append(steps, float64(time.Since(began).Nanoseconds())/step)
			}
			if n := a.Stats().Chunks; n < chunks*9/10 {
				panic(fmt.Sprintf("bench: the row growth needs about %d chunks, the arena has %d", chunks, n))
			}
			first.Values = append(first.Values, steps[0])
			last.Values = append(last.Values, steps[len(steps)-1])
			a.Free()
		}
		out = append(out, first, last)
	}
	return out
}
