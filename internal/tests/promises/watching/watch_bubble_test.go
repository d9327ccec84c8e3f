package watching

import (
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenametrics"
)

// TestWatchingInABubble: to look at leases leaves no goroutine behind, for which a synctest bubble
// would wait, and ages are of the clock of the caller.
func TestWatchingInABubble(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName("bubble"))
	for _, watched := range []bool{false, true} {
		before := runtime.NumGoroutine()
		held := []*arena.Arena{p.Get()}
		synctest.Test(t, func(t *testing.T) {
			arenametrics.All()
			arenametrics.Leases(p, 0)
			held = append(held, p.Get())
			time.Sleep(time.Minute)
			for i, l := range arenametrics.Leases(p, 2) {
				if l.Age != time.Minute || l.AgeIsLowerBound != (i == 0) {
					t.Errorf("watched before: %t: in a bubble lease %d is %+v", watched, i, l)
				}
			}
			time.Sleep(time.Hour)
			held = append(held, p.Get())
		})
		if n := runtime.NumGoroutine(); n > before {
			t.Errorf("%d goroutines, %d before", n, before)
		}
		for _, l := range arenametrics.Leases(p, 0) {
			if l.Age < 0 || l.Age > time.Minute {
				t.Errorf("after a bubble: %+v", l)
			}
		}
		for _, a := range held {
			p.Put(a)
		}
	}
}

// TestOldestLeases are the first of all, however many there are.
func TestOldestLeases(t *testing.T) {
	p := arena.NewPool(arena.WithReuse())
	arenametrics.Leases(p, 0)
	held := make([]*arena.Arena, 100)
	for i := range 150 { // the second time, others are the oldest
		j := i % 100
		p.Put(held[j])
		for now := time.Now(); time.Since(now) < time.Microsecond; { // no two at the same time
		}
		held[j] = p.GetKeyed(fmt.Sprint(j))
	}
	all := arenametrics.Leases(p, 0)
	for most := range 110 {
		some := arenametrics.Leases(p, most)
		want := min(most, 100)
		if most == 0 {
			want = 100
		}
		if len(some) != want {
			t.Fatalf("of %d: %d leases", most, len(some))
		}
		for i, l := range some {
			if l.Key != all[i].Key {
				t.Fatalf("of %d lease %d is %s, want %s", most, i, l.Key, all[i].Key)
			}
		}
	}
	for _, a := range held {
		p.Put(a)
	}
}
