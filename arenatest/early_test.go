package arenatest_test

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A server keeps values too long, as most servers do: in its own fields.
type server struct {
	pool  *arena.Pool
	names map[string]int
	last  *node
}

func (s *server) serve(name string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.names[a.AllocString(name)]++
}

// TestNoLooks: what only a sync.Pool holds is used again where no look has emptied it, and so it is found.
func TestNoLooks(t *testing.T) {
	if race.Instrumented {
		t.Skip("the race detector drops values from a sync.Pool")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	used := func(opts ...arena.PoolOption) (v any) {
		buffers := sync.Pool{New: func() any { return new(bytes.Buffer) }}
		run(t, func(tb testing.TB) {
			pool := arenatest.NewPool(tb, opts...)
			pool.Do(func(a *arena.Arena) error {
				buffers.Put(bytes.NewBuffer(a.AllocBytes(100)[:0]))
				return nil
			})
			for range 3 {
				pool.Do(func(a *arena.Arena) error { a.AllocBytes(1); return nil })
			}
			v = testkit.Caught(func() { buffers.Get().(*bytes.Buffer).WriteString("a response") })
		})
		return v
	}
	if v := used(); v != nil {
		t.Errorf("with looks the buffer is still there: %v", v)
	}
	if v := used(arenatest.NoLooks()); v == nil {
		t.Error("the dead buffer was used, and that isn't found")
	}
}

// TestEarlyLook: a value held when its memory is reclaimed, but not at the end, is a note, and an error with Strict;
// Hold keeps it until the end.
func TestEarlyLook(t *testing.T) {
	keep := func(held bool, opts ...arena.PoolOption) func(tb testing.TB) {
		return func(tb testing.TB) {
			s := &server{pool: arenatest.NewPool(tb, opts...), names: map[string]int{}}
			if held {
				arenatest.Hold(tb, s)
			}
			s.serve("ada")    // held by s, which the second call still uses; the second name has no holder then
			s.serve("robert") // a name of the same length would be compared with the dead one now and then, which faults
		}
	}
	d := run(t, keep(false))
	d.want(t)
	if notes := strings.Join(d.logs, "\n"); strings.Count(notes, "ARENA NOTE: string") != 1 || !strings.Contains(notes, "(*server).serve()") ||
		!strings.Contains(notes, "Held by") {
		t.Errorf("notes: %s", notes)
	}
	d = run(t, keep(false, arenatest.Strict()))
	d.want(t, "ARENA ESCAPE: string", "(*server).serve()")
	if len(d.logs) > 0 {
		t.Errorf("what is an error is a note, too: %s", d.logs)
	}
	d = run(t, keep(true))
	d.want(t, "ARENA ESCAPE: string", "(*server).serve()", "what arenatest.Hold was given\n", "-> *arenatest_test.server .names")
	if len(d.logs) > 0 {
		t.Errorf("what is an error is a note, too: %s", d.logs)
	}
}

// A table has rows without content.
type table struct{ rows int }

func (r *table) Next() bool             { r.rows--; return r.rows >= 0 }
func (*table) Err() error               { return nil }
func (*table) Close() error             { return nil }
func (*table) Prepare()                 {}
func (*table) Row(unsafe.Pointer) error { return nil }

// TestEarlyRow: the note about a row says what to do.
func TestEarlyRow(t *testing.T) {
	d := run(t, func(tb testing.TB) {
		r := &table{rows: 3}
		var before *node
		for row := range arenaext.EachRow[node](arenatest.New(tb), r, func(*arena.Arena) arenaext.RowReader { return r }) {
			runtime.KeepAlive(before)
			before = row
		}
	})
	if notes := strings.Join(d.logs, "\n"); !strings.Contains(notes, "\nA row, or what the loop's body allocated") {
		t.Errorf("notes: %s", notes)
	}
}

// TestHoldBeforeNew: Hold may come first.
func TestHoldBeforeNew(t *testing.T) {
	run(t, func(tb testing.TB) {
		s := new(server)
		arenatest.Hold(tb, s)
		a := arenatest.New(tb)
		s.last = arena.New[node](a)
		a.Reset()
	}).want(t, "ARENA ESCAPE: arenatest_test.node")
}

// TestHoldOfArena: a value given to Hold may contain the arena itself, as a tested server usually does, with other
// objects.
func TestHoldOfArena(t *testing.T) {
	type log struct {
		a    *arena.Arena
		text strings.Builder
	}
	d := run(t, func(tb testing.TB) {
		s := &log{a: arenatest.New(tb)}
		arenatest.Hold(tb, s)
		s.text.WriteString(s.a.Sprintf("%d", 1))
		s.a.Reset()
	})
	d.want(t)
	var kept *log // by the test
	d = run(t, func(tb testing.TB) {
		kept = &log{a: arenatest.New(tb)}
		arenatest.Hold(tb, kept)
	})
	d.want(t, "never freed")
	_ = kept.a.Freed()
}

// TestEarlyLooksAreFew: an arena that reclaims often isn't looked at each time.
func TestEarlyLooksAreFew(t *testing.T) {
	kept := make([]*node, 0, 1000)
	d := run(t, func(tb testing.TB) {
		a := arenatest.New(tb)
		for range 1000 {
			kept = append(kept, arena.New[node](a))
			a.Reset()
			clear(kept[:len(kept)-1])
		}
		clear(kept)
	})
	d.want(t)
	all := strings.Join(d.logs, "\n")
	full := strings.Count(all, "Held by")
	looks := full
	for _, more := range regexp.MustCompile(`(\d+) more of the same type`).FindAllStringSubmatch(all, -1) {
		n, _ := strconv.Atoi(more[1])
		looks += n
	}
	// The looks are 16, and at 32 to 512. Notes about stale copies on stacks, the runner's too, are separate.
	if full < 1 || full > 5 || looks < 20 || looks > 60 {
		t.Errorf("%d notes, %d in full", looks, full)
	}
}

// TestPoolLendsOnce: an arena that was put back isn't lent again, so that its remaining holders are found.
func TestPoolLendsOnce(t *testing.T) {
	run(t, func(tb testing.TB) {
		p := arenatest.NewPool(tb)
		seen := map[*arena.Arena]bool{}
		for range 100 {
			a := p.Get()
			if seen[a] {
				t.Fatal("an arena was lent twice")
			}
			seen[a] = true
			p.Put(a)
		}
	}).want(t)
}

// TestDroppedInTime: a reference dropped before the memory is reclaimed isn't reported.
func TestDroppedInTime(t *testing.T) {
	d := run(t, func(tb testing.TB) {
		a := arenatest.New(tb, arenatest.Strict())
		s := new(server)
		for range 5 {
			s.last = arena.New[node](a)
			s.last = nil
			a.Reset()
		}
	})
	d.want(t)
	if len(d.logs) > 0 {
		t.Errorf("notes of a correct test: %s", d.logs)
	}
}

// TestRaceDetectorRemembers: it remembers the reclaimed memory after notes and long searches, and reports later uses.
func TestRaceDetectorRemembers(t *testing.T) {
	if !race.Enabled {
		t.Skip("needs -race")
	}
	var values, resets int
	if fmt.Sscan(os.Getenv(variable), &values, &resets); resets > 0 {
		a := arenatest.New(t)
		first := arena.NewOf(a, node{})
		for range resets {
			n := arena.NewOf(a, node{})
			for range values {
				arena.NewOf(a, node{})
			}
			a.Reset()
			sinkBool = n.left == nil
		}
		sinkBool = first.left == nil // the last use
		return
	}
	for _, much := range []string{"1 5", "100 5", "1000 2"} {
		if out := child(t.Name(), much); !strings.Contains(out, "ARENA NOTE") || !strings.Contains(out, here(t, "// the last use")) {
			t.Errorf("values and resets: %s: no use is reported, or nothing noted:\n%.3000s", much, out)
		}
	}
}

// TestNotesOfHeld: the note about a value given to Hold has the path from Hold, not the path from the call under way.
func TestNotesOfHeld(t *testing.T) {
	if race.Enabled {
		t.Skip("nobody looks for holders")
	}
	d := run(t, func(tb testing.TB) {
		s := &server{pool: arenatest.NewPool(tb)}
		arenatest.Hold(tb, s)
		serve(s)
		s.last = nil
	})
	d.want(t)
	notes := strings.Join(d.logs, "\n")
	if !strings.Contains(notes, "Held by:\n  what arenatest.Hold was given\n    -> *arenatest_test.server .last (") {
		t.Errorf("notes: %s", notes)
	}
}

//go:noinline
func serve(s *server) {
	a := s.pool.Get()
	s.last = arena.New[node](a)
	s.pool.Put(a)
	sinkBool = s.last == nil // s and the values that it leads to are on this stack
}

// TestNotesOfReceivers: an object referenced by a call on the stack is perhaps the receiver of its method, if it has
// the same layout, and of unknown type otherwise.
func TestNotesOfReceivers(t *testing.T) {
	if race.Enabled || asan.On {
		t.Skip("nobody looks for holders, or objects have other sizes")
	}
	d := run(t, func(tb testing.TB) {
		a := arenatest.New(tb)
		k := newKeeper()
		k.keep(a)
		runtime.KeepAlive(k)
	})
	if notes := strings.Join(d.logs, "\n") + strings.Join(d.errors, "\n"); !strings.Contains(notes, "-> perhaps *arenatest_test.keeper .last (") {
		t.Errorf("the receiver: %s", notes)
	}
	d = run(t, func(tb testing.TB) {
		newKeeper().keepIn(arenatest.New(tb), newTrio())
	})
	if notes := strings.Join(d.logs, "\n"); !strings.Contains(notes, "(type unknown), offset ") || strings.Contains(notes, "perhaps") {
		t.Errorf("another object: %s", notes)
	}
}

// A keeper is as large as three pointers.
type keeper struct {
	number int
	last   *node
	count  int
}

// These are on the heap, and no call under way has the node.

//go:noinline
func newKeeper() *keeper { return new(keeper) }

//go:noinline
func newTrio() *[3]*node { return new([3]*node) }

//go:noinline
func storeNode(to **node, a *arena.Arena) { *to = arena.New[node](a) }

//go:noinline
func (k *keeper) keep(a *arena.Arena) {
	storeNode(&k.last, a)
	a.Reset()
	k.count++
}

//go:noinline
func (k *keeper) keepIn(a *arena.Arena, to *[3]*node) {
	storeNode(&to[1], a)
	a.Reset()
	k.count += len(to)
	clear(to[:])
}
