package promises

import (
	"runtime"
	"slices"
	"testing"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
	"github.com/harena-go/arena/internal/tuning"
)

// This file says how long a Pool without reuse keeps what lives have left.

// A link is a value of a life, which leads to others of that life.
type link struct {
	next  *link
	other *testkit.Sentinel
	n     [6]int
}

// life allocates some links, and returns the last.
func life(a *arena.Arena, n int) (last *link) {
	for i := range 20 {
		last = arena.NewOf(a, link{next: last, n: [6]int{n, i}})
	}
	return last
}

// heapOfKept returns by how much keeping the values of one in 100 of 10,000 lives makes the heap larger.
func heapOfKept(t *testing.T, work func(a *arena.Arena, n int) (keep any)) int {
	t.Helper()
	if !testkit.Countable() {
		t.Skip("the numbers are those of usual builds")
	}
	p := arena.NewPool(arena.WithName(t.Name()))
	before := testkit.HeapInUse()
	var kept []any
	for n := range 10_000 {
		a := p.Get()
		if v := work(a, n); n%100 == 0 {
			kept = append(kept, v)
		}
		p.Put(a)
	}
	p = nil
	grown := testkit.HeapInUse() - before
	runtime.KeepAlive(kept)
	return grown
}

// TestKeptLinks: a value that is kept keeps one epoch at most.
func TestKeptLinks(t *testing.T) {
	grown := heapOfKept(t, func(a *arena.Arena, n int) any {
		for range 20 {
			a.AllocString("a text of which nothing is kept")
		}
		return life(a, n)
	})
	if most := 100 * (tuning.Epoch + tuning.EpochChunk); grown > most {
		t.Errorf("100 values keep %d KiB, at most %d are 100 epochs", grown>>10, most>>10)
	}
	t.Logf("100 values keep %d KiB", grown>>10)
}

// TestKeptStrings: a string that is kept keeps one chunk.
func TestKeptStrings(t *testing.T) {
	grown := heapOfKept(t, func(a *arena.Arena, n int) any {
		life(a, n)
		for range 30 {
			a.AllocBytes(100)
		}
		return a.Sprintf("string %d", n)
	})
	if most := 100*tuning.EpochChunk + 64<<10; grown > most {
		t.Errorf("100 strings keep %d KiB, at most %d are 100 chunks", grown>>10, most>>10)
	}
	t.Logf("100 strings keep %d KiB", grown>>10)
}

// TestDeadValuesLetGo: memory that only dead values lead to is collected while the Pool goes on, though slowly.
func TestDeadValuesLetGo(t *testing.T) {
	testkit.NoGC(t)
	for name, opts := range map[string][]arena.PoolOption{
		"shared store": nil, "own store": {arena.WithChunkSize(2000)}, "limit": {arena.WithLimit(1 << 20)},
		"shared store, later": nil, "own store, later": {arena.WithChunkSize(2000)}, "limits": {arena.WithLimit(1 << 20)},
	} {
		t.Run(name, func(t *testing.T) {
			p := arena.NewPool(opts...)
			var dead []weak.Pointer[testkit.Sentinel]
			for range 9 + len(name)%2 { // every other one is looked at, and has memory of its own
				dead = append(dead, letGo(p))
			}
			for range 2 {
				for range 2 {
					a := p.Get()
					arena.New[link](a) // from the same chunk, unless that was left
					p.Put(a)
				}
				runtime.GC()
			}
			for i := range 200 { // cleanups, by which the engine learns of a cycle, run later
				dead = slices.DeleteFunc(dead, func(w weak.Pointer[testkit.Sentinel]) bool { return w.Value() == nil })
				if len(dead) == 0 {
					t.Logf("%d lives more", i)
					return
				}
				runtime.Gosched()
				for range 2 {
					p.Put(p.Get())
				}
				runtime.GC()
			}
			t.Error("a dead value keeps a heap object")
		})
	}
}

//go:noinline
func letGo(p *arena.Pool) weak.Pointer[testkit.Sentinel] {
	s, dead := testkit.NewSentinel()
	a := p.Get()
	life(a, 0)
	arena.NewOf(a, link{other: s})
	p.Put(a)
	return dead
}

// TestIdleHoldsNothing: a Pool that idles for two cycles holds nothing.
func TestIdleHoldsNothing(t *testing.T) {
	p := arena.NewPool(arena.WithChunkSize(3000))
	dead := letGo(p)
	if !testkit.Dead(dead) {
		t.Error("an idle Pool holds an object after two cycles")
	}
	if !testkit.Countable() {
		return
	}
	before := testkit.HeapInUse()
	var all []*arena.Arena
	for range 200 {
		a := p.Get()
		a.AllocBytes(20_000)
		life(a, 1)
		all = append(all, a)
	}
	for _, a := range all {
		p.Put(a)
	}
	clear(all)
	if n := testkit.HeapInUse() - before; n > 400<<10 { // the Pool's records of 200 arenas
		t.Errorf("an idle Pool holds %d KiB", n>>10)
	}
	runtime.KeepAlive(p)
}

// TestAttemptsWithoutReuse: Rewinds to a mark, again and again, add nothing to the lists of an arena, and neither do
// marks at the same place.
func TestAttemptsWithoutReuse(t *testing.T) {
	a := arena.NewPool().Get()
	life(a, 0)
	a.AllocString("text")
	used := a.UsedBytes()
	for i := range 10_000 {
		m := a.Mark()
		life(a, i)
		a.Sprintf("%0*d", i%300, i)
		a.Rewind(m)
		if a.Rewind(m); a.UsedBytes() != used {
			t.Fatalf("%d bytes after the attempt, %d before", a.UsedBytes(), used)
		}
	}
	if s := a.Stats(); s.Lists > 16<<10 || s.Chunks > 20 {
		t.Errorf("after 10,000 attempts: %d bytes of lists; %v", s.Lists, s)
	}
}

// TestEndedHoldsNothing: a handle, and the things that belong to one, hold no memory after the end.
func TestEndedHoldsNothing(t *testing.T) {
	p := arena.NewPool(arena.WithLimit(1 << 20))
	s, dead := testkit.NewSentinel()
	a := p.Get()
	child, text, typed, mark := a.Child(), a.Text(), arena.For[link](a), a.Mark()
	typed.New().other = s
	arena.NewOf(child, link{other: s})
	text.Str("text")
	s = nil
	var err error
	func() {
		defer arena.RecoverLimit(&err)
		a.AllocBytes(2 << 20)
	}()
	p.Put(a)
	testkit.Dead(dead) // cycles in which the Pool idles
	if !testkit.Dead(dead) {
		t.Error("what belongs to an ended life holds its memory")
	}
	runtime.KeepAlive([]any{a, child, text, typed, mark, err, p})
}

// TestLostWithoutReuse: an arena of a Pool without reuse that is lost takes nothing from the memory of others.
func TestLostWithoutReuse(t *testing.T) {
	p := arena.NewPool(arena.WithReuse("reused"), arena.WithPoolLimit(8<<20))
	for i := range 20 {
		p.Get().AllocBytes(50_000)
		p.GetKeyed("reused").AllocBytes(50_000 + i)
	}
	testkit.HeapInUse()
	if s := p.Stats(); s.Lost == 0 {
		t.Errorf("nothing is lost: %v", s)
	}
	if err := arenakit.CheckPoolBooks(p); err != nil {
		t.Error(err)
	}
}
