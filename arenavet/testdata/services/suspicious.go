package services

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"iter"
	"log/slog"
	"maps"
	"net/http"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/harena-go/arena"
)

// Right functions that look like wrong ones: of interfaces in fields, loggers, copies,
// callbacks, pools, sequences and panics.

type sink interface {
	Put(x *item)
	Drain() int
	Reset()
}

// pending keeps items until it is drained or emptied.
type pending struct{ items []*item }

func (p *pending) Put(x *item) { p.items = append(p.items, x) }
func (p *pending) Reset()      { p.items = nil }
func (p *pending) Drain() (n int) {
	for _, x := range p.items {
		n += x.n
	}
	p.items = nil
	return n
}

// sums keeps numbers, latest a copy.
type sums struct{ n int }

func (s *sums) Put(x *item) { s.n += x.n }
func (s *sums) Reset()      { s.n = 0 }
func (s *sums) Drain() int  { return s.n }

type latest struct {
	last item
	sku  string
	list []int
}

func (l *latest) Put(x *item) { l.sku, l.list = strings.Clone(x.sku), append(l.list, x.n) }
func (l *latest) Reset()      { *l = latest{} }
func (l *latest) Drain() int  { return len(l.list) }

type sinks struct {
	pool   *arena.Pool
	s      sink
	plain  sink
	chain  []sink
	on     func(x *item)
	log    *slog.Logger
	text   string
	names  []string
	counts map[string]int
	at     time.Time
	last   *item
}

func newSinks(pool *arena.Pool, w io.Writer) *sinks {
	s := &sinks{pool: pool, s: &pending{}, plain: &sums{}, log: slog.New(slog.NewTextHandler(w, nil))}
	s.chain = []sink{&sums{}, &latest{}}
	s.on = func(x *item) { s.counts[strconv.Itoa(x.n)]++ }
	return s
}

func (s *sinks) OKSinkReplaced() int {
	a := s.pool.Get()
	defer s.pool.Put(a)
	p := &pending{}
	s.s = p
	s.s.Put(arena.New[item](a))
	n := s.s.Drain()
	s.s = &sums{}
	return n
}
func (s *sinks) OKSinkPlain() {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.plain.Put(arena.New[item](a))
	for _, c := range s.chain {
		c.Put(arena.New[item](a))
	}
}
func (s *sinks) OKSinkLocal() int {
	a := s.pool.Get()
	defer s.pool.Put(a)
	list := []sink{&pending{}, &sums{}}
	n := 0
	for _, c := range list {
		c.Put(arena.New[item](a))
		n += c.Drain()
	}
	return n
}
func (s *sinks) OKSinkHeap(n int) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	tmp := arena.MakeSlice[int](a, n, n)
	s.s.Put(&item{n: len(tmp), sku: strings.Clone(a.Sprintf("%d", n))})
}
func (s *sinks) OKSinkCloned() {
	s.pool.Do(func(a *arena.Arena) error {
		s.s.Put(arena.DeepClone(arena.New[item](a)))
		return nil
	})
}
func OKSinkParam(pool *arena.Pool, to sink) {
	a := pool.Get()
	defer pool.Put(a)
	x := arena.New[item](a)
	to.Put(x)
	to.Reset()
}
func (s *sinks) each(to sink, a *arena.Arena) { to.Put(arena.New[item](a)) }
func (s *sinks) OKSinkPassed() int {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.each(s.plain, a)
	p := &pending{}
	s.each(p, a)
	return p.Drain()
}
func (s *sinks) OKField(x *item) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.on(arena.New[item](a))
}

// Embedded, so that nothing is kept.
type teed struct {
	sink
	n int
}

func (t *teed) Put(x *item) {
	t.n += x.n
	if t.sink != nil {
		t.sink.Put(x)
	}
}
func OKTeed(pool *arena.Pool) int {
	a := pool.Get()
	defer pool.Put(a)
	t := &teed{sink: &sums{}}
	t.Put(arena.New[item](a))
	return t.n
}

// Loggers.
func (s *sinks) OKLogText(name string, err error) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	l := s.log.With("req", a.AllocString(name)).WithGroup("g")
	l.Error("failed", "err", fmt.Errorf("%s: %w", a.AllocString(name), err), slog.Group("x", "y", a.AllocString(name)))
	l.Log(context.Background(), slog.LevelInfo, a.AllocString(name))
	s.log = s.log.With("name", strings.Clone(name))
}
func (s *sinks) OKLogContext(ctx context.Context, name string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	ctx = context.WithValue(ctx, "name", a.AllocString(name))
	s.log.InfoContext(ctx, "x", "name", ctx.Value("name"))
}
func OKLogArgs(pool *arena.Pool, log *slog.Logger, args ...any) {
	a := pool.Get()
	defer pool.Put(a)
	log.Info("x", args...)
	log.Info("x", append(args, "name", a.AllocString("y"))...)
	slog.New(slog.DiscardHandler).Info("x", "name", a.AllocString("y"))
}

// Copies.
func (s *sinks) OKJoinCopies(words []string, sep string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	list := arena.CopySlice(a, words)
	s.text = "x" + strings.Join(list, sep)
	s.text = strings.Clone(strings.Join(strings.Fields(a.AllocString(sep)), " "))
	s.text = fmt.Sprint(strings.Join(strings.Split(a.AllocString(sep), ","), " "))
	s.counts[strconv.Itoa(len(strings.Join(strings.Split(a.AllocString(sep), ","), " ")))]++
}
func (s *sinks) OKJoinTwo(x, y string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	parts := arena.MakeSlice[string](a, 0, 4)
	parts = arena.Append(a, parts, a.AllocString(x), a.AllocString(y))
	s.text = strings.Join(parts, "-")
}
func (s *sinks) OKJoinSeveral(text string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	words := strings.Fields(a.AllocString(text))
	switch {
	case len(words) > 1:
		s.text = strings.Join(words, " ")
	case len(words) == 1:
		s.text = strings.Clone(words[0])
	}
}
func (s *sinks) OKEscapes(text string) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	s.text = strings.Clone(html.EscapeString(a.AllocString(text)))
	s.at = time.Now().In(time.FixedZone(strings.Clone(a.AllocString(text)), 60))
	at, _ := time.ParseInLocation(time.DateOnly, a.AllocString(text), time.UTC)
	s.at = at
	s.text = at.Format(a.AllocString(text))
}
func (s *sinks) OKZoneWithin(name string) (int, error) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	loc, err := time.LoadLocation(a.AllocString(name))
	if err != nil {
		return 0, errors.New("no zone " + name)
	}
	return time.Now().In(loc).Hour(), nil
}
func (s *sinks) OKCloneOut() {
	a := s.pool.Get()
	defer s.pool.Put(a)
	x := arena.New[item](a)
	x.next = arena.New[item](a)
	s.last = arena.CloneOut(a, x)
}

// Callbacks.
func (s *sinks) OKSorted(n int) {
	a := s.pool.Get()
	defer s.pool.Put(a)
	list := arena.MakeSlice[*item](a, 0, n)
	for range n {
		list = arena.Append(a, list, arena.New[item](a))
	}
	slices.SortFunc(list, func(x, y *item) int { return cmp.Compare(x.n, y.n) })
	if k := slices.IndexFunc(list, func(x *item) bool { return x.sku == s.text }); k >= 0 {
		s.text = strings.Clone(list[k].sku)
	}
	list = slices.DeleteFunc(list, func(x *item) bool {
		s.counts[strings.Clone(x.sku)]++
		return x.n == 0
	})
	sort.Slice(list, func(i, j int) bool { return list[i].n < list[j].n })
	byName := map[string]*item{}
	maps.DeleteFunc(byName, func(_ string, x *item) bool { return x.n > 0 })
}
func (s *sinks) OKMax(n int) int {
	a := s.pool.Get()
	defer s.pool.Put(a)
	list := arena.MakeSlice[*item](a, n, n)
	var best *item
	slices.ContainsFunc(list, func(x *item) bool {
		if best == nil || x.n > best.n {
			best = x
		}
		return false
	})
	return best.n
}

// Sequences.
func OKFreshSum(a *arena.Arena) (n int) {
	seen := map[int]bool{}
	var names []string
	for x := range fresh(a, 3) {
		if !seen[x.n] {
			seen[x.n] = true
			names = append(names, strings.Clone(x.sku))
		}
		n += x.n
	}
	for _, name := range names {
		n += len(name)
	}
	return n
}
func OKFreshInner(a *arena.Arena) (n int) {
	for x := range fresh(a, 3) {
		var tags []*item
		tags = append(tags, x, x.next)
		for _, t := range tags {
			n += t.n
		}
	}
	return n
}

// once allocates in the arena and resets it before the first row only.
func once(a *arena.Arena, n int) iter.Seq[*item] {
	return func(yield func(*item) bool) {
		a.Reset()
		for range n {
			if !yield(arena.New[item](a)) {
				return
			}
		}
	}
}
func OKOnceCollected(a *arena.Arena) (n int) {
	list := slices.Collect(once(a, 3))
	for _, x := range list {
		n += x.n
	}
	return n
}

// Pools.
type pooled2 struct{ read, write *arena.Pool }

func (p *pooled2) OKTwoPools() {
	r, w := p.read.Get(), p.write.Get()
	defer p.read.Put(r)
	defer p.write.Put(w)
	r.AllocString("x")
	w.AllocString("x")
}
func (p *pooled2) pick(big bool) *arena.Pool {
	if big {
		return p.write
	}
	return p.read
}
func (p *pooled2) OKPicked(big bool) {
	pool := p.pick(big)
	a := pool.Get()
	defer pool.Put(a)
	a.AllocString("x")
}
func (p *pooled2) get(big bool) *arena.Arena { return p.pick(big).Get() }
func (p *pooled2) OKPickedTwice(big bool) {
	a := p.get(big)
	defer p.pick(big).Put(a)
	a.AllocString("x")
}
func (p *pooled2) OKSwapped() {
	p.read, p.write = p.write, p.read
	a := p.read.Get()
	defer p.read.Put(a)
}

// Flights.
func (f *flights) OKFlightNumbers(key string) (n int) {
	a := f.pool.Get()
	defer f.pool.Put(a)
	f.do(key, func() *item {
		x := arena.New[item](a)
		return &item{n: x.n}
	})
	return n
}

type job struct {
	done chan struct{}
	in   *item
	out  int
}
type jobQueue struct {
	mu   sync.Mutex
	jobs map[int]*job
	pool *arena.Pool
}

func (q *jobQueue) OKJobWaited(id int) int {
	a := q.pool.Get()
	defer q.pool.Put(a)
	j := &job{done: make(chan struct{})}
	j.in = arena.New[item](a)
	q.mu.Lock()
	q.jobs[id] = j
	q.mu.Unlock()
	<-j.done
	q.mu.Lock()
	delete(q.jobs, id)
	q.mu.Unlock()
	return j.out
}

// Panics.
func (g *guarded) OKAbortConverted(path string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	return g.pool.Do(func(a *arena.Arena) error {
		if len(a.AllocString(path)) == 0 {
			panic("empty " + path)
		}
		return nil
	})
}
func mustItem(x *item, err error) *item {
	if err != nil {
		panic(err)
	}
	return x
}
func (g *guarded) OKMust(path string) (n int) {
	g.pool.Do(func(a *arena.Arena) error {
		n = mustItem(arena.New[item](a), nil).n
		return nil
	})
	return n
}

// Handlers through interfaces.
type routes struct {
	pool  *arena.Pool
	inner http.Handler
	byKey map[string]http.Handler
}
type echoes struct{ n int }

func (e *echoes) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.n++
	io.WriteString(w, r.URL.Path)
}
func newRoutes(pool *arena.Pool) *routes {
	return &routes{pool, &echoes{}, map[string]http.Handler{"x": &echoes{}}}
}
func (x *routes) OKServe(w http.ResponseWriter, r *http.Request) {
	a := x.pool.Get()
	defer x.pool.Put(a)
	r = r.WithContext(arena.NewContext(r.Context(), a))
	x.inner.ServeHTTP(w, r.WithContext(context.Background()))
}
