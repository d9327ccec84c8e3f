package arenapprof_test

import (
	"bytes"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenametrics"
	"github.com/harena-go/arena/arenapprof"
	"github.com/harena-go/arena/internal/diagnose/profile"
	"github.com/harena-go/arena/internal/tests/testkit"
)

type node struct {
	next *node
	_    [40]byte
}

// The places of allocations. Each returns its bytes.

//go:noinline
func small(a *arena.Arena, n int) (bytes int) {
	for range n {
		arena.New[[24]byte](a)
	}
	return 24 * n
}

//go:noinline
func nodes(a *arena.Arena, n int) (bytes int) {
	for range n {
		arena.New[node](a)
	}
	return 48 * n
}

//go:noinline
func pages(a *arena.Arena, n int) (bytes int) {
	for range n {
		a.AllocBytes(3000)
	}
	return 3000 * n
}

//go:noinline
func records(a *arena.Arena, n int) (bytes int) {
	for range n {
		arena.New[[2000]uint64](a)
	}
	return 16_000 * n
}

//go:noinline
func texts(a *arena.Arena, n int) (bytes int) {
	for range n {
		a.AllocString("sixteen letters!")
	}
	return 16 * n
}

//go:noinline
func grows(a *arena.Arena, n int) (bytes int) {
	s := make([]uint64, 0)
	s = arena.Grow(a, s, n)
	for i := range n {
		s = arena.Append(a, s, uint64(i))
	}
	return 8 * n
}

// work is a request: some take a little, one in ten much.
func work(a *arena.Arena, i int, truth map[string]int) {
	truth["small"] += small(a, 20)
	truth["nodes"] += nodes(a, 10)
	truth["texts"] += texts(a, 30)
	if i%10 == 0 {
		truth["pages"] += pages(a, 2)
	}
	truth["grows"] += grows(a, 50)
}

// TestSharesAreThoseOfTheTruth: with enough samples to make chance five times smaller, each place
// has its true share of bytes, to 2 points, and all together have the bytes of the pool.
func TestSharesAreThoseOfTheTruth(t *testing.T) {
	for name, opts := range map[string][]arena.PoolOption{
		"each":           {arena.WithObserveRate(1)},
		"one in four":    {arena.WithObserveRate(4)},
		"limited":        {arena.WithObserveRate(1), arena.WithLimit(1 << 20)},
		"self-contained": {arena.WithObserveRate(1), arena.WithNoScan()},
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && len(opts) > 1 {
				t.Skip("the stacks of 40,000 arenas take long with a sanitizer")
			}
			p := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
			truth := map[string]int{}
			n := 40_000
			if name == "one in four" {
				n *= 4
			}
			for i := range n {
				a := p.Get()
				work(a, i, truth)
				p.Put(a)
			}
			got, all, samples, used := shares(t, p)
			for name, want := range percent(truth) {
				got := got[name]
				t.Logf("%s: %.1f%%, in truth %.1f%%", name, got, want)
				if got < want-2 || got > want+2 {
					t.Errorf("%s has %.1f%%, in truth %.1f%%; %d samples", name, got, want, samples)
				}
			}
			if samples < 1000 || all < 0.9*float64(used) || all > 1.1*float64(used) {
				t.Errorf("%d samples for %.0f bytes of %d", samples, all, used)
			}
		})
	}
}

// TestEachByteIsCountedOnce: also those of memory that went back by Rewind or Reset and is
// allocated again, of children, of chunks that come one after another, and of values that need one
// of their own; with fast paths between the samples.
func TestEachByteIsCountedOnce(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("builds with a sanitizer leave gaps, have no fast paths, and take minutes")
	}
	type counts = map[string]int
	for name, request := range map[string]func(a *arena.Arena, i int, truth counts){
		"rewind": func(a *arena.Arena, i int, truth counts) {
			truth["small"] += small(a, 5)
			m := a.Mark()
			for range 20 {
				truth["texts"] += texts(a, 10)
				truth["nodes"] += nodes(a, 3)
				a.Rewind(m)
			}
		},
		"rewind further": func(a *arena.Arena, i int, truth counts) {
			for range 20 { // kept and reclaimed values take turns
				truth["small"] += small(a, 5)
				m := a.Mark()
				truth["texts"] += texts(a, 20)
				a.Rewind(m)
			}
		},
		"reset": func(a *arena.Arena, i int, truth counts) {
			for range 20 {
				truth["small"] += small(a, 10)
				truth["nodes"] += nodes(a, 10)
				a.Reset()
			}
			truth["small"] += small(a, 1) // an arena's use is its bytes when it is put back
		},
		"child": func(a *arena.Arena, i int, truth counts) {
			truth["small"] += small(a, 1) // as for reset: children don't count
			for range 20 {
				c := a.Child()
				truth["small"] += small(c, 10)
				truth["texts"] += texts(c, 10)
				truth["nodes"] += nodes(c, 10)
				c.Free()
			}
		},
		"chunks": func(a *arena.Arena, i int, truth counts) {
			for j := range i % 4 {
				truth["small"] += small(a, 100)
				truth["nodes"] += nodes(a, 50)
				truth["records"] += records(a, 1+j%2)
				truth["grows"] += grows(a, 300)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			for kind, opts := range map[string][]arena.PoolOption{"plain": nil, "limited": {arena.WithLimit(1 << 20)}, "self-contained": {arena.WithNoScan()},
				"small chunks": {arena.WithChunkSize(512), arena.WithMaxChunkSize(4096)}} {
				p := arena.NewPool(append(opts, arena.WithReuse(), arena.WithObserveRate(2))...)
				truth, sum := counts{}, 0
				n := 20_000
				if name == "child" { // they take their chunks from the Go heap
					n = 4000
				}
				for i := range n {
					a := p.Get()
					request(a, i, truth)
					p.Put(a)
				}
				for _, n := range truth {
					sum += n
				}
				got, all, samples, _ := shares(t, p)
				for place, want := range percent(truth) {
					chance := math.Sqrt(want * (100 - want) / float64(samples)) // the standard deviation, which is 0.2 to 0.6
					if d := got[place] - want; math.Abs(d) > 6*chance {
						t.Errorf("%s: %s has %.1f%%, in truth %.1f%%; %d samples", kind, place, got[place], want, samples)
					}
				}
				t.Logf("%s: %.3f of the bytes, %d samples", kind, all/float64(sum), samples)
				if all < 0.95*float64(sum) || all > 1.08*float64(sum) || samples < 1000 {
					t.Errorf("%s: %.0f bytes of %d, %d samples", kind, all, sum, samples)
				}
			}
		})
	}
}

// shares returns each place's percentage of the bytes in a pool's profile, their sum as scaled by
// the profile, the number of samples, and the bytes allocated by the pool.
func shares(t *testing.T, p *arena.Pool) (got map[string]float64, all float64, samples int, used uint64) {
	t.Helper()
	sites, usedByAll, observed := profile.Pools.Sites(p)
	used = uint64(usedByAll)
	if scale := usedByAll / observed; !(scale > 0.8 && scale < 1.25) { // for 1,000 arenas, chance leaves less than 0.1
		t.Errorf("the observed arenas have used %.0f bytes, all that are like these %d", observed, used)
	}
	got = map[string]float64{}
	for _, s := range sites {
		name := "?"
		for _, f := range s.Frames {
			if i := strings.LastIndex(f.Function, "arenapprof_test."); i >= 0 {
				name = f.Function[i+len("arenapprof_test."):]
				break
			}
		}
		got[name] += s.Bytes
		all += s.Bytes
		samples += s.Samples
		if s.LiveBytes > 1e-6*s.Bytes {
			t.Errorf("%s: %v bytes of arenas that are back are live", name, s.LiveBytes)
		}
	}
	for name := range got {
		got[name] *= 100 / all
	}
	return got, all * usedByAll / observed, samples, used
}

// percent returns what percentage of all bytes each place has.
func percent(truth map[string]int) map[string]float64 {
	sum, all := 0, map[string]float64{}
	for _, n := range truth {
		sum += n
	}
	for name, n := range truth {
		all[name] = 100 * float64(n) / float64(sum)
	}
	return all
}

// TestPprofOpensIt: the tool shows the places, by bytes, and the bytes in use.
func TestPprofOpensIt(t *testing.T) {
	testkit.NeedsGo(t)
	name := fmt.Sprint("shop", time.Now().UnixNano()) // the test may run more than once
	p := arena.NewPool(arena.WithReuse(), arena.WithObserveRate(1), arena.WithName(name))
	for range 5000 { // there is a sample of each
		a := p.Get()
		m := a.Mark()
		pages(a, 10)
		a.Rewind(m) // memory allocated again counts again
		pages(a, 10)
		nodes(a, 10)
		p.Put(a)
	}
	held := p.GetKeyed("held") // so that its use can't be predicted
	texts(held, 100_000)       // some 390 samples, give or take 20
	w := httptest.NewRecorder()
	arenapprof.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/?pool="+name, nil))
	file := filepath.Join(t.TempDir(), "arena.pb.gz")
	if err := os.WriteFile(file, w.Body.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	top := func(index string) string {
		out, err := exec.Command("go", "tool", "pprof", "-top", "-unit=bytes", "-sample_index="+index, file).CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return string(out)
	}
	alloc, inuse := top("alloc_space"), top("inuse_space")
	t.Logf("%s\n%s", alloc, inuse)
	flat := func(text, function string) int {
		m := regexp.MustCompile(`(?m)^ *(\d+)B .*arenapprof_test\.` + function + `$`).FindStringSubmatch(text)
		if m == nil {
			return 0
		}
		n, _ := strconv.Atoi(m[1])
		return n
	}
	if n := flat(alloc, "pages"); n < 274_000_000 || n > 326_000_000 {
		t.Errorf("pages have %d bytes of 300,000,000", n)
	}
	if n := flat(inuse, "texts"); n < 1_200_000 || n > 2_000_000 || flat(inuse, "pages") != 0 {
		t.Errorf("in use are %d bytes of 1,600,000, and pages", n)
	}
	if strings.Contains(alloc, "(*Arena)") {
		t.Error("functions of arenas are shown")
	}
	p.Put(held)

	w = httptest.NewRecorder()
	arenapprof.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/?pool=nobody", nil))
	if w.Code != 404 {
		t.Error(w.Code)
	}
	var all bytes.Buffer
	if err := arenapprof.Write(&all); err != nil || all.Len() == 0 {
		t.Error(err)
	}
	if err := arenapprof.Write(failing{}); err == nil {
		t.Error("no error")
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, os.ErrClosed }

// TestObservedLeasesAreWhole: limits hold, freed and lost ones end, and children work.
func TestObservedLeasesAreWhole(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithObserveRate(1), arena.WithLimit(10_000))
	for range 3 {
		err := p.Do(func(a *arena.Arena) error {
			c := a.Child()
			small(c, 10)
			c.Free()
			small(a, 100)
			a.Reset()
			small(a, 100)
			pages(a, 10)
			return nil
		})
		if err == nil {
			t.Error("the limit doesn't hold")
		}
	}
	freed := p.Get()
	small(freed, 300)
	freed.Free()
	func() { small(p.Get(), 300) }()
	for range 4 {
		runtime.GC()
		p.Stats()
	}
	if s := p.Stats(); s.Freed != 1 || s.Lost != 1 {
		t.Errorf("%v", s)
	}
	if l := arenametrics.Leases(p, 0); len(l) != 0 {
		t.Errorf("%v", l)
	}
	sites, _, _ := profile.Pools.Sites(p)
	for _, s := range sites {
		if s.LiveBytes > 1 {
			t.Errorf("%v bytes of nobody's arenas are live", s.LiveBytes)
		}
	}
	held := p.Get()
	if l := arenametrics.Leases(p, 0); len(l) != 1 || l[0].Stack == nil {
		t.Error("an observed lease has no stack")
	}
	p.Put(held)
}

// TestKeptArenas: an observed arena may be kept and used again and again. Its reclaimed memory
// isn't in use any more, and the rest is.
func TestKeptArenas(t *testing.T) {
	const lap = 100_000
	for name, again := range map[string]func(a *arena.Arena, allocate func(*arena.Arena)){
		"Reset": func(a *arena.Arena, allocate func(*arena.Arena)) {
			a.Reset()
			allocate(a)
		},
		"Rewind": func(a *arena.Arena, allocate func(*arena.Arena)) {
			m := a.Mark()
			allocate(a)
			a.Rewind(m)
		},
		"Child.Free": func(a *arena.Arena, allocate func(*arena.Arena)) {
			c := a.Child()
			allocate(c)
			c.Free()
		},
		"Child.Reset": func(a *arena.Arena, allocate func(*arena.Arena)) {
			c := a.Child()
			for range 3 {
				allocate(c)
				c.Reset()
			}
			c.Free()
		},
		"Rewind with children": func(a *arena.Arena, allocate func(*arena.Arena)) {
			m := a.Mark()
			allocate(a.Child().Child())
			a.Rewind(m)
		},
	} {
		p := arena.NewPool(arena.WithReuse(), arena.WithObserveRate(1))
		a := p.Get()
		if name != "Reset" {
			pages(a, lap/3000)
		}
		laps := func(n int) {
			for range n {
				again(a, func(a *arena.Arena) { pages(a, lap/3000) })
			}
		}
		laps(50)
		before := testkit.HeapInUse()
		laps(5000)
		if grown := testkit.HeapInUse() - before; grown > 1<<20 {
			t.Errorf("%s: the heap has grown by %d bytes", name, grown)
		}
		sites, _, _ := profile.Pools.Sites(p)
		live := 0.0
		for _, s := range sites {
			live += s.LiveBytes
		}
		if live < lap/3 || live > 3*lap {
			t.Errorf("%s: %.0f bytes are in use, want %d", name, live, lap)
		}
		p.Put(a)
	}
}
