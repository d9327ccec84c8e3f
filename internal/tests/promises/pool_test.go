package promises_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file tests that a Pool lends each arena to one at a time, empty and
// zeroed, and that its statistics add up.

// soil fills an arena's memory with data that the next user must not see.
func soil(a *arena.Arena, r *rand.Rand) {
	for range 3 {
		dirt := a.AllocBytesUninit(1 + r.IntN(3000))
		for i := range dirt {
			dirt[i] = 0xEE
		}
		a.AllocString(strings.Repeat("dirt", r.IntN(200)))
		pointers := arena.MakeSlice[*entry](a, 20, 20)
		for i := range pointers {
			pointers[i] = &entry{id: 1}
		}
		*arena.New[entry](a) = entry{id: 1, name: "dirt", next: &entry{}}
	}
}

// useArena does the work of one request, and says what went wrong. id tells
// its values from all others.
func useArena(a *arena.Arena, id uint64, r *rand.Rand) error {
	all, err := newEntries(a, id, 1+r.IntN(30))
	if err != nil {
		return err
	}
	c := a.Child()
	m := a.Mark()
	for range r.IntN(3) {
		more, err := newEntries(a, ^id, 1+r.IntN(10))
		if err == nil {
			err = checkEntries(more, ^id)
		}
		if err != nil {
			return fmt.Errorf("after Mark: %w", err)
		}
		a.Rewind(m)
	}
	scratch, err := newEntries(c, id<<1, 5)
	if err != nil {
		return fmt.Errorf("child: %w", err)
	}
	runtime.Gosched()
	soil(a, r)
	if err := checkEntries(scratch, id<<1); err != nil {
		return fmt.Errorf("child: %w", err)
	}
	if r.IntN(2) == 0 {
		c.Free()
	}
	return checkEntries(all, id)
}

// poolKinds are pools with all kinds of arenas.
var poolKinds = map[string]func() *arena.Pool{
	"zero":           func() *arena.Pool { return new(arena.Pool) },
	"default":        func() *arena.Pool { return arena.NewPool(arena.WithReuse()) },
	"self-contained": func() *arena.Pool { return arena.NewPool(arena.WithReuse(), arena.WithNoScan()) },
	"scrub":          func() *arena.Pool { return arena.NewPool(arena.WithReuse(), arena.WithScrub()) },
	"tiny": func() *arena.Pool {
		return arena.NewPool(arena.WithReuse(), arena.WithChunkSize(256), arena.WithMaxChunkSize(1024))
	},
	"limited": func() *arena.Pool {
		return arena.NewPool(arena.WithReuse(), arena.WithLimit(1<<20), arena.WithPoolLimit(1<<29))
	},
	"nothing kept": func() *arena.Pool { return arena.NewPool(arena.WithReuse(), arena.WithMaxRetained(0)) },
}

// TestPoolLendsToOneAtATime has 64 goroutines, the GC, and one that reads the
// statistics, at work on one pool.
func TestPoolLendsToOneAtATime(t *testing.T) {
	const goroutines = 64
	rounds := testkit.Cases(12)
	for kind, make := range poolKinds {
		t.Run(kind, func(t *testing.T) {
			torture(t)
			p := make()
			var holders sync.Map // of the arenas that are lent
			var used, frees, keyed atomic.Int64
			use := func(worker, round int, r *rand.Rand) error {
				key := ""
				a := p.Get
				if r.IntN(3) == 0 {
					key = fmt.Sprint("key", r.IntN(4))
					keyed.Add(1)
					a = func() *arena.Arena { return p.GetKeyed(key) }
				}
				lent := a()
				id := uint64(worker)<<32 | uint64(round)<<16
				if other, twice := holders.LoadOrStore(lent, id); twice {
					return fmt.Errorf("lent to %x while %x had it", id, other)
				}
				if n := lent.UsedBytes(); n != 0 {
					return fmt.Errorf("%d bytes are in use in an arena from Get", n)
				}
				err := useArena(lent, id, r)
				used.Add(int64(lent.UsedBytes()))
				holders.Delete(lent)
				if r.IntN(8) == 0 {
					frees.Add(1)
					lent.Free()
				} else {
					p.Put(lent)
				}
				return err
			}
			var wg sync.WaitGroup
			for worker := range goroutines {
				wg.Go(func() {
					r := rand.New(rand.NewPCG(1, uint64(worker)))
					for round := range rounds {
						err := errors.New("no result")
						if v := testkit.Caught(func() { err = use(worker, round, r) }); v != nil || err != nil {
							t.Errorf("goroutine %d, round %d: %v, panic %v", worker, round, err, v)
							return
						}
						if worker == 0 {
							_ = p.Stats().String()
						}
					}
				})
			}
			wg.Wait()
			s, total := p.Stats(), goroutines*rounds
			if s.Gets != total || s.Puts+s.Freed != total || s.Freed != int(frees.Load()) || s.Live != 0 || s.Lost != 0 {
				t.Errorf("%d lent, %d of them freed: %v", total, frees.Load(), s)
			}
			if s.Used != uint64(used.Load()) || s.HighWater == 0 || s.HighWater > int(s.Used) || s.Reserved != s.Retained {
				t.Errorf("%d bytes were used: %+v", used.Load(), s)
			}
			gets := 0
			for _, key := range s.Keys {
				gets += key.Gets
			}
			if gets != int(keyed.Load()) || len(s.Keys) != 4 {
				t.Errorf("%d of the arenas were lent by key: %+v", keyed.Load(), s.Keys)
			}
		})
	}
}

// TestPoolStatsByKey says which number counts what.
func TestPoolStatsByKey(t *testing.T) {
	testkit.NeedsReuse(t)
	testkit.NoGC(t)
	p := arena.NewPool(arena.WithReuse(), arena.WithName("p"))
	for _, key := range []string{"a", "b", "", "a"} {
		a := p.GetKeyed(key)
		arena.New[[100]uint64](a)
		p.Put(a)
	}
	lent, freed := p.Get(), p.GetKeyed("b")
	arena.New[[10]uint64](freed)
	arena.New[testkit.Node](freed)
	size := 80 + (testkit.SizeOfType(testkit.Node{})+7)&^7
	freed.Free()
	type numbers struct{ gets, puts, freed, live, used, high int }
	check := func(name string, s arena.PoolStats, want numbers) {
		if got := (numbers{s.Gets, s.Puts, s.Freed, s.Live, int(s.Used), s.HighWater}); got != want || s.Name != name {
			t.Errorf("%q: %+v; want %+v; %v", name, got, want, s)
		}
	}
	for range 2 {
		s := p.Stats()
		check("p", s, numbers{6, 4, 1, 1, 3200 + size, 800})
		check("a", s.Keys["a"], numbers{2, 2, 0, 0, 1600, 800})
		check("b", s.Keys["b"], numbers{2, 1, 1, 0, 800 + size, 800})
		check("", s.Keys[""], numbers{1, 1, 0, 0, 800, 800})
		if len(s.Keys) != 3 || s.Misses < 4 || s.Growths < 3 || s.Reserved == 0 {
			t.Errorf("%+v", s)
		}
	}
	p.Put(lent)
	if s := p.Stats(); s.Live != 0 || s.Puts != 5 || s.Retained != s.Reserved {
		t.Errorf("after the last Put: %v", s)
	}
}

// TestPoolTellsManyKeysApart, and treats those beyond as none.
func TestPoolTellsManyKeysApart(t *testing.T) {
	p := arena.NewPool(arena.WithReuse())
	const most = 1024
	for i := range most + 10 {
		a := p.GetKeyed(fmt.Sprint("key ", i))
		p.Put(a)
	}
	s := p.Stats()
	if len(s.Keys) != most || s.Gets != most+10 || s.Puts != s.Gets {
		t.Errorf("%d keys, %d gets", len(s.Keys), s.Gets)
	}
	if _, known := s.Keys[fmt.Sprint("key ", most-1)]; !known {
		t.Error("the last key but ten is unknown")
	}
}

// TestManyKeysShareMemory: where idle arenas of many keys have too much, the next one finds the chunks that they give
// back.
func TestManyKeysShareMemory(t *testing.T) {
	testkit.NeedsReuse(t)
	testkit.NoGC(t) // which drops idle arenas
	for name, options := range map[string][]arena.PoolOption{
		"default": nil, "self-contained": {arena.WithNoScan()}, "small chunks": {arena.WithChunkSize(1 << 10)},
	} {
		for what, use := range map[string]func(a *arena.Arena){
			"bytes":    func(a *arena.Arena) { a.AllocBytes(24) },
			"pointers": func(a *arena.Arena) { arena.New[*int](a) },
			"kilobytes": func(a *arena.Arena) {
				for range 50 {
					a.AllocBytes(1000)
				}
			},
		} {
			t.Run(name+"/"+what, func(t *testing.T) {
				const keys, rounds = 1000, 20
				p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, options...)...)
				var before arena.PoolStats
				for round := range rounds {
					if round == rounds/2 {
						before = p.Stats()
					}
					for key := range keys {
						a := p.GetKeyed(strconv.Itoa(key))
						use(a)
						p.Put(a)
					}
				}
				s := p.Stats()
				if n := s.Growths - before.Growths; n > rounds*keys/2/20 {
					t.Errorf("%d chunks from the heap for %d pieces of work: %v", n, rounds*keys/2, s)
				}
			})
		}
	}
}

// TestPoolKeysAreMadeOnce: goroutines that come with the same new key at the
// same time mean the same.
func TestPoolKeysAreMadeOnce(t *testing.T) {
	const keys, goroutines = 300, 4
	p := arena.NewPool(arena.WithReuse())
	for i := range keys {
		var start, done sync.WaitGroup
		start.Add(1)
		for range goroutines {
			done.Go(func() {
				start.Wait()
				p.Put(p.GetKeyed(fmt.Sprint(i)))
			})
		}
		start.Done()
		done.Wait()
	}
	s := p.Stats()
	for key, s := range s.Keys {
		if s.Gets != goroutines {
			t.Errorf("key %q: %v", key, s)
		}
	}
	if len(s.Keys) != keys || s.Gets != keys*goroutines {
		t.Errorf("%d keys: %v", len(s.Keys), s)
	}
}

// TestPoolKeyMayBeInAnArena: a route that was parsed into the request's arena
// is a fine key, though its memory is used for something else soon.
func TestPoolKeyMayBeInAnArena(t *testing.T) {
	p := arena.NewPool(arena.WithReuse())
	a := arena.NewArena()
	for range 3 {
		for _, key := range []string{"/one", "/two"} {
			p.Put(p.GetKeyed(a.AllocString(key)))
			a.Reset()
			a.AllocString("other")
		}
	}
	var keys []string
	for key, s := range p.Stats().Keys {
		keys = append(keys, key+"="+s.Name)
	}
	slices.Sort(keys)
	if want := []string{"/one=/one", "/two=/two"}; !slices.Equal(keys, want) {
		t.Errorf("keys %q; want %q", keys, want)
	}
}
