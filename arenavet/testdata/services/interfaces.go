package services

import (
	"net/http"

	"github.com/harena-go/arena"
)

// Methods that are called through an interface, where it is known what that holds, and
// functions that others have put into variables.

type gather struct{ all []*item }

func (g *gather) Visit(x *item) { g.all = append(g.all, x) }

type tally struct{ n int }

func (t *tally) Visit(x *item) { t.n += x.n }

type guide struct{ v visitor }

func (g *guide) show(x *item) { g.v.Visit(x) }

func BadGuide(pool *arena.Pool) int {
	g := &gather{}
	a := pool.Get()
	(&guide{v: g}).show(arena.New[item](a))
	pool.Put(a)
	return g.all[0].n
}
func BadGuideField(pool *arena.Pool) int {
	g := &gather{}
	guide := guide{g}
	a := pool.Get()
	guide.v.Visit(arena.New[item](a))
	pool.Put(a)
	return g.all[0].n
}
func BadEitherVisitor(pool *arena.Pool, dry bool) int {
	g := &gather{}
	var v visitor = &tally{}
	if !dry {
		v = g
	}
	a := pool.Get()
	v.Visit(arena.New[item](a))
	pool.Put(a)
	return g.all[0].n
}
func OKGuide(pool *arena.Pool, dry bool) int {
	t := &tally{}
	var v visitor = t
	a := pool.Get()
	if !dry {
		(&guide{v: v}).show(arena.New[item](a))
	}
	v.Visit(arena.New[item](a))
	pool.Put(a)
	return t.n
}
func OKGuideWithin(pool *arena.Pool) (n int) {
	a := pool.Get()
	defer pool.Put(a)
	g := &gather{}
	(&guide{v: g}).show(arena.New[item](a))
	for _, x := range g.all {
		n += x.n
	}
	return n
}

// What may end an arena, and may not.
type closer interface{ close(a *arena.Arena) }
type frees struct{}
type leaves struct{}

func (*frees) close(a *arena.Arena)  { a.Reset() }
func (*leaves) close(a *arena.Arena) {}

func BadCloser(a *arena.Arena) int {
	var c closer = &frees{}
	x := arena.New[item](a)
	c.close(a)
	return x.n
}
func OKCloser(a *arena.Arena, early bool) int {
	var c closer = &leaves{}
	if early {
		c = &frees{}
	}
	x := arena.New[item](a)
	c.close(a)
	return x.n
}

// A literal, or a method value, that Do's function leaves in a variable.
func BadClosureOfDo(pool *arena.Pool) {
	var hooks []func()
	pool.Do(func(a *arena.Arena) error {
		x := arena.New[item](a)
		hooks = append(hooks, func() { x.n++ })
		return nil
	})
	hooks[0]()
}
func BadMethodValueOfDo(pool *arena.Pool) {
	var hooks []func()
	pool.Do(func(a *arena.Arena) error {
		hooks = append(hooks, arena.New[item](a).touch)
		return nil
	})
	for _, h := range hooks {
		h()
	}
}
func (l *lazy) prepare(a *arena.Arena) { l.alloc = func() *item { return arena.New[item](a) } }
func (l *lazy) BadPrepared() {
	a := l.pool.Get()
	l.prepare(a)
	l.pool.Put(a)
	l.alloc()
}
func (l *lazy) OKPrepared() int {
	a := l.pool.Get()
	defer l.pool.Put(a)
	defer func() { l.alloc = nil }()
	l.prepare(a)
	return l.alloc().n
}
func OKClosureOfDo(pool *arena.Pool) {
	var hook func()
	pool.Do(func(a *arena.Arena) error {
		x := arena.New[item](a)
		hook = func() { x.n++ }
		hook()
		n := x.n
		hook = func() { println(n) }
		return nil
	})
	hook()
}

// Handlers are served by many goroutines, as functions and as types.
type counter struct{ a *arena.Arena }

func (c *counter) handle(w http.ResponseWriter, r *http.Request)    { arena.New[item](c.a) }
func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.handle(w, r) }

func BadHandle(m *http.ServeMux, c *counter)      { m.Handle("/", http.HandlerFunc(c.handle)) }
func BadHandleType(m *http.ServeMux, c *counter)  { m.Handle("/", c) }
func BadHandleGlobal(c *counter)                  { http.Handle("/", c) }
func OKHandle(m *http.ServeMux, p *pooledCounter) { m.Handle("/", p) }

type pooledCounter struct{ pool *arena.Pool }

func (p *pooledCounter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a := p.pool.Get()
	defer p.pool.Put(a)
	arena.New[item](a)
}
