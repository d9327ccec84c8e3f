// Package tenants tests servers that lend arenas to requests. Two tenants ask for work at once. They fill their memory
// with their names, check that it still has them, and must get answers without the other's name, however their requests
// end: by an error, a panic, a limit, a deadline, a client or a connection that is gone at any moment, or goroutines
// that go on. The test defines the server, and the ends of its requests.
//
// Half of the requests have arenas that are erased as soon as they are back, which exposes late
// reads. With the race detector no two requests may touch the same memory. HARENA_TENANTS is the
// number of requests: 1000000 take minutes.
package tenants

import (
	"bytes"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// names are the tenants' names. Their lengths differ, so that remains of one are no text
// of the other.
var names = [...]string{"alice", "bob"}

// An Office serves tenants: a test's server has one.
type Office struct {
	*testing.T
	Erased  bool         // arenas are erased as soon as they are back
	Late    Late         // work that goes on after an answer
	Answers atomic.Int64 // right ones
	Cut     atomic.Int64 // requests without one, since their client or connection was gone
	pool    *arena.Pool
	visits  int
}

// Test calls serve with an office and its pool, once with arenas that are kept as they
// are, and once with arenas that are erased when they are back.
func Test(t *testing.T, serve func(o *Office, pool *arena.Pool)) {
	n := 4000
	if testing.Short() {
		n = 1000
	}
	if s := os.Getenv("HARENA_TENANTS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	run := func(erased bool, opts ...arena.PoolOption) func(t *testing.T) {
		return func(t *testing.T) {
			opts := append(opts, arena.WithName("tenants"), arena.WithLimit(256<<10), arena.WithChunkSize(1024))
			pool := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, opts...)...)
			serve(&Office{T: t, Erased: erased, pool: pool, visits: n / 2}, pool)
		}
	}
	testkit.Run(t, "Kept", run(false))
	testkit.Run(t, "Erased", run(true, arena.WithScrub()))
}

// A Late counts work that goes on after an answer. Unlike a sync.WaitGroup it may be added to while
// somebody waits: the handler of a connection that was cut begins and ends at any time.
type Late struct{ n atomic.Int64 }

// Add adds n.
func (l *Late) Add(n int) { l.n.Add(int64(n)) }

// Done ends one.
func (l *Late) Done() { l.n.Add(-1) }

// Go runs f in a goroutine that counts.
func (l *Late) Go(f func()) {
	l.Add(1)
	go func() {
		defer l.Done()
		f()
	}()
}

// Wait waits until there are none.
func (l *Late) Wait() {
	for l.n.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
}

// Open makes eight clients visit the office, each with its own r, and waits for them. On a slow machine more requests
// are cut than answered: then there are more visits.
func (o *Office) Open(visit func(r *rand.Rand, who string)) {
	var left atomic.Int64
	left.Store(int64(o.visits))
	var clients sync.WaitGroup
	for i := range 8 {
		clients.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 7))
			for left.Add(-1) >= 0 || !o.enough() && left.Load() > -20*int64(o.visits) {
				visit(r, names[r.IntN(len(names))])
			}
		})
	}
	clients.Wait()
}

// Close waits for late work, and fails the test if too little has happened.
func (o *Office) Close() {
	o.Late.Wait()
	o.Logf("%d visits: %d right answers, %d cut; %v", o.visits, o.Answers.Load(), o.Cut.Load(), o.pool.Stats())
	if !o.enough() {
		o.Error("not enough of each kind has happened")
	}
}

// enough reports whether enough of each kind has happened. One visit in a hundred, at least, has to
// be cut.
func (o *Office) enough() bool {
	n, s := o.visits, o.pool.Stats()
	return o.Answers.Load() >= int64(n/3) && o.Cut.Load() >= int64(n/100) && s.Puts >= n/4 && s.Freed > 0
}

// other is the other tenant.
func other(who string) string {
	if who == names[0] {
		return names[1]
	}
	return names[0]
}

// Names are n times a name, in an arena or on the heap.
func Names(a *arena.Arena, who string, n int) []byte {
	b := a.AllocBytesUninit(n * len(who))
	for i := range b {
		b[i] = who[i%len(who)]
	}
	return b
}

// Work fills memory with the tenant's name, and looks at all of it some time later. It returns
// 400 names.
func (o *Office) Work(a *arena.Arena, who string) []byte {
	type note struct {
		name  string
		pages [][]byte
		next  *note
	}
	var notes *note
	for i := range 4 {
		n := arena.NewOf(a, note{name: a.AllocString(who), next: notes})
		n.pages = arena.Append(a, n.pages, Names(a, who, 100*(i+1)))
		notes = n
		if i == 1 {
			time.Sleep(time.Duration(rand.IntN(50)) * time.Microsecond)
		}
	}
	for n := notes; n != nil; n = n.next {
		if n.name != who {
			o.Errorf("%s finds %q", who, n.name)
		}
		o.Check(who, "a page", n.pages[0])
	}
	return notes.pages[0]
}

// Check looks whether a text consists of a name, over and over. If not it reports how much of it
// is zero, and whether it still is: that distinguishes erased memory from memory that was never
// written.
func (o *Office) Check(who, where string, text []byte) {
	for i := range text {
		if text[i] != who[i%len(who)] {
			found := bytes.Clone(text)
			time.Sleep(time.Millisecond)
			o.Errorf("%s finds %q at %d of %d bytes in %s; %d bytes are 0; it has changed since: %t", who,
				found[max(0, i-10):min(len(text), i+20)], i, len(text), where,
				bytes.Count(found, []byte{0}), !bytes.Equal(found, text))
			return
		}
	}
}
