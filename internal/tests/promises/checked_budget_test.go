package promises_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests that checks don't change an arena's rights: neither the bytes that it reserves, by much, nor those
// that a limit allows.

// withResets returns options for an arena with CheckResets that isn't heard of.
func withResets(opts ...arena.Option) []arena.Option {
	return arenakit.Checked(arena.CheckResets, opts...)
}

// markGranule is the most that a mark may cost in a checked arena, for each kind of memory that is used before the next
// one.
const markGranule = 512 + 4*asan.RedZone

// TestMarksInCheckedArenas: they cost about as much memory as in others, however
// many there are, and however little is allocated between them.
func TestMarksInCheckedArenas(t *testing.T) {
	const marks = 3000
	uses := map[string]func(a *arena.Arena, i int){
		"16 bytes":     func(a *arena.Arena, i int) { arena.New[[2]uint64](a) },
		"strings":      func(a *arena.Arena, i int) { a.AllocString(text(i)) },
		"slices":       func(a *arena.Arena, i int) { arena.MakeSlice[uint64](a, i%100, i%100) },
		"pointers":     func(a *arena.Arena, i int) { arena.New[entry](a) },
		"3 KB":         func(a *arena.Arena, i int) { a.AllocBytes(3000) },
		"many objects": func(a *arena.Arena, i int) { newInts(a, 500) },
		"now and then": func(a *arena.Arena, i int) { newInts(a, 1000*(i%50/49)) },
		"both ends": func(a *arena.Arena, i int) {
			for range 10 {
				arena.New[[3]uint64](a)
				a.AllocBytes(40)
			}
		},
	}
	for name, use := range uses {
		for kind, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}} {
			reserved := func(opts []arena.Option) (n int, s arena.Stats) {
				a := arena.NewArena(opts...)
				for i := range marks {
					before := a.UsedBytes()
					use(a, i)
					a.Mark()
					if a.UsedBytes() > before {
						n++
					}
				}
				return n, a.Stats()
			}
			_, plain := reserved(opts)
			n, s := reserved(withResets(opts...))
			if s.Reserved > 3*plain.Reserved+n*markGranule {
				t.Errorf("%s, %s: %v; without checks: %v", name, kind, s, plain)
			}
		}
	}
}

func newInts(a *arena.Arena, n int) {
	for range n {
		arena.New[uint64](a)
	}
}

// TestMarksWithNothingBetween are one, and cost nothing, in checked arenas too.
func TestMarksWithNothingBetween(t *testing.T) {
	for _, c := range []arena.Checks{0, arena.CheckResets, arena.CheckObjects} {
		a := arena.NewArena(arenakit.Checked(c)...)
		for i := range 5 {
			m := a.Mark()
			for range 3 {
				if a.Mark() != m {
					t.Errorf("checks %d, %d values: two marks with nothing between", c, i)
				}
			}
			arena.New[uint64](a)
			arena.New[*int](a)
			before := a.Stats()
			m = a.Mark()
			arena.New[*int](a)
			a.Rewind(m)
			if a.Mark() != m && (testkit.Reuses || c != 0) {
				t.Errorf("checks %d, %d values: the mark is another after Rewind", c, i)
			}
			if s := a.Stats(); testkit.Reuses && s.Reserved > before.Reserved {
				t.Errorf("checks %d, %d values: %v; before the mark %v", c, i, s, before)
			}
		}
	}
}

// TestSampledRequestsFitTheLimit: a request with many marks that an unchecked arena of a Pool or a
// Shared serves under a limit is served by a checked one under the same.
func TestSampledRequestsFitTheLimit(t *testing.T) {
	request := func(a *arena.Arena) {
		for i := range 1500 {
			m := a.Mark()
			a.AllocString("a string")
			arena.New[uint64](a)
			if i%3 == 0 {
				arena.New[entry](a)
				a.Rewind(m)
			}
		}
	}
	for _, rate := range []int{0, 1} {
		p := arena.NewPool(arena.WithReuse(), arena.WithPoolLimit(1<<20), arena.WithCheckRate(rate), arena.OnEscape(func(arena.Escape) {}))
		for range 5 {
			if err := p.Do(func(a *arena.Arena) error { request(a); return nil }); err != nil {
				t.Errorf("one in %d checked: %v", rate, err)
			}
		}
		s := arena.NewShared(withResets(arena.WithLimit(1 << 20))...)
		if v := testkit.Caught(func() { request(s.Local()) }); v != nil {
			t.Error(v)
		}
	}
}

// TestLimitsOfCheckedArenas runs random programs on an arena and on a checked one with the same limit: both allow the
// same.
func TestLimitsOfCheckedArenas(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("slices of pointers need padding there")
	}
	programs := 400
	if testing.Short() {
		programs = 40
	}
	for seed := range programs {
		for _, opts := range [][]arena.Option{nil, {arena.WithNoScan()}, {arena.WithChunkSize(256), arena.WithMaxChunkSize(4096)}} {
			limit := 500 + 100*(seed%100)
			opts = append(opts, arena.WithLimit(limit))
			twin := twins{a: arena.NewArena(opts...), b: arena.NewArena(withResets(opts...)...)}
			if err := twin.run(rand.New(rand.NewPCG(1, uint64(seed)))); err != nil {
				t.Fatalf("seed %d, limit %d: %v", seed, limit, err)
			}
		}
	}
}

// twins are two arenas that do the same.
type twins struct {
	a, b   *arena.Arena
	as, bs []arena.Mark
}

// run does the same with both, and says where one fails and the other doesn't. All
// sizes are multiples of 8, so that none needs padding.
func (t *twins) run(r *rand.Rand) error {
	for step := range 300 {
		op, n := r.IntN(12), 8*(1+r.IntN(1+r.IntN(40)))
		switch op {
		case 0, 1:
			t.as, t.bs = append(t.as, t.a.Mark()), append(t.bs, t.b.Mark())
			continue
		case 2:
			if i := len(t.as); i > 0 {
				i = r.IntN(i)
				t.a.Rewind(t.as[i])
				t.b.Rewind(t.bs[i])
				t.as, t.bs = t.as[:i+1], t.bs[:i+1]
			}
			continue
		case 3:
			if r.IntN(10) == 0 {
				t.a.Reset()
				t.b.Reset()
				t.as, t.bs = nil, nil
			}
			continue
		}
		use := func(a *arena.Arena) func() { return func() { allocate(a, op, n) } }
		va, vb := testkit.Caught(use(t.a)), testkit.Caught(use(t.b))
		if (va == nil) != (vb == nil) {
			return fmt.Errorf("step %d, %d of %d bytes: without checks %v, with checks %v", step, op, n, va, vb)
		}
		if t.a.UsedBytes() != t.b.UsedBytes() {
			return fmt.Errorf("step %d, %d of %d bytes: %d used without checks, %d with them", step, op, n, t.a.UsedBytes(), t.b.UsedBytes())
		}
	}
	return nil
}

func allocate(a *arena.Arena, op, n int) {
	switch op {
	case 4, 5:
		arena.New[[2]uint64](a)
	case 6:
		arena.New[*int](a)
	case 7:
		a.AllocString(string(make([]byte, n)))
	case 8:
		arena.MakeSlice[uint64](a, n/8, n/8)
	case 9:
		arena.MakeSlice[*int](a, n/8, n/8)
	case 10:
		a.Alloc(uintptr(n), 8)
	default:
		a.Sprintf("%0*d", n, 7)
	}
}
