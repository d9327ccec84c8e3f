//go:build race

package race_test

import (
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

// This file tests the race detector with Pools without reuse.

// uses allocate from an arena. Each has a part that is made before the goroutine begins.
var uses = map[string]func(a *arena.Arena) func(){
	"New":         func(a *arena.Arena) func() { return func() { arena.New[int](a) } },
	"New, typed":  func(a *arena.Arena) func() { arena.New[raceNode](a); return func() { arena.New[raceNode](a) } },
	"AllocString": func(a *arena.Arena) func() { return func() { a.AllocString("text") } },
	"MakeSlice":   func(a *arena.Arena) func() { a.AllocBytes(9); return func() { arena.MakeSlice[int](a, 3, 3) } },
	"Typed.New":   func(a *arena.Arena) func() { t := arena.For[raceNode](a); t.New(); return func() { t.New() } },
	"TypeAllocator.New": func(a *arena.Arena) func() {
		t := arena.KeyOf(reflect.TypeFor[raceNode]()).For(a)
		t.New()
		return func() { t.New() }
	},
	"Child": func(a *arena.Arena) func() { c := a.Child(); return func() { arena.New[int](c) } },
	"Map.Set": func(a *arena.Arena) func() {
		m := collections.NewMap[int, *int](a, 0)
		return func() {
			for i := range 100 {
				m.Set(i, nil)
			}
		}
	},
}

// TestAllocationDuringPut: an allocation that isn't ordered before Put or Free is reported. Each has a process of its
// own, since a report makes the test fail.
func TestAllocationDuringPut(t *testing.T) {
	const variable = "HARENA_TEST_DURING_PUT"
	p := arena.NewPool()
	if name := os.Getenv(variable); name != "" {
		name, end, _ := strings.Cut(name, ";")
		a := p.Get()
		use, done := uses[name](a), make(chan bool)
		go func() {
			defer close(done)
			use()
		}()
		time.Sleep(50 * time.Millisecond) // which orders nothing
		if end == "Put" {
			p.Put(a)
		} else {
			a.Free()
		}
		<-done
		return
	}
	for name := range uses {
		for _, end := range []string{"Put", "Free"} {
			c := exec.Command(os.Args[0], "-test.run", "^TestAllocationDuringPut$")
			c.Env = append(os.Environ(), variable+"="+name+";"+end)
			if out, err := c.CombinedOutput(); err == nil || !strings.Contains(string(out), "DATA RACE") {
				t.Errorf("%s during %s: no report: %v\n%s", name, end, err, out)
			}
		}
	}
}

// TestHandOver: nothing is reported where a life passes from goroutine to goroutine, and others go on with its values
// while later lives allocate from the same chunks.
func TestHandOver(t *testing.T) {
	for _, opts := range [][]arena.PoolOption{nil, {arena.WithLimit(1 << 20)}, {arena.WithObserveRate(3)}, {arena.WithCheckRate(5)}} {
		p := arena.NewPool(opts...)
		begun, kept := make(chan *arena.Arena), make(chan *raceNode, 100)
		var all, enders, readers sync.WaitGroup
		for range 3 {
			all.Go(func() {
				for i := range 300 {
					a := p.GetKeyed([]string{"", "key"}[i%2])
					n := arena.NewOf(a, raceNode{value: i})
					kept <- n
					for _, u := range uses {
						u(a)()
					}
					begun <- a
				}
			})
			enders.Go(func() {
				for a := range begun {
					m := a.Mark()
					n := arena.New[raceNode](a)
					kept <- arena.NewOf(a, raceNode{next: n})
					a.Rewind(m)
					arena.New[raceNode](a)
					if n.value == 0 {
						p.Put(a)
					}
				}
			})
			readers.Go(func() {
				for n := range kept {
					n.value++ // its reader owns a value
					for ; n != nil; n = n.next {
						_ = n.value
					}
				}
			})
		}
		all.Wait()
		close(begun)
		enders.Wait()
		close(kept)
		readers.Wait()
	}
}
