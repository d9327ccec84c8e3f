package arenatest_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/internal/engine/race"
)

// TestTwoGoroutinesOnOneArena: neither crashes in this module, and at least one panics with a message.
func TestTwoGoroutinesOnOneArena(t *testing.T) {
	if race.Enabled {
		t.Skip("the detector reports it")
	}
	type node struct {
		next *node
		n    int
	}
	for name, use := range map[string]func(a *arena.Arena, i int){
		"New":         func(a *arena.Arena, i int) { arena.New[node](a) },
		"NewOf":       func(a *arena.Arena, i int) { arena.NewOf(a, i) },
		"MakeSlice":   func(a *arena.Arena, i int) { arena.MakeSlice[int](a, i%10, 10) },
		"Append":      func(a *arena.Arena, i int) { arena.Append(a, nil, node{}, node{}) },
		"AllocString": func(a *arena.Arena, i int) { a.AllocString("text") },
		"Alloc":       func(a *arena.Arena, i int) { a.Alloc(100, 8) },
		"Reset":       func(a *arena.Arena, i int) { arena.New[node](a); a.Reset() },
		"Rewind":      func(a *arena.Arena, i int) { m := a.Mark(); arena.New[node](a); a.Rewind(m) },
		"Mark":        func(a *arena.Arena, i int) { a.Mark(); a.KeepAlive(&node{}) },
		"Child":       func(a *arena.Arena, i int) { a.Child().Free() },
		"KeepAlive":   func(a *arena.Arena, i int) { a.KeepAlive(&node{}) },
	} {
		a := arena.NewArena(arena.WithChecks(arena.CheckObjects), arena.WithName("both"), arena.OnEscape(func(arena.Escape) {}))
		var wg sync.WaitGroup
		told := make([]string, 2)
		var over atomic.Bool
		for g := range told {
			wg.Go(func() {
				defer func() {
					if v := recover(); v != nil {
						told[g] = fmt.Sprint(v)
						over.Store(true)
					}
				}()
				for i := 0; i < 1<<20 && !over.Load(); i++ {
					use(a, i)
				}
			})
		}
		wg.Wait()
		n := 0
		for _, text := range told {
			if text != "" {
				n++
			}
			told := strings.HasPrefix(text, "arena: ") && strings.Contains(text, `another goroutine uses the arena "both" at the same time`)
			// A Rewind between the operations of the other goroutine reclaims its mark.
			stale := name == "Rewind" && strings.HasPrefix(text, "arena: Rewind: the mark is stale")
			if text != "" && !told && !stale {
				t.Errorf("%s: %s", name, text)
			}
		}
		if n == 0 {
			t.Errorf("%s: nobody was told", name)
		}
	}
}

// TestArenasPassFromHandToHand: one goroutine after the other may use an arena, also after a panic during an operation.
func TestArenasPassFromHandToHand(t *testing.T) {
	a := arenatest.New(t, arena.WithLimit(10_000))
	for range 100 {
		var wg sync.WaitGroup
		wg.Go(func() {
			defer func() { recover() }()
			a.AllocBytes(100)
			a.AllocBytes(100_000)
		})
		wg.Wait()
		a.AllocString("text")
		arena.New[struct{}](a)
		a.Reset()
	}
}

// TestRaceDetectorSeesTwoGoroutines, also where their operations don't overlap: the check for that
// must not look like an order.
func TestRaceDetectorSeesTwoGoroutines(t *testing.T) {
	if !race.Enabled {
		t.Skip("needs -race")
	}
	if os.Getenv(variable) != "" {
		a := arenatest.New(t)
		first := make(chan bool)
		go func() {
			for range 10 {
				a.AllocString("text")
			}
			close(first)
		}()
		time.Sleep(200 * time.Millisecond) // which orders nothing
		a.AllocString("text")
		<-first
		return
	}
	if out := child(t.Name(), "x"); !strings.Contains(out, "WARNING: DATA RACE") {
		t.Errorf("no race in\n%s", out)
	}
}
