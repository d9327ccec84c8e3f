// Package lasting keeps values of Pools that reuse no memory, of some that do, and of some that it doesn't see made.
package lasting

import (
	"net/http"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenahttp"
	"test/escape/lasting/db"
)

type user struct{ name string }

var (
	last  *user
	names = map[string]*user{}
)

var pool = arena.NewPool(arena.WithName("users"), arena.WithLimit(1<<20))

var zero arena.Pool

func OKOwn(name string) *user {
	a := pool.Get()
	defer pool.Put(a)
	u := arena.New[user](a)
	u.name = a.AllocString(name)
	last, names[u.name] = u, u
	return u
}

func OKZero(name string) string {
	a := zero.Get()
	defer zero.Put(a)
	return a.AllocString(name)
}

func OKLocal(name string) (s string) {
	opts := []arena.PoolOption{arena.WithLimit(1 << 20)}
	if name != "" {
		opts = append(opts, arena.WithName(name))
	}
	p := arena.NewPool(opts...)
	p.Do(func(a *arena.Arena) error {
		s = a.AllocString(name)
		return nil
	})
	return s
}

func OKGlobalOfOther(name string) {
	db.Pool.Do(func(a *arena.Arena) error {
		last = arena.New[user](a)
		return nil
	})
}

func OKField(name string) {
	s := db.Open()
	s.Pool.Do(func(a *arena.Arena) error {
		names[a.AllocString(name)] = arena.New[user](a)
		return nil
	})
}

func OKView(name string) (u *user, err error) {
	err = db.View(func(a *arena.Arena) error {
		u = arena.New[user](a)
		return nil
	})
	return u, err
}

func OKWith(name string) (*user, error) {
	return db.With(func(a *arena.Arena) (*user, error) {
		u := arena.New[user](a)
		u.name = a.AllocString(name)
		return u, nil
	})
}

func OKGet(name string) string {
	a, done := db.Get()
	defer done()
	return a.AllocString(name)
}

func OKNew(name string) string {
	p := db.NewPool()
	a := p.Get()
	defer p.Put(a)
	return a.AllocString(name)
}

type server struct{ pool *arena.Pool }

func newServer(p *arena.Pool) *server { return &server{pool: p} }

var one = newServer(arena.NewPool())

func (s *server) OKPassed(name string) *user {
	a := s.pool.Get()
	defer s.pool.Put(a)
	return fill(a, s.pool, name)
}

func fill(a *arena.Arena, p *arena.Pool, name string) *user {
	m := a.Mark()
	u := arena.New[user](a)
	a.Rewind(m)
	u.name = a.AllocString(name)
	go func() { last = u }()
	return u
}

func OKReset(name string) string {
	a := pool.Get()
	s := a.AllocString(name)
	a.Reset()
	c := a.Child()
	s += c.AllocString(name)
	t := c.AllocString(s)
	c.Free()
	defer pool.Put(a)
	return t
}

var keyed = arena.NewPool(arena.WithReuse("list"))

func OKWithoutKey(name string) *user {
	a := keyed.Get()
	defer keyed.Put(a)
	return arena.New[user](a)
}

func withKey(name string) *user {
	a := keyed.GetKeyed("list")
	defer keyed.Put(a)
	return arena.New[user](a) // want `arena memory is returned, but .* \(dead memory with WithReuse, memory that stays without\)`
}

func update(name string) (u *user, err error) {
	err = db.Update(func(a *arena.Arena) error {
		u = arena.New[user](a)
		return nil
	})
	return u, err // want `update returns arena memory, which Update in line \d+ reclaims when it returns; return a copy, as of arena.CloneOut$`
}

func arenaItself() *arena.Arena {
	a := pool.Get()
	defer pool.Put(a)
	return a // want `the arena is returned, but the deferred Pool.Put in line \d+ reclaims it$`
}

func passed(p *arena.Pool, name string) string {
	a := p.Get()
	defer p.Put(a)
	return a.AllocString(name) // want `arena memory is returned, but the deferred Pool.Put in line \d+ reclaims it \(dead memory with WithReuse, memory that stays without\)`
}

var either = pick(true)

func pick(fast bool) *arena.Pool {
	if fast {
		return arena.NewPool(arena.WithReuse())
	}
	return arena.NewPool()
}

func ofEither(name string) string {
	a := either.Get()
	defer either.Put(a)
	return a.AllocString(name) // want `arena memory is returned, .* \(dead memory with WithReuse, memory that stays without\)`
}

func own(name string) string {
	a := arena.NewArena()
	defer a.Reset()
	return a.AllocString(name) // want `arena memory is returned, but the deferred Reset in line \d+ reclaims it$`
}

func routes() http.Handler {
	return arenahttp.Handler(pool, http.HandlerFunc(OKHandler))
}

func OKHandler(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	last = arena.New[user](a)
	names[a.AllocString(r.URL.Path)] = last
}

func handler(w http.ResponseWriter, r *http.Request) {
	a := arena.FromContext(r.Context())
	go func() { // want `the request's arena is used by a goroutine, and the request ends without waiting$`
		a.AllocString("")
	}()
}

var some = arena.NewPool(arena.WithReuse("bulk", "import"))

func OKOtherKey() *user {
	a := some.GetKeyed("web")
	defer some.Put(a)
	return arena.New[user](a)
}

func thatKey() *user {
	a := some.GetKeyed("import")
	defer some.Put(a)
	return arena.New[user](a) // want `arena memory is returned, but the deferred Pool.Put`
}
