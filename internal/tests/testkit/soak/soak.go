// Package soak has a soak test of checked arenas: correct programs of many kinds (programs.go), run
// by several goroutines while the GC runs. Nothing that they reclaim may be reported. Now and then
// one lets a value with a name of its own escape on purpose. That must be reported, so a tracker
// that looks at nothing would be noticed. No batch may be dropped: the tracker always has room.
package soak

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// A soak is one run.
type soak struct {
	name    string
	options []arena.Option

	open func() (n, limit int) // how many batches there are

	allowed atomic.Int64 // operations that may begin
	begun   atomic.Int64
	taken   atomic.Int64 // times that memory was reclaimed

	mu      sync.Mutex
	planted map[string]any // the escaping values, by the arena's name
	found   map[string]bool
	wrong   []arena.Escape
	most    int // batches at a time
}

// The work of the soak between two looks.
const (
	soakers   = 4
	soakBatch = 600 // operations; each opens up to three batches, or rarely more
	soakPlant = 97  // one operation in soakPlant lets something escape
)

// plantedPrefix begins the names of arenas with a planted escape.
const plantedPrefix = "planted "

// Checked runs the soak with all kinds of checks. open returns the present number of batches, and the most allowed.
func Checked(t *testing.T, open func() (n, limit int)) {
	kinds := []struct {
		name    string
		resets  int64 // in the long mode
		options []arena.Option
	}{
		{"resets", 1_000_000, []arena.Option{arena.WithChecks(arena.CheckResets)}},
		{"objects", 1_000_000, []arena.Option{arena.WithChecks(arena.CheckObjects)}},
		{"resets, self-contained", 200_000, []arena.Option{arena.WithChecks(arena.CheckResets), arena.WithNoScan()}},
		{"objects, self-contained", 200_000, []arena.Option{arena.WithChecks(arena.CheckObjects), arena.WithNoScan()}},
	}
	for _, k := range kinds {
		t.Run(k.name, func(t *testing.T) {
			resets := int64(2000)
			if testkit.Long {
				resets = k.resets
				if race.Instrumented {
					resets /= 10
				}
			}
			s := &soak{name: k.name, open: open, planted: map[string]any{}, found: map[string]bool{}}
			s.options = append(s.options, k.options...)
			s.options = append(s.options, arena.OnEscape(s.report))
			s.run(t, resets)
		})
	}
}

// run runs programs until memory was reclaimed resets times.
func (s *soak) run(t *testing.T, resets int64) {
	arena.FindEscapes() // for escapes of other tests
	var wait sync.WaitGroup
	var stop atomic.Bool
	for i := range soakers {
		wait.Add(1)
		go func() {
			defer wait.Done()
			s.work(rand.New(rand.NewPCG(uint64(i), 1)), &stop)
		}()
	}
	noise := startNoise()
	plants, looks := 0, 0
	for s.taken.Load() < resets && !t.Failed() {
		s.allowed.Add(soakBatch)
		for s.begun.Load() < s.allowed.Load() {
			time.Sleep(100 * time.Microsecond)
		}
		s.allowed.Add(soakBatch / 2) // the tracker works while programs run
		plants += s.look(t)
		looks++
	}
	stop.Store(true)
	wait.Wait()
	noise()
	plants += s.look(t)
	if plants == 0 {
		t.Error("nothing was planted")
	}
	t.Logf("memory was reclaimed %d times: %d false reports; "+
		"%d of %d planted escapes found, in %d looks; %d batches at most",
		s.taken.Load(), len(s.wrong), plants-len(s.planted), plants, looks, s.most)
}

// look searches, and returns how many planted escapes there should have been in memory reclaimed before.
func (s *soak) look(t *testing.T) int {
	s.mu.Lock()
	var names []string
	for name := range s.planted {
		names = append(names, name)
	}
	s.mu.Unlock()
	arena.FindEscapes()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, name := range names {
		if !s.found[name] {
			t.Errorf("%q has escaped and wasn't reported", name)
			continue
		}
		delete(s.planted, name)
	}
	if len(s.wrong) > 0 {
		t.Errorf("%d false reports, such as %v", len(s.wrong), s.wrong[0])
	}
	if _, limit := s.open(); s.most >= limit {
		t.Errorf("%d batches at a time: some were dismissed, and the test proves nothing", s.most)
	}
	return len(names)
}

func (s *soak) report(e arena.Escape) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !strings.HasPrefix(e.Arena, plantedPrefix) {
		s.wrong = append(s.wrong, e)
	}
	s.found[e.Arena] = true
}

// work runs programs.
func (s *soak) work(r *rand.Rand, stop *atomic.Bool) {
	w := &worker{soak: s, Rand: r}
	w.pool = arena.NewPool(s.pool(arena.WithReuse(), arena.WithName("pool"))...)
	w.sampled = arena.NewPool(arena.WithReuse(), arena.WithCheckRate(2), arena.OnEscape(s.report),
		arena.WithName("sampled"))
	defer w.release()
	for !stop.Load() {
		n := s.begun.Add(1)
		if n > s.allowed.Load() {
			s.begun.Add(-1)
			time.Sleep(100 * time.Microsecond)
			continue
		}
		if n%soakPlant == 0 {
			s.plant(n)
			continue
		}
		soakPrograms[r.IntN(len(soakPrograms))](w)
		batches, _ := s.open()
		s.mu.Lock()
		s.most = max(s.most, batches)
		s.mu.Unlock()
	}
}

// plant lets a value escape.
func (s *soak) plant(n int64) {
	name := fmt.Sprint(plantedPrefix, s.name, " ", n)
	a := s.arena(arena.WithName(name))
	o := arena.New[order](a)
	a.Reset()
	s.taken.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.planted[name] = o
}

func (s *soak) arena(opts ...arena.Option) *arena.Arena {
	return arena.NewArena(append(opts, s.options...)...)
}

func (s *soak) pool(opts ...arena.PoolOption) []arena.PoolOption {
	return append(opts, arenakit.PoolOptions(s.options)...)
}

// startNoise keeps the GC running and other goroutines' stacks moving, until the returned
// function is called.
func startNoise() (stop func()) {
	var stopped atomic.Bool
	var wait sync.WaitGroup
	wait.Add(2)
	go func() {
		defer wait.Done()
		r := rand.New(rand.NewPCG(7, 7))
		for !stopped.Load() {
			time.Sleep(time.Duration(r.IntN(20_000)) * time.Microsecond)
			if r.IntN(2) == 0 {
				runtime.GC()
			}
		}
	}()
	go func() {
		defer wait.Done()
		for !stopped.Load() {
			deepFrames(500)
			time.Sleep(time.Millisecond)
		}
	}()
	return func() {
		stopped.Store(true)
		wait.Wait()
	}
}

//go:noinline
func deepFrames(n int) int {
	var frame [32]int
	if n > 0 {
		frame[n%32] = deepFrames(n - 1)
	}
	return frame[n%32] + 1
}
