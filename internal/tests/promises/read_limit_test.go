package promises_test

import (
	"bytes"
	"io"
	"runtime"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// This file tests ReadAll near a limit.

// bodies calls f with a new arena for each kind of limit, and with options that make
// a difference to where bytes go.
func bodies(t *testing.T, limit int, f func(name string, a *arena.Arena)) {
	t.Helper()
	for kind, opts := range map[string][]arena.Option{"default": nil, "self-contained": {arena.WithNoScan()}, "scrub": {arena.WithScrub()},
		"checked": arenakit.Checked(arena.CheckResets), "checked objects": arenakit.Checked(arena.CheckObjects)} {
		f(kind, arena.NewArena(append(opts, arena.WithLimit(limit))...))
		f(kind+", child", arena.NewArena(append(opts, arena.WithLimit(limit))...).Child())
		limited(t, limit, func(name string, a *arena.Arena) { f(kind+", "+name, a) }, opts...)
	}
}

// A counter counts the bytes read.
type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += n
	return n, err
}

// TestReadAllUpToTheLimit: a body of 95% of the limit fits, at any announced size that fits itself or isn't believed.
// One that is larger than the limit fails, and not much more of it is read; nothing, if that was announced and is
// believed.
func TestReadAllUpToTheLimit(t *testing.T) {
	limits := []int{2000, 20_000, 1<<20 + 40_000, 1 << 20}
	if testing.Short() || testkit.Sanitized {
		limits = limits[:3]
	}
	for _, limit := range limits {
		large := bytes.Repeat([]byte("body"), limit/2)
		for _, part := range []int{50, 60, 95} {
			body := large[:limit*part/100]
			for _, announced := range []int64{-1, int64(len(body)), int64(len(body) / 2), 1 << 40} {
				bodies(t, limit, func(name string, a *arena.Arena) {
					var got []byte
					var err error
					if e := limitOf(t, func() { got, err = a.ReadAll(bytes.NewReader(body), announced) }); e != nil || err != nil || !bytes.Equal(got, body) {
						t.Errorf("%s: %d bytes, %d announced, of %d: %d bytes, %v, %v", name, len(body), announced, limit, len(got), e, err)
					}
				})
			}
		}
		for _, announced := range []int64{-1, int64(limit / 2), int64(len(large))} {
			bodies(t, limit, func(name string, a *arena.Arena) {
				c := &counter{r: bytes.NewReader(large)}
				e := limitOf(t, func() { a.ReadAll(c, announced) })
				most := limit + 64<<10
				if int64(limit) < announced && announced <= 1<<20 {
					most = 0
				}
				if e == nil || e.Limit != limit || e.Asked < limit*9/10 || c.n > most {
					t.Errorf("%s: %d bytes, %d announced, of %d: %#v, %d bytes read", name, len(large), announced, limit, e, c.n)
				}
				if e := limitOf(t, func() { a.AllocBytes(limit * 9 / 10) }); e != nil {
					t.Errorf("%s: afterwards: %v", name, e)
				}
			})
		}
	}
}

// TestReadAllTakesWhatItReads and no more, if nothing comes between.
func TestReadAllTakesWhatItReads(t *testing.T) {
	body := bytes.Repeat([]byte{7}, 100_000)
	for _, n := range []int{1, 511, 512, 5000, 70_000, 100_000} {
		for _, announced := range []int64{-1, int64(n), int64(n / 2), 1 << 40} {
			a := arena.NewArena()
			if b, err := a.ReadAll(bytes.NewReader(body[:n]), announced); len(b) != n || err != nil || a.UsedBytes() != n {
				t.Errorf("%d bytes, %d announced: %d, %v, %d used", n, announced, len(b), err, a.UsedBytes())
			}
		}
	}
}

// TestReadAllLeavesOthersAlone: the block of the announced size isn't reclaimed where the
// reader has allocated something else meanwhile, or has set a mark.
func TestReadAllLeavesOthersAlone(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789"), 20_000)
	for name, meanwhile := range map[string]func(a *arena.Arena) (b []byte, m arena.Mark){
		"nothing": func(a *arena.Arena) (b []byte, m arena.Mark) { return },
		"value":   func(a *arena.Arena) (b []byte, m arena.Mark) { return arena.New[[8]byte](a)[:], m },
		"slice":   func(a *arena.Arena) (b []byte, m arena.Mark) { return a.AllocBytes(100), m },
		"large":   func(a *arena.Arena) (b []byte, m arena.Mark) { return a.AllocBytes(100_000), m },
		"child":   func(a *arena.Arena) (b []byte, m arena.Mark) { return a.Child().AllocBytes(100), m },
		"mark":    func(a *arena.Arena) (b []byte, m arena.Mark) { return nil, a.Mark() },
		"rewind": func(a *arena.Arena) (b []byte, m arena.Mark) {
			m = a.Mark()
			a.AllocBytes(500)
			a.Rewind(m)
			return nil, m
		},
	} {
		for kind, make := range arenakit.Kinds {
			for _, announced := range []int64{0, 100, 3000, 50_000} {
				a := make()
				if a == nil {
					continue
				}
				var other []byte
				var m arena.Mark
				used := 0
				r := io.MultiReader(bytes.NewReader(body[:announced]), readerFunc(func([]byte) (int, error) {
					other, m = meanwhile(a)
					fillBytes(other, 0xEE)
					used = a.UsedBytes()
					return 0, io.EOF
				}), bytes.NewReader(body[announced:]))
				got, err := a.ReadAll(r, announced)
				fillBytes(a.AllocBytes(100), 0xDD)
				fillBytes(arena.New[[8]byte](a)[:], 0xDD)
				if err != nil || !bytes.Equal(got, body) || bytes.Count(other, []byte{0xEE}) != len(other) {
					t.Fatalf("%s, %s, %d announced: %d bytes, %v; other bytes % x", kind, name, announced, len(got), err, other[:min(len(other), 20)])
				}
				if m != (arena.Mark{}) {
					if a.Rewind(m); a.UsedBytes() != used {
						t.Errorf("%s, %s, %d announced: %d bytes used after Rewind, %d at the mark", kind, name, announced, a.UsedBytes(), used)
					}
				}
				if err := arenakit.CheckBooks(a); err != nil {
					t.Errorf("%s, %s, %d announced: %v", kind, name, announced, err)
				}
			}
		}
	}
}

type readerFunc func(b []byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

func fillBytes(b []byte, with byte) {
	for i := range b {
		b[i] = with
	}
}

// TestReadAllCountsWhileItReads: bytes read so far count towards the limit of a Pool, and no more once the reader has
// panicked.
func TestReadAllCountsWhileItReads(t *testing.T) {
	const limit = 1 << 20
	p := arena.NewPool(arena.WithReuse(), arena.WithPoolLimit(limit))
	a, b := p.Get(), p.Get()
	e := limitOf(t, func() {
		half := bytes.NewReader(make([]byte, limit/2))
		a.ReadAll(io.MultiReader(half, readerFunc(func([]byte) (int, error) { b.AllocBytes(limit * 3 / 4); return 0, io.EOF })), -1)
	})
	if e == nil || e.Used < limit*2/5 {
		t.Errorf("another arena gets three quarters while one has read half: %v", e)
	}
	if e := limitOf(t, func() { b.AllocBytes(limit * 9 / 10) }); e != nil {
		t.Errorf("after the panic: %v", e)
	}
	if err := arenakit.CheckPoolBooks(p); err != nil {
		t.Error(err)
	}
}

// TestReadAllTellsItsOwnLimitFirst: a body that never fits into its arena isn't said to
// lack the memory that others have.
func TestReadAllTellsItsOwnLimitFirst(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithLimit(200_000), arena.WithPoolLimit(250_000))
	other := p.Get()
	other.AllocBytes(150_000)
	for _, c := range []struct {
		size  int64
		total bool
	}{{210_000, false}, {190_000, true}} {
		if e := limitOf(t, func() { p.Get().ReadAll(bytes.NewReader(make([]byte, c.size)), c.size) }); e == nil || e.Total != c.total {
			t.Errorf("%d bytes: %#v", c.size, e)
		}
	}
	runtime.KeepAlive(other) // or the collector finds that it is lost, and its memory free
}
