package arena

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena/internal/race"
	"github.com/harena-go/arena/internal/testkit"
)

// This file tests from within that a Pool's books don't get in the way of its work.

// soon runs f, which must not wait for anything.
func soon(t *testing.T, what string, f func()) {
	t.Helper()
	done := make(chan bool)
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal(what + " waits for a lock")
	}
}

// TestKeysNeedNoLock: neither a key that is known, nor one beyond the first 1,024, nor
// one that is too long.
func TestKeysNeedNoLock(t *testing.T) {
	p := NewPool()
	for i := range maxKeys {
		p.classOf(fmt.Sprint(i))
	}
	p.mu.Lock()
	p.keyMu.Lock()
	soon(t, "GetKeyed", func() {
		for i := range 2 * maxKeys {
			if c := p.classOf(fmt.Sprint(i)); (c == &p.main) != (i >= maxKeys) || i < maxKeys && c.key != fmt.Sprint(i) {
				t.Errorf("key %d is taken for %q", i, c.key)
			}
		}
		if c := p.classOf(strings.Repeat("x", maxKey+1)); c != &p.main {
			t.Errorf("a long key is %q", c.key)
		}
	})
}

// TestLongKeysAreNone: they fill no memory.
func TestLongKeysAreNone(t *testing.T) {
	p := NewPool()
	for n, known := range map[int]bool{maxKey: true, maxKey + 1: false, 256 << 10: false} {
		key := strings.Repeat("k", n)
		p.Put(p.GetKeyed(key))
		if _, ok := p.Stats().Keys[key]; ok != known {
			t.Errorf("a key of %d bytes is told apart: %t", n, ok)
		}
	}
	if s := p.Stats(); s.Gets != 3 || len(s.Keys) != 1 {
		t.Errorf("%d keys: %v", len(s.Keys), s)
	}
}

// TestStatsKeepNobodyWaiting: while they are added up, arenas can be made.
func TestStatsKeepNobodyWaiting(t *testing.T) {
	p := NewPool()
	p.Put(p.GetKeyed("a"))
	c := p.classOf("a")
	mu := testkit.Field[sync.Mutex](&c.work, "mu")
	mu.Lock()
	done := make(chan PoolStats)
	go func() { done <- p.Stats() }()
	time.Sleep(10 * time.Millisecond) // until Stats waits for the class
	soon(t, "Get", func() {
		p.Get()
		p.GetKeyed("b")
	})
	mu.Unlock()
	if s := <-done; s.Keys["a"].Gets != 1 {
		t.Error(s)
	}
}

// TestRefusalsDontCountArenas: what the limit of a Pool refuses takes the same time
// however many arenas are live.
func TestRefusalsDontCountArenas(t *testing.T) {
	if race.Instrumented {
		t.Skip("measures time")
	}
	refusals := func(live int) time.Duration {
		p := NewPool(WithPoolLimit(1 << 10))
		arenas := make([]*Arena, live)
		for i := range arenas {
			arenas[i] = p.Get()
		}
		runtime.GC()
		best := time.Duration(math.MaxInt64)
		for range 5 {
			began := time.Now()
			for i := range 200 {
				if !refused(arenas[i]) {
					t.Fatal("the limit isn't kept")
				}
			}
			best = min(best, time.Since(began))
		}
		runtime.KeepAlive(arenas)
		return best
	}
	const few, times = 500, 32
	for try := 1; ; try++ { // other work on the machine may spoil one
		short, long := refusals(few), refusals(few*times)
		if long <= 6*short {
			break
		}
		if try == 3 {
			t.Fatalf("%v with %d arenas, %v with %d", short, few, long, few*times)
		}
	}
}

// refused says whether more than the limit allows is refused.
func refused(a *Arena) (was bool) {
	defer func() { _, was = recover().(*LimitError) }()
	a.AllocBytes(1 << 20)
	return false
}

// TestBooksArePruned: a pool looks for arenas that are gone only once their number may
// have doubled, and then lets go of all of them.
func TestBooksArePruned(t *testing.T) {
	p := NewPool()
	for i := range 50 {
		p.Get().Free()
		if got, want := len(p.leases), i%16+1; got != want {
			t.Fatalf("after %d arenas that were freed there are %d leases, want %d", i+1, got, want)
		}
	}
	if s := p.Stats(); s.Freed != 50 || s.Gets != 50 {
		t.Errorf("what became of them isn't known: %v", s)
	}
}
