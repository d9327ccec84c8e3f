package arenaext

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A sender is a Request that may be sending something.
type sender struct {
	key    string
	sends  bool
	looked bool // it got an arena
	ended  bool // Settle was called
}

func (s *sender) Key() string { return s.key }

func (s *sender) Settle(a *arena.Arena) bool {
	s.ended, s.looked = true, a != nil
	return a != nil && s.sends
}

// A life is a Loan and its holders.
type life struct {
	*Loan
	*sender
	pool  *arena.Pool
	dones []func()
}

func newLife(opts ...arena.PoolOption) *life {
	l := &life{new(Loan), &sender{key: "key"}, arena.NewPool(append(opts, arena.WithReuse())...), nil}
	l.Start(l.pool, l.sender)
	return l
}

func (l *life) detach() {
	if done := l.Detach(); done != nil {
		l.dones = append(l.dones, done)
	}
}

// lastGoes has all holders but the request go.
func (l *life) lastGoes() {
	for _, done := range l.dones {
		done()
		done()
	}
	for l.dones = nil; l.handlers > 0; {
		l.Leave()
	}
}

var stateNames = []string{"open", "running", "kept", "left", "ended", "freed"}

// reach returns a new Loan in a state, with a handler or detached work as wanted, and whether that is possible.
func reach(state string, handler, work, over bool) (l *life, ok bool) {
	l = newLife()
	a := l.Arena()
	enter := func() {
		if handler {
			l.Enter()
		}
		if work {
			l.detach()
		}
	}
	switch enter(); state {
	case "kept":
		l.Keep()
	case "left":
		l.Abandon()
	case "freed", "ended":
		if l.lastGoes(); state == "freed" {
			l.Keep()
		}
		l.End()
		enter()
	}
	if over {
		l.End()
	}
	return l, l.over == (over || l.state >= ended) && stateNames[l.state] == state && a != nil
}

// TestLoanTable: each event leads from each state to the one that docs/promises.md says, whoever holds the arena.
func TestLoanTable(t *testing.T) {
	type event struct {
		holders []string // the arena's holders before, besides the request: "" none, h a handler, w detached work
		over    bool     // End was called before
		do      func(*life)
	}
	anyone, some, end := []string{"", "h", "w", "hw"}, []string{"h", "w", "hw"}, func(l *life) { l.End() }
	events := map[string]event{
		"`Enter` or `Detach`":                   {anyone, false, nil},
		"the last `Leave` or done":              {some, false, (*life).lastGoes},
		"the last `Leave` or done, after `End`": {some, true, (*life).lastGoes},
		"`Keep`":                                {anyone, false, func(l *life) { l.Keep() }},
		"`Abandon`":                             {anyone, false, func(l *life) { l.Abandon() }},
		"`Next`, before a message of a stream":  {[]string{"", "h"}, false, func(l *life) { l.Next(); l.Next() }},
		"`End`":                                 {[]string{""}, false, end},
		"`End`, while something in the arena is being sent": {[]string{""}, false, func(l *life) { l.sends = true; l.End() }},
		"`End`, while a handler runs":                       {[]string{"h", "hw"}, false, end},
		"`End`, while work is detached":                     {[]string{"w"}, false, end},
	}
	page, err := os.ReadFile("../docs/promises.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rows, _ := strings.Cut(string(page), "| event | "+strings.Join(stateNames, " | ")+" |\n")
	rows, _, _ = strings.Cut(rows, "\n\n")
	seen := 0
	for line := range strings.Lines(rows) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		e, ok := events[cells[0]]
		if strings.HasPrefix(line, "|--") {
			continue
		}
		if !ok || len(cells) != 7 {
			t.Fatalf("the row %q", cells)
		}
		for i, from := range stateNames {
			possible := false
			for _, who := range e.holders {
				l, ok := reach(from, strings.Contains(who, "h"), strings.Contains(who, "w"), e.over)
				if !ok {
					continue
				}
				want := cells[i+1]
				switch {
				case e.do != nil:
					e.do(l)
				case len(who) == 1:
					l.Enter()
				default:
					l.detach()
				}
				if from == "kept" && want == "running" && who == "" {
					want = "open"
				}
				possible = true
				if seen++; stateNames[l.state] != want {
					t.Errorf("%s in the state %s with %q: %s, docs/promises.md says %s", cells[0], from, who, stateNames[l.state], want)
				}
			}
			if possible != (cells[i+1] != "-") {
				t.Errorf("%s in the state %s: possible: %t, docs/promises.md says %s", cells[0], from, possible, cells[i+1])
			}
		}
		delete(events, cells[0])
	}
	if len(events) > 0 || seen < 90 {
		t.Errorf("docs/promises.md lacks %d events; %d transitions", len(events), seen)
	}
}

// A book has the expected ends of a Loan's arenas, by the rules in the comment of Loan.
type book struct {
	over, kept, left, marked, lent bool
	handlers, work                 int
	gets, puts, freed              int
}

func (b *book) gone() bool { return b.over && b.handlers+b.work == 0 }

// ask models a use of the arena.
func (b *book) ask() {
	if !b.lent && !b.left {
		b.lent = true
		b.gets++
	}
}

// check ends the life if the arena has no holder.
func (b *book) check(sends bool) {
	switch {
	case !b.gone() || b.left || !b.lent:
	case b.kept || sends:
		b.freed++
	default:
		b.puts++
	}
}

// TestLoanPrograms: in any order of a request's events, its arena is got, put back and freed at the right time.
func TestLoanPrograms(t *testing.T) {
	const length = 4
	begin := [][]int{{}, {0}, {0, 1}, {0, 3}, {7}, {7, 5}, {0, 1, 8}, {0, 3, 8}} // longer programs begin like this
	names := []string{"Arena", "Enter", "Leave", "Detach", "done", "Keep", "Abandon", "Next", "End", "send"}
	steps := []func(*life, *book){
		func(l *life, b *book) { l.Arena(); b.ask() },
		func(l *life, b *book) { l.Enter(); b.handlers++ },
		func(l *life, b *book) {
			if b.handlers > 0 {
				l.Leave()
				b.handlers--
				b.check(l.sends)
			}
		},
		func(l *life, b *book) { l.detach(); b.work++ },
		func(l *life, b *book) {
			if n := len(l.dones); n > 0 {
				l.dones[n-1]()
				l.dones = l.dones[:n-1]
				b.work--
				b.check(l.sends)
			}
		},
		func(l *life, b *book) { l.Keep(); b.kept = true },
		func(l *life, b *book) { l.Abandon(); b.left = true },
		func(l *life, b *book) {
			l.Next()
			if b.ask(); b.left || b.work > 0 {
				return
			}
			if b.marked && (b.kept || l.sends) {
				b.freed++
				b.gets++
				b.kept = b.kept && b.over
			}
			b.marked = true
		},
		func(l *life, b *book) {
			l.End()
			if !b.over {
				b.over = true
				b.kept = b.kept || b.handlers > 0
				b.check(l.sends)
			}
		},
		func(l *life, b *book) { l.sends = true },
	}
	for n := range len(begin) * pow(len(steps), length) {
		program := begin[n%len(begin)]
		for n /= len(begin); n > 0; n /= len(steps) {
			program = append(program[:len(program):len(program)], n%len(steps))
		}
		l, b := newLife(), &book{}
		for i, s := range program {
			if b.gone() {
				break
			}
			steps[s](l, b)
			got := l.pool.Stats()
			if got.Gets != b.gets || got.Puts != b.puts || got.Freed != b.freed || l.over && l.handlers+l.detached == 0 && !l.ended {
				var text []string
				for _, s := range program[:i+1] {
					text = append(text, names[s])
				}
				t.Fatalf("%s: %d got, %d put, %d freed, want %+v", strings.Join(text, ", "), got.Gets, got.Puts, got.Freed, b)
			}
		}
	}
}

func pow(x, n int) (p int) {
	for p = 1; n > 0; n-- {
		p *= x
	}
	return p
}

// TestLoanAtOnce: handlers, detached work and the request run at the same time, and each finds its own writes until it
// leaves. No arena is lost.
func TestLoanAtOnce(t *testing.T) {
	for round := range 200 {
		l := newLife()
		random := rand.New(rand.NewPCG(uint64(round), 0))
		var all sync.WaitGroup
		hold := func(leave func()) {
			defer leave()
			mine := map[*byte]byte{}
			for i := range byte(20) {
				l.Use(func(a *arena.Arena) { mine[arena.NewOf(a, i)] = i })
				for p, want := range mine {
					if *p != want {
						t.Errorf("it has %d, wrote %d", *p, want)
					}
				}
			}
		}
		for range 4 {
			if random.IntN(2) == 0 {
				l.Enter()
				all.Go(func() { hold(l.Leave) })
			} else {
				all.Go(func() { hold(l.Detach()) })
				runtime.Gosched()
			}
		}
		keep, left := random.IntN(4) == 0, random.IntN(4) == 0
		if keep {
			all.Go(func() { l.Keep() })
		}
		if left {
			all.Go(func() { l.Abandon() })
		}
		all.Go(func() {
			for range 10 { // other requests
				a := l.pool.GetKeyed("key")
				b := a.AllocBytes(1000)
				for i := range b {
					b[i] = 0xFF
				}
				l.pool.Put(a)
			}
		})
		all.Wait()
		l.End()
		s := l.pool.Stats()
		want := 0
		if left {
			want = s.Gets - 10 // none if Abandon came before anybody asked
		}
		if s.Live != want || keep && s.Puts > 10 || s.Gets != s.Puts+s.Freed+s.Live {
			t.Errorf("keep %t, left %t: %v", keep, left, s)
		}
	}
}

// TestLoanEndsAtOnce: the end of the request, the end of a handler, and uses of the arena at the same time.
func TestLoanEndsAtOnce(t *testing.T) {
	for range 500 {
		l := newLife()
		l.Arena()
		l.Enter()
		done := l.Detach()
		var all sync.WaitGroup
		for _, f := range []func(){l.Leave, done, done, l.End, l.End, l.Next, func() { l.Arena() }, func() { l.Keep() },
			func() {
				if done := l.Detach(); done != nil {
					done()
				}
			}} {
			all.Go(f)
		}
		all.Wait()
		if s := l.pool.Stats(); s.Live != 0 || s.Gets != s.Puts+s.Freed || l.Arena() != nil {
			t.Fatalf("%v", s)
		}
	}
}

// TestLoanOfMessages: in each kind of arena a message ends with the next one. Values before the first message stay, and
// so do messages after Keep.
func TestLoanOfMessages(t *testing.T) {
	for _, opts := range [][]arena.PoolOption{nil, {arena.WithNoScan()}, {arena.WithScrub()}} {
		l := newLife(opts...)
		first := arena.NewOf(l.Arena(), 1)
		sentinel, held := testkit.NewSentinel()
		l.Next()
		used := l.Arena().UsedBytes()
		var kept *[100]int
		for i := range 1000 {
			l.Next()
			p := arena.New[[100]int](l.Arena())
			if i == 0 {
				l.Arena().KeepAlive(sentinel)
				sentinel = nil
			}
			if p[0] = 2; i == 500 && len(opts) == 0 {
				kept = p
				l.Keep()
			}
			if i == 499 && *first != 1 && !l.Arena().SelfContained() {
				t.Error("what is older than the messages is gone")
			}
		}
		l.Next()
		if now := l.Arena().UsedBytes(); now > used+200 {
			t.Errorf("a stream has %d bytes after 1000 messages, %d before", now, used)
		}
		if !testkit.Dead(held) {
			t.Error("what a message has kept alive stays")
		}
		if kept != nil && kept[0] != 2 {
			t.Error("a kept message is gone")
		}
		l.End()
		if s := l.pool.Stats(); s.Live != 0 {
			t.Error(s)
		}
	}
}

// TestLoanOfFreed: a handler may free its arena.
func TestLoanOfFreed(t *testing.T) {
	l := newLife()
	l.Next()
	l.Arena().Free()
	for range 3 {
		l.Next()
		l.Arena().AllocBytes(1)
	}
	l.Arena().Free()
	l.End()
	if s := l.pool.Stats(); s.Gets != 2 || s.Freed != 2 || s.Live != 0 {
		t.Error(s)
	}
}

// TestLoanIsLate: work that begins too late gets nil, and an arena that others may use isn't accessed.
func TestLoanIsLate(t *testing.T) {
	for _, asked := range []bool{false, true} {
		for _, leave := range []bool{false, true} {
			l := newLife()
			if asked {
				l.Arena()
			}
			if l.sends = true; leave {
				l.Abandon()
			}
			l.End()
			if late := l.Detach() == nil; late != (asked && !leave) {
				t.Errorf("asked %t, left %t: too late: %t", asked, leave, late)
			}
			if kept := l.Keep(); kept != (asked && leave) {
				t.Errorf("asked %t, left %t: kept: %t", asked, leave, kept)
			}
			if l.looked != (asked && !leave) {
				t.Errorf("asked %t, left %t: Settle gets the arena: %t", asked, leave, l.looked)
			}
		}
	}
}

// TestLoanKey: a request without a key is of the Pool's main kind.
func TestLoanKey(t *testing.T) {
	for _, key := range []string{"", "key"} {
		l := newLife()
		l.key = key
		l.Arena()
		if keys := l.pool.Stats().Keys; len(keys) != len(key)/3 {
			t.Errorf("%q: %v", key, keys)
		}
	}
}

// TestLoanScrubs: an arena that erases freed memory is left to the GC while parts of it are being sent.
func TestLoanScrubs(t *testing.T) {
	l := newLife(arena.WithScrub())
	s := l.Arena().AllocString("header")
	l.sends = true
	l.End()
	if l.Arena() != nil || l.pool.Stats().Freed > 0 || strings.Clone(s) != "header" {
		t.Errorf("%q, %v", s, l.pool.Stats())
	}
	for end := time.Now().Add(30 * time.Second); l.pool.Stats().Lost == 0; runtime.GC() {
		if time.Now().After(end) {
			t.Fatal("the GC doesn't find it")
		}
	}
}

// TestLoanWithoutPool: the zero Loan and a nil pool are the Go heap.
func TestLoanWithoutPool(t *testing.T) {
	for _, start := range []bool{false, true} {
		var l Loan
		if start {
			l.Start(nil, &sender{})
		}
		l.Enter()
		done := l.Detach()
		l.Next()
		l.Use(func(a *arena.Arena) {
			if a != nil {
				t.Error(a)
			}
		})
		kept := l.Keep()
		l.Abandon()
		l.Leave()
		l.End()
		done()
		if l.Arena() != nil || kept || l.Keep() || l.Detach() == nil {
			t.Error(start, kept)
		}
	}
	defer func() {
		if v := fmt.Sprint(recover()); !strings.HasPrefix(v, "arenaext: Leave: ") {
			t.Error(v)
		}
	}()
	new(Loan).Leave()
}
