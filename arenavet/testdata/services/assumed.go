package services

import (
	"context"
	"io"
	"log/slog"
	"strings"

	"github.com/harena-go/arena"
)

// What the interfaces in fields hold is known of where the package fills them: passes over a
// tree, sinks, handlers of package slog behind their loggers.

type pass interface{ Enter(n *tree) pass }

type tree struct {
	name string
	kids []*tree
}

type keepsNames struct{ names []string }

func (k *keepsNames) Enter(n *tree) pass {
	k.names = append(k.names, n.name)
	return k
}

type copiesNames struct{ names []string }

func (c *copiesNames) Enter(n *tree) pass {
	c.names = append(c.names, strings.Clone(n.name))
	return c
}

type countsNodes struct{ n int }

func (c *countsNodes) Enter(*tree) pass {
	c.n++
	return c
}

func descend(p pass, n *tree) {
	if p = p.Enter(n); p == nil {
		return
	}
	for _, k := range n.kids {
		descend(p, k)
	}
}

func grown(a *arena.Arena, name string) *tree {
	k := arena.New[tree](a)
	k.name = a.AllocString(name)
	t := arena.New[tree](a)
	t.kids = arena.Append(a, t.kids, k)
	return t
}

type passes struct {
	pool     *arena.Pool
	list     []pass
	byName   map[string]pass
	one      pass
	harmless []pass
	copies   pass
}

func newPasses(pool *arena.Pool) *passes {
	p := &passes{pool: pool, list: []pass{&countsNodes{}, &keepsNames{}}, byName: map[string]pass{}, one: defaultPass()}
	p.byName["names"] = &keepsNames{}
	p.harmless = append(p.harmless, &countsNodes{})
	p.copies = &copiesNames{}
	return p
}

func defaultPass() pass { return &keepsNames{} }

func (p *passes) BadPasses(name string) {
	a := p.pool.Get()
	defer p.pool.Put(a)
	t := grown(a, name)
	for _, q := range p.list {
		descend(q, t)
	}
}
func (p *passes) BadPassByName(name string) {
	a := p.pool.Get()
	defer p.pool.Put(a)
	descend(p.byName[name], grown(a, name))
}
func (p *passes) BadPassField(name string) {
	p.pool.Do(func(a *arena.Arena) error {
		n := arena.New[tree](a)
		n.name = a.AllocString(name)
		p.one.Enter(n)
		return nil
	})
}
func (p *passes) enter(n *tree) { p.one.Enter(n) }
func (p *passes) BadPassHelper(name string) {
	a := p.pool.Get()
	defer p.pool.Put(a)
	n := arena.NewOf(a, tree{name: a.AllocString(name)})
	p.enter(n)
}
func (p *passes) OKPasses(name string) {
	a := p.pool.Get()
	defer p.pool.Put(a)
	t := grown(a, name)
	for _, q := range p.harmless {
		descend(q, t)
	}
	descend(p.copies, t)
}

// What is in the field is known better here than of the field.
func (p *passes) OKPassSet(name string, c *countsNodes) {
	a := p.pool.Get()
	defer p.pool.Put(a)
	p.one = c
	n := arena.NewOf(a, tree{name: a.AllocString(name)})
	p.one.Enter(n)
	p.enter(n)
}
func OKPassGiven(pool *arena.Pool, name string, c *countsNodes) {
	a := pool.Get()
	defer pool.Put(a)
	p := &passes{one: c}
	p.enter(arena.NewOf(a, tree{name: a.AllocString(name)}))
	descend(c, grown(a, name))
}

// A pass that is taken out of its field again.
func (p *passes) OKPassDropped(name string) {
	a := p.pool.Get()
	defer p.pool.Put(a)
	p.one = &keepsNames{}
	p.one.Enter(arena.NewOf(a, tree{name: a.AllocString(name)}))
	p.one = nil
}
func OKPassLocal(pool *arena.Pool, name string) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	p := defaultPass()
	descend(p, grown(a, name))
	return len(name)
}

// A handler that keeps records, one that writes them at once, and one that keeps what each
// derived logger has.
type keepsRecords struct{ last []slog.Record }

func (r *keepsRecords) Enabled(context.Context, slog.Level) bool { return true }
func (r *keepsRecords) WithAttrs([]slog.Attr) slog.Handler       { return r }
func (r *keepsRecords) WithGroup(string) slog.Handler            { return r }
func (r *keepsRecords) Handle(_ context.Context, x slog.Record) error {
	r.last = append(r.last, x)
	return nil
}

type tail struct {
	values []string
	counts map[string]int
	q      chan slog.Record
}

func (t *tail) Enabled(context.Context, slog.Level) bool { return true }
func (t *tail) WithAttrs([]slog.Attr) slog.Handler       { return t }
func (t *tail) WithGroup(string) slog.Handler            { return t }
func (t *tail) Handle(_ context.Context, x slog.Record) error {
	x.Attrs(func(a slog.Attr) bool {
		t.values = append(t.values, a.Value.String())
		return true
	})
	return nil
}

type queued struct{ q chan slog.Record }

func (q *queued) Enabled(context.Context, slog.Level) bool { return true }
func (q *queued) WithAttrs([]slog.Attr) slog.Handler       { return q }
func (q *queued) WithGroup(string) slog.Handler            { return q }
func (q *queued) Handle(_ context.Context, x slog.Record) error {
	q.q <- x.Clone()
	return nil
}

type counts struct{ n map[string]int }

func (c *counts) Enabled(context.Context, slog.Level) bool { return true }
func (c *counts) WithAttrs([]slog.Attr) slog.Handler       { return c }
func (c *counts) WithGroup(string) slog.Handler            { return c }
func (c *counts) Handle(_ context.Context, x slog.Record) error {
	x.Attrs(func(a slog.Attr) bool {
		c.n[a.Key]++
		return true
	})
	c.n[x.Message]++
	return nil
}

type withAttrs struct {
	attrs []slog.Attr
	out   io.Writer
}

func (w *withAttrs) Enabled(context.Context, slog.Level) bool      { return true }
func (w *withAttrs) Handle(_ context.Context, x slog.Record) error { return nil }
func (w *withAttrs) WithGroup(string) slog.Handler                 { return w }
func (w *withAttrs) WithAttrs(as []slog.Attr) slog.Handler {
	return &withAttrs{append(w.attrs[:len(w.attrs):len(w.attrs)], as...), w.out}
}

// One that passes on to another what it is given.
type stamps struct{ slog.Handler }

func (s *stamps) Handle(ctx context.Context, x slog.Record) error {
	x.AddAttrs(slog.String("host", "h1"))
	return s.Handler.Handle(ctx, x)
}

type logged struct {
	pool                                            *arena.Pool
	ring, tail, queue, count, with, text, thru, std *slog.Logger
	own                                             *slog.Logger
}

func newLogged(pool *arena.Pool, w io.Writer) *logged {
	return &logged{pool: pool, ring: slog.New(&keepsRecords{}), tail: slog.New(&tail{}), queue: slog.New(&queued{}), count: slog.New(&counts{}),
		with: slog.New(&withAttrs{out: w}), text: slog.New(slog.NewTextHandler(w, nil)), thru: slog.New(&stamps{&keepsRecords{}}), std: slog.New(&stamps{slog.NewJSONHandler(w, nil)})}
}

func (l *logged) BadRing(name string) {
	a := l.pool.Get()
	defer l.pool.Put(a)
	l.ring.Info("hello", "name", a.AllocString(name))
}
func (l *logged) BadRingMessage(name string) {
	a := l.pool.Get()
	defer l.pool.Put(a)
	l.ring.WarnContext(context.Background(), a.Sprintf("hello %s", name))
}
func (l *logged) BadRingAttrs(name string) {
	a := l.pool.Get()
	defer l.pool.Put(a)
	l.ring.LogAttrs(context.Background(), slog.LevelInfo, "hello", slog.Int("n", 1), slog.String("name", a.AllocString(name)))
}
func (l *logged) BadRingDerived(name string) {
	a := l.pool.Get()
	defer l.pool.Put(a)
	l.ring.With("n", 1).Error("hello", slog.String("name", a.AllocString(name)))
}
func (l *logged) note(msg string, name string) { l.ring.Info(msg, "name", name) }
func (l *logged) BadRingHelper(name string) {
	a := l.pool.Get()
	defer l.pool.Put(a)
	l.note("hello", a.AllocString(name))
}
func (l *logged) BadTail(name string) {
	a := l.pool.Get()
	defer l.pool.Put(a)
	l.tail.Info("hello", "name", a.AllocString(name))
}
func (l *logged) BadQueue(name string) {
	a := l.pool.Get()
	defer l.pool.Put(a)
	l.queue.Info("hello", "name", a.AllocString(name))
}
func (l *logged) BadCounts(name string) {
	a := l.pool.Get()
	defer l.pool.Put(a)
	l.count.Info("hello", a.AllocString(name), 1)
}
func (l *logged) BadThrough(name string) {
	a := l.pool.Get()
	defer l.pool.Put(a)
	l.thru.Info("hello", "name", a.AllocString(name))
}
func (l *logged) BadWith(name string) {
	a := l.pool.Get()
	defer l.pool.Put(a)
	l.own = l.with.With("version", 1).WithGroup("client").With("name", a.AllocString(name))
}
func (l *logged) OKWith(name string) {
	a := l.pool.Get()
	defer l.pool.Put(a)
	log := l.with.With("name", a.AllocString(name))
	log.Info("hello")
	l.own = l.with.With("name", name)
}
func (l *logged) OKLogged(name string) {
	a := l.pool.Get()
	defer l.pool.Put(a)
	text := a.AllocString(name)
	l.text.Info("hello", "name", text)
	l.std.Info("hello", "name", text)
	l.count.Info("hello", "name", text)
	l.ring.Info("hello", "name", strings.Clone(text), "len", len(text))
	l.tail.Info(text, "len", len(text))
	l.own = l.text.With("name", text)
}
func OKLoggerGiven(pool *arena.Pool, log *slog.Logger, name string) {
	a := pool.Get()
	defer pool.Put(a)
	log.Info("hello", "name", a.AllocString(name))
	(&logged{ring: log}).note("hello", a.AllocString(name))
}
func OKRingWithin(pool *arena.Pool, name string) int {
	a := pool.Get()
	defer pool.Put(a)
	r := &keepsRecords{}
	slog.New(r).Info("hello", "name", a.AllocString(name))
	return len(r.last)
}
