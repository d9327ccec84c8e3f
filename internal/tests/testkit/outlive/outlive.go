// Package outlive tests the fate of the arenas of requests that end while something still uses their memory, and checks
// the table in docs/promises.md against that.
package outlive

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A Request is a request that something outlives.
type Request struct {
	*testing.T
	Pool *arena.Pool
	Held chan struct{} // closed when Hold was called

	outer    string
	misuse   bool
	mayPanic bool // allocating may, since the arena has ended
	goOn     chan struct{}
	done     chan struct{}
}

// Outer is called by a layer around the code that outlives the request. Hold reads its allocation.
func (r *Request) Outer(a *arena.Arena) {
	r.outer = a.AllocString(", and a text of the layer around it")
}

// Hold is called by the code that outlives the request. It returns when the request has ended and others have used the
// pool. read must return the same as before then, and allocate, which may be nil, must work, unless the package doesn't
// know about that code.
func (r *Request) Hold(read func() string, allocate func() *arena.Arena) {
	defer close(r.done)
	inner := read
	read = func() string { return inner() + r.outer }
	want := strings.Clone(read())
	close(r.Held)
	<-r.goOn
	if r.misuse {
		runtime.KeepAlive(read)
		return
	}
	if got := read(); got != want {
		r.Errorf("it reads %.60q instead of %.60q", got, want)
	}
	if r.mayPanic && !testkit.Reuses {
		allocate = nil // for the race detector, allocating at the same time as Put is a data race, as it should be
	}
	if allocate != nil {
		if r.mayPanic {
			defer func() {
				if v := recover(); v != nil && !strings.HasPrefix(fmt.Sprint(v), "arena: ") {
					r.Errorf("allocating panics with %v", v)
				}
			}()
		}
		if s := allocate().Sprintf("%s", want); s != want {
			r.Errorf("it allocates %.60q instead of %.60q", s, want)
		}
	}
}

// Test begins a request for each way to outlive it, which is a row of the table. A way returns when the client has its
// answer, has gone, or has sent everything. The arena must end as the table says in that row and column; "-" means that
// the case can't occur. Values must stay valid in a Pool without reuse.
func Test(t *testing.T, column string, ways map[string]func(*Request)) {
	rows, valid := table(t, column), table(t, "without reuse")
	for way := range ways {
		if rows[way] == "" {
			t.Errorf("docs/promises.md has no row %q with a column %q", way, column)
		}
	}
	for way, want := range rows {
		begin := ways[way]
		if (begin == nil) != (want == "-") {
			t.Errorf("docs/promises.md says %q of %q; there is a test: %t", want, way, begin != nil)
		}
		if begin == nil {
			continue
		}
		t.Run(way, func(t *testing.T) { withReuse(t, begin, want) })
		t.Run(way+", without reuse", func(t *testing.T) { withoutReuse(t, begin, valid[way], want == "reported") })
	}
}

// withReuse checks the end of the arena in a Pool that reuses memory.
func withReuse(t *testing.T, begin func(*Request), want string) {
	var reports atomic.Int32
	opts := []arena.PoolOption{arena.WithReuse(), arena.OnEscape(func(arena.Escape) { reports.Add(1) })}
	misuse := want == "reported"
	if misuse {
		opts = append(opts, arena.WithCheckRate(1))
	}
	r := newRequest(t, opts...)
	r.misuse = misuse
	begin(r)
	<-r.Held
	used := 0
	if misuse {
		waitFor(t, "a report", func() bool { arena.FindEscapes(); return reports.Load() > 0 })
	} else {
		used = others(r.Pool)
	}
	s := r.end()
	got := map[[4]int]string{
		{1, 0, 0, 0}: "put back", {0, 1, 0, 0}: "freed", {0, 0, 1, 0}: "left", {1, 0, 0, 1}: "reported",
	}[[4]int{
		s.Puts - used, s.Freed, s.Lost, min(1, int(reports.Load()))}]
	if got != want {
		t.Errorf("the arena is %q, docs/promises.md says %q; %v, %d reports", got, want, s, reports.Load())
	}
}

// withoutReuse checks that the values stay valid in a Pool that doesn't.
func withoutReuse(t *testing.T, begin func(*Request), want string, mayPanic bool) {
	if want != "valid" {
		t.Errorf("docs/promises.md says %q, not that the values stay valid", want)
	}
	r := newRequest(t)
	r.mayPanic = mayPanic
	begin(r)
	<-r.Held
	others(r.Pool)
	r.end()
}

func newRequest(t *testing.T, opts ...arena.PoolOption) *Request {
	return &Request{T: t, Pool: arena.NewPool(opts...),
		Held: make(chan struct{}), goOn: make(chan struct{}), done: make(chan struct{})}
}

// end makes the code that outlives the request go on, and returns the statistics when no arena is lent any more.
func (r *Request) end() (s arena.PoolStats) {
	close(r.goOn)
	<-r.done
	waitFor(r.T, "the end of the arena", func() bool {
		runtime.GC()
		s = r.Pool.Stats()
		return s.Live == 0 && s.Puts+s.Freed+s.Lost == s.Gets
	})
	return s
}

// others uses the pool's arenas, as other requests would, and returns how many.
func others(p *arena.Pool) (used int) {
	keys := []string{""}
	for k := range p.Stats().Keys {
		keys = append(keys, k)
	}
	for range 20 {
		var all []*arena.Arena
		for _, k := range keys {
			for range 3 {
				a := p.GetKeyed(k)
				for range 20 {
					b := a.AllocBytesUninit(200)
					for i := range b {
						b[i] = '#'
					}
				}
				all = append(all, a)
			}
		}
		for _, a := range all {
			p.Put(a)
		}
		used += len(all)
	}
	return used
}

func waitFor(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("waited for %s", what)
		}
	}
}

// table returns a column of the table, by row.
func table(t *testing.T, column string) map[string]string {
	_, file, _, _ := runtime.Caller(0)
	page, err := os.ReadFile(filepath.Join(filepath.Dir(file), "..", "..", "..", "..", "docs", "promises.md"))
	if err != nil {
		t.Fatal(err)
	}
	rows, at := map[string]string{}, 0
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			at = 0
		case at > 0 && !strings.HasPrefix(line, "|--"):
			rows[cells[0]] = cells[at]
		case cells[0] == "what outlives the request":
			for i, c := range cells {
				if c == column {
					at = i
				}
			}
		}
	}
	if len(rows) == 0 {
		t.Fatalf("docs/promises.md has no column %q", column)
	}
	return rows
}
