package arena_test

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenametrics"
)

// Each request gets an arena, which ends when the request is done. Values that are kept stay valid.
func ExamplePool() {
	type field struct{ key, value string }
	pool := arena.NewPool(arena.WithName("requests"))

	var last field
	handle := func(request string) error {
		return pool.Do(func(a *arena.Arena) error {
			var fields []field
			for part := range strings.FieldsSeq(request) {
				key, value, _ := strings.Cut(part, "=")
				fields = arena.Append(a, fields, field{a.AllocString(key), a.AllocString(value)})
			}
			fmt.Println(len(fields), "fields")
			last = fields[len(fields)-1]
			return nil
		})
	}
	handle("level=info service=web status=200")
	handle("level=error service=db")
	fmt.Println(pool.Stats().Live, "in use, the last field was", last)
	// Output:
	// 3 fields
	// 2 fields
	// 0 in use, the last field was {service db}
}

func ExampleNewPool() {
	pool := arena.NewPool(
		arena.WithName("uploads"),
		arena.WithLimit(1<<20),      // for each arena
		arena.WithPoolLimit(64<<20), // for all of them together
	)
	a := pool.Get()
	defer pool.Put(a)
	fmt.Println(len(arena.MakeSlice[byte](a, 1000, 1000)))
	// Output: 1000
}

// The zero Pool is ready to use.
func ExamplePool_Get() {
	var pool arena.Pool
	var wait sync.WaitGroup
	sums := make([]int, 4)
	for worker := range sums {
		wait.Go(func() {
			a := pool.Get()
			defer pool.Put(a)
			numbers := arena.MakeSlice[int](a, 1000, 1000)
			for i := range numbers {
				numbers[i] = worker
			}
			for _, n := range numbers {
				sums[worker] += n
			}
		})
	}
	wait.Wait()
	fmt.Println(sums)
	// Output: [0 1000 2000 3000]
}

// Values stay valid after Put. The arena has ended, however late it is used again.
func ExamplePool_Put() {
	pool := arena.NewPool()
	a := pool.Get()
	name := a.AllocString("Ada")
	pool.Put(a)
	pool.Put(pool.Get())
	fmt.Println(name)

	try := func(f func()) {
		defer func() { fmt.Println(recover()) }()
		f()
	}
	try(func() { arena.New[int](a) })
	try(func() { pool.Put(a) })
	try(func() { pool.Put(arena.NewArena()) })
	// Output:
	// Ada
	// arena: New: the arena was put back into its pool; Get returns one to use
	// arena: Put: the arena was put back already
	// arena: Put: the arena isn't from this pool
}

// One option more, and Put reuses memory at once. Values to be kept have to be copied.
func ExampleWithReuse() {
	pool := arena.NewPool(arena.WithReuse())
	var cache sync.Map
	err := pool.Do(func(a *arena.Arena) error {
		user := arena.NewOf(a, User{a.AllocString("Ada"), 36})
		cache.Store(arena.Keep(a, user.Name, user)) // values in a are dead after Do
		return nil
	})
	user, _ := cache.Load("Ada")
	fmt.Println(user.(*User).Age, err)
	// Output: 36 <nil>
}

// Reuse may begin with the routes whose tests show that nothing is kept. Others go on as before.
func ExampleWithReuse_keys() {
	pool := arena.NewPool(arena.WithReuse("GET /orders"))
	pool.DoKeyed("GET /orders", func(a *arena.Arena) error {
		fmt.Println(a.Sprintf("%d orders", 3))
		return nil
	})
	var user string
	pool.DoKeyed("POST /login", func(a *arena.Arena) error {
		user = a.Sprintf("user %d", 7)
		return nil
	})
	fmt.Println(user)
	// Output:
	// 3 orders
	// user 7
}

// A piece of work that needs too much fails alone.
func ExamplePool_Do() {
	pool := arena.NewPool(arena.WithName("requests"), arena.WithLimit(10_000))
	for _, size := range []int{5_000, 50_000, 500} {
		err := pool.Do(func(a *arena.Arena) error {
			body := arena.MakeSlice[byte](a, size, size)
			fmt.Println("read", len(body), "bytes")
			return nil
		})
		if tooLarge := (*arena.LimitError)(nil); errors.As(err, &tooLarge) {
			fmt.Println("413:", err)
		}
	}
	// Output:
	// read 5000 bytes
	// 413: arena "requests": limit exceeded: 50000 bytes asked for, 0 of 10000 in use
	// read 500 bytes
}

// With reuse, the needs of the work are learned for each key.
func ExamplePool_GetKeyed() {
	pool := arena.NewPool(arena.WithReuse())
	work := func(route string, size int) {
		a := pool.GetKeyed(route)
		defer pool.Put(a)
		arena.MakeSlice[byte](a, size, size)
	}
	for range 100 {
		work("/ping", 100)
		work("/search", 300_000)
	}
	keys := pool.Stats().Keys
	fmt.Println("/ping:", keys["/ping"].FirstChunk)
	fmt.Println("/search:", keys["/search"].FirstChunk > 300_000)
	// Output:
	// /ping: 4096
	// /search: true
}

func ExamplePool_DoKeyed() {
	pool := arena.NewPool()
	err := pool.DoKeyed("/search", func(a *arena.Arena) error {
		fmt.Println(a.Sprintf("%d results", 3))
		return nil
	})
	fmt.Println(err, pool.Stats().Keys["/search"].Puts)
	// Output:
	// 3 results
	// <nil> 1
}

func ExamplePool_Stats() {
	pool := arena.NewPool(arena.WithName("jobs"))
	for range 10 {
		a := pool.Get()
		arena.MakeSlice[byte](a, 1000, 1000)
		pool.Put(a)
	}
	s := pool.Stats()
	fmt.Println(s.Gets, "gets,", s.Puts, "puts,", s.Live, "live")
	fmt.Println(s.Used, "bytes in all,", s.HighWater, "at most")
	// Output:
	// 10 gets, 10 puts, 0 live
	// 10000 bytes in all, 1000 at most
}

func ExamplePoolStats() {
	pool := arena.NewPool()
	lost := pool.Get() // and forgotten
	arena.New[int](lost)
	fmt.Println("live:", pool.Stats().Live)
	// Output: live: 1
}

func ExamplePoolStats_String() {
	fmt.Println(arena.PoolStats{Name: "jobs", Gets: 4, Puts: 3, Misses: 2, Live: 1, Growths: 2,
		Used: 3000, HighWater: 1500, Reserved: 8192, Retained: 4096, FirstChunk: 4096})
	// Output:
	// pool "jobs": 4 gets, 2 misses, 0.5 chunks each; 1 live, 0 freed, 0 lost; 1000 B used each, 1500 B at most; 8192 B reserved, 4096 B of it idle; first chunk 4096 B
}

// Options for a Pool are those for its arenas, and a few of its own.
func ExamplePoolOption() {
	options := []arena.PoolOption{arena.WithReuse(), arena.WithNoScan(), arena.WithPoolLimit(1 << 28)}
	pool := arena.NewPool(options...)
	a := pool.Get()
	defer pool.Put(a)
	fmt.Println(a.AllocString("self-contained"))
	// Output: self-contained
}

// However many arenas are lent, their chunks can't take more than the pool's limit.
func ExampleWithPoolLimit() {
	pool := arena.NewPool(arena.WithName("all"), arena.WithPoolLimit(100_000))
	first := pool.Get()
	arena.MakeSlice[byte](first, 90_000, 90_000)

	work := func(a *arena.Arena) error {
		arena.MakeSlice[byte](a, 20_000, 20_000)
		return nil
	}
	fmt.Println(pool.Do(work) != nil)
	pool.Put(first)
	fmt.Println(pool.Do(work))
	// Output:
	// true
	// <nil>
}

// Several goroutines build one result, which lives and dies as a whole.
func ExampleShared() {
	type tree struct {
		name  string
		words []string
	}
	s := arena.NewShared(arena.WithName("parse"))
	defer s.Free()

	sources := []string{"package one", "package two imports one", "package three"}
	trees := make([]*tree, len(sources))
	var wait sync.WaitGroup
	for i, source := range sources {
		wait.Go(func() {
			a := s.Local() // this goroutine's own
			t := arena.New[tree](a)
			for word := range strings.FieldsSeq(source) {
				t.words = arena.Append(a, t.words, a.AllocString(word))
			}
			t.name = t.words[1]
			trees[i] = t
		})
	}
	wait.Wait()
	for _, t := range trees {
		fmt.Println(t.name, len(t.words))
	}
	// Output:
	// one 2
	// two 4
	// three 2
}

// A limit is one for all goroutines together, and counts chunks.
func ExampleNewShared() {
	s := arena.NewShared(arena.WithName("fan-out"), arena.WithLimit(100_000))
	arena.MakeSlice[byte](s.Local(), 60_000, 60_000)
	defer func() { fmt.Println(recover()) }()
	arena.MakeSlice[byte](s.Local(), 60_000, 60_000)
	// Output:
	// arena "fan-out": limit exceeded: 60000 bytes asked for, 60008 of 100000 in use
}

func ExampleShared_Local() {
	s := arena.NewShared()
	a, b := s.Local(), s.Local()
	fmt.Println(a != b, a.AllocString("one"), b.AllocString("two"))
	// Output: true one two
}

// Reset ends the locals of one life, and keeps their memory for the next.
func ExampleShared_Reset() {
	s := arena.NewShared()
	for range 3 {
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() { arena.MakeSlice[int64](s.Local(), 100, 100) })
		}
		wait.Wait()
		fmt.Println(s.Stats().Used, s.Stats().Chunks)
		s.Reset()
	}
	// Output:
	// 3200 4
	// 3200 4
	// 3200 4
}

// Values stay valid after Free, as long as something points to them.
func ExampleShared_Free() {
	s := arena.NewShared()
	a := s.Local()
	name := a.AllocString("still here")
	s.Free()
	fmt.Println(name)

	defer func() { fmt.Println(recover()) }()
	a.AllocString("too late")
	// Output:
	// still here
	// arena: AllocString: the arena is of a Shared that was freed; nothing can be allocated after Free
}

func ExampleShared_Stats() {
	s := arena.NewShared(arena.WithName("parse"))
	arena.New[[1000]byte](s.Local())
	arena.New[[500]byte](s.Local())
	stats := s.Stats()
	fmt.Println(stats.Name, stats.Used, stats.Chunks)
	// Output: parse 1504 2
}

func ExamplePools() {
	orders := arena.NewPool(arena.WithName("orders"))
	orders.Put(orders.Get())
	for _, p := range arena.Pools() {
		if s := p.Stats(); s.Name == "orders" {
			fmt.Println(p.Name(), s.Gets, s.Idle <= 1)
		}
	}
	// Output: orders 1 true
}

func ExamplePool_Name() {
	fmt.Println(arena.NewPool(arena.WithName("orders")).Name())
	fmt.Println(arena.NewPool().Name())
	// Output:
	// orders
	// pool at example_pool_test.go:345
}

// The needs of requests: the size that covers nine in ten of them, and their types.
func ExampleUsagePercentiles() {
	pool := arena.NewPool(arena.WithReuse())
	for range 100 {
		a := pool.Get()
		a.AllocBytes(10_000)
		for range 100 {
			arena.New[runtime.Error](a)
		}
		pool.Put(a)
	}
	u := pool.Stats().Usage
	fmt.Println(u.P90 >= 11_000, u.Types["runtime.Error"] >= 800)
	// Output: true true
}

// How many pieces of work took how much, all of them since the pool was made.
func ExampleHistogram() {
	pool := arena.NewPool()
	for i := range 100 {
		a := pool.Get()
		a.AllocBytes(1000)
		if i >= 98 {
			a.AllocBytes(100_000)
		}
		pool.Put(a)
	}
	h := pool.Stats().Sizes
	large := uint64(0)
	for i, n := range h.Buckets {
		if i > 4*16 { // 2^16 bytes
			large += n
		}
	}
	fmt.Println(large, "of", h.Count, "took more than 64 KiB")
	// Output: 2 of 100 took more than 64 KiB
}

func ExampleEscape_LogValue() {
	e := arena.Escape{Arena: "orders", Type: "shop.Order", Size: 64, Cycles: 3}
	fmt.Println(e.LogValue())
	// Output:
	// [arena=orders key= type=shop.Order size=64 cycles=3 written=false holder= allocated= lent= reclaimed=]
}

// One lease in two is observed, which is for a test: 256 is enough for a server.
func ExampleWithObserveRate() {
	pool := arena.NewPool(arena.WithObserveRate(2))
	for range 100 {
		pool.Put(pool.Get())
	}
	held := [64]*arena.Arena{}
	for i := range held {
		held[i] = pool.Get()
	}
	observed := 0
	for _, l := range arenametrics.Leases(pool, 0) {
		if l.Stack != nil { // observed, also if nobody watches
			observed++
		}
	}
	fmt.Println(observed > 0)
	// Output: true
}

// The fields of an escape.
func ExampleEscape() {
	a := arena.NewArena(arena.WithChecks(arena.CheckObjects), arena.OnEscape(func(e arena.Escape) {
		fmt.Println(e.Type, e.Size, e.Cycles, e.Written)
	}))
	names := arena.MakeSlice[uint16](a, 0, 8)
	a.Reset()

	arena.FindEscapes()
	runtime.KeepAlive(names)
	// Output: []uint16 16 3 false
}

func ExampleEscape_String() {
	a := arena.NewArena(arena.WithName("requests"), arena.WithChecks(arena.CheckObjects), arena.OnEscape(func(e arena.Escape) {
		first, _, _ := strings.Cut(e.String(), "\n") // the stacks follow
		fmt.Println(first)
	}))
	marks := arena.New[[4]int32](a)
	a.Reset()

	arena.FindEscapes()
	runtime.KeepAlive(marks)
	// Output: ARENA ESCAPE: [4]int32 (16 bytes) in arena "requests" is still referenced, 3 GC cycles after it was reclaimed
}

// A server checks one request in a thousand. Here it is each, so that the example
// has something to show.
func ExampleWithCheckRate() {
	pool := arena.NewPool(arena.WithReuse(), arena.WithCheckRate(1), arena.OnEscape(func(e arena.Escape) {
		fmt.Println("escaped:", e.Type)
	}))
	err := pool.Do(func(a *arena.Arena) error {
		cache.user = arena.New[User](a)
		return nil
	})

	arena.FindEscapes()
	fmt.Println(err)
	// Output:
	// escaped: arena_test.User
	// <nil>
}

// A canary guards the arena of each request: a use of its memory after its end faults, and the request with that use
// ends with a report. Others go on.
func ExampleWithGuardRate() {
	pool := arena.NewPool(arena.WithReuse(), arena.WithGuardRate(1), arena.OnEscape(func(e arena.Escape) {
		fmt.Println(e) // to the log of the canary
	}))
	err := pool.Do(func(a *arena.Arena) error {
		name := a.Sprintf("user %d", 7)
		fmt.Println(name)
		return nil
	})
	fmt.Println(err)
	// Output:
	// user 7
	// <nil>
}
