package attack

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenametrics"
)

const pooled = "was " // put back into its pool, or freed when it was lent again

func a2p(a *arena.Arena) unsafe.Pointer { return unsafe.Pointer(a) }

// A lender is a Pool and the model's knowledge of it.
type lender struct {
	p     *arena.Pool
	opts  settings
	limit int
	rate  int
	lasts bool // without reuse
	live  []*actor

	gets, puts, frees int
	keys              map[string]int
	used              uint64
	most              int
}

var poolOps = []operation{
	{name: "NewPool", weight: 1, calls: "arena.NewPool arena.Pool arena.PoolOption arena.WithReuse arena.WithPoolLimit arena.WithCheckRate arena.WithGuardRate", do: newPool},
	{name: "Get", weight: 5, calls: "arena.Pool.Get", do: func(w *world, r *rng) *actor { return get(w, r, "") }},
	{name: "GetKeyed", weight: 4, calls: "arena.Pool.GetKeyed", do: func(w *world, r *rng) *actor { return get(w, r, fmt.Sprint("key", r.n(5))) }},
	{name: "Put", weight: 7, calls: "arena.Pool.Put", do: put},
	{name: "Do", weight: 3, calls: "arena.Pool.Do", do: func(w *world, r *rng) *actor { return do(w, r, "") }},
	{name: "DoKeyed", weight: 2, calls: "arena.Pool.DoKeyed", do: func(w *world, r *rng) *actor { return do(w, r, fmt.Sprint("key", r.n(5))) }},
	{name: "PoolStats", weight: 1, calls: "arena.Pool.Stats arena.PoolStats arena.PoolStats.String", do: func(w *world, r *rng) *actor {
		if l := w.lender(r); l != nil {
			l.verify(w)
			if s := l.p.Stats(); s.String() == "" {
				w.failf("%v", s)
			}
		}
		return nil
	}},
	{name: "Watch", weight: 1, do: watchPools, calls: "arena.Pools arena.Pool.Name arena.UsagePercentiles arena.Histogram " +
		"arena.Escape.LogValue arena.WithObserveRate arena.ReportFault"},
	{name: "PoolMisuse", weight: 2, do: poolMisuse},
	{name: "PoolProbe", weight: 1, calls: "arena.LimitError.Error", do: poolProbe},
}

// watchPools looks at all there is to see of a pool.
func watchPools(w *world, r *rng) *actor {
	l := w.lender(r)
	if l == nil || l.p.Stats().Gets == 0 { // a zero pool isn't known before
		return nil
	}
	if !slices.Contains(arena.Pools(), l.p) {
		w.failf("Pools doesn't know a pool")
	}
	if n := len(arenametrics.Leases(l.p, 1<<20)); n < len(l.live) {
		w.failf("Leases: %d of %d", n, len(l.live))
	}
	if most := 1 + r.n(4); len(arenametrics.Leases(l.p, most)) > most {
		w.failf("Leases(%d) returns more", most)
	}
	if e, ok := arena.ReportFault(l); ok {
		w.failf("ReportFault: %v", e)
	}
	s := l.p.Stats()
	if hit, ok := arenametrics.LastLimitHit(l.p); ok != (s.LimitHits > 0) || ok && (hit.Asked <= 0 || len(hit.Stack) == 0) {
		w.failf("LastLimitHit: %v, %v after %d", hit, ok, s.LimitHits)
	}
	if u := s.Usage; u.P50 < 0 || u.P50 > u.P90 || u.P90 > u.P99 {
		w.failf("Usage: %+v", u)
	}
	if h := s.Sizes; !addsUp(&h) || h.Sum != float64(s.Used) {
		w.failf("Sizes: %+v, of %d bytes", h, s.Used)
	}
	found := false
	for _, m := range arenametrics.All() {
		found = found || m.Pool == l.p.Name() && m.Name == "gets" && m.Kind == arenametrics.Counter
		if m.Value < 0 || m.Help == "" || (m.Histogram != nil) != (m.Kind == arenametrics.Distribution) {
			w.failf("arenametrics.All: %+v", m)
		}
	}
	if !found {
		w.failf("arenametrics.All doesn't know the pool %q", l.p.Name())
	}
	if n := len(arenametrics.Of(l.p)); n%len(arenametrics.Of(nil)) != 0 && len(s.Keys) == 0 {
		w.failf("arenametrics.Of: %d", n)
	}
	if v := (arena.Escape{}).LogValue(); v.Kind() != slog.KindGroup {
		w.failf("LogValue of an Escape: %v", v)
	}
	return nil
}

// addsUp reports whether each use is in a bucket.
func addsUp(h *arena.Histogram) bool {
	n := h.Zero
	for _, in := range h.Buckets {
		n += in
	}
	return n == h.Count
}

func newPool(w *world, r *rng) *actor {
	if len(w.lenders) >= 2 {
		if l := w.lenders[0]; len(l.live) > 0 || !r.one(4) {
			return nil
		}
		w.lenders = slices.Delete(w.lenders, 0, 1)
	}
	l := &lender{opts: w.draw(r), keys: map[string]int{}, lasts: w.profile.lasts}
	if l.lasts {
		l.opts.noScan, l.opts.scrub, l.opts.checks = false, false, 0
	}
	// Not beside checked arenas: dead values in chunks that are kept may point there, see docs/testing.md.
	if r.one(6) && w.profile.checked == 0 {
		l.lasts = true
		l.opts = settings{zero: true, retained: -1}
		l.p = new(arena.Pool)
	} else {
		var opts []arena.PoolOption
		for _, o := range l.opts.options(w, fmt.Sprint("pool", w.step)) {
			opts = append(opts, o)
		}
		if l.lasts {
			opts = opts[:len(opts)-1] // OnEscape, which is about reuse
		} else {
			opts = append(opts, arena.WithReuse())
		}
		if r.one(2) {
			l.limit = 30000 + r.n(300000)
			opts = append(opts, arena.WithPoolLimit(l.limit))
		}
		if l.lasts && r.one(3) {
			opts = append(opts, arena.WithObserveRate(1+r.n(3)))
		}
		if w.profile.checked > 0 && r.one(3) {
			l.rate = 1
			l.opts.checks |= arena.CheckResets
			w.suspect = true
			opts = append(opts, []arena.PoolOption{arena.WithCheckRate(1), arena.WithGuardRate(1)}[r.n(2)])
		} else if w.profile.checked > 0 && r.one(3) {
			w.suspect = true
			opts = append(opts, arena.WithObserveRate(1+r.n(3)))
		}
		l.p = arena.NewPool(opts...)
	}
	w.lenders = append(w.lenders, l)
	return nil
}

func (w *world) lender(r *rng) *lender {
	if len(w.lenders) == 0 {
		return nil
	}
	return w.lenders[r.n(len(w.lenders))]
}

// lend makes an actor of an arena that was got.
func (l *lender) lend(w *world, a *arena.Arena, key string) *actor {
	if a.UsedBytes() != 0 {
		w.failf("Get returns an arena with %d bytes used", a.UsedBytes())
	}
	s := a.Stats()
	ac := &actor{a: a, name: s.Name, opts: l.opts, lender: l, key: key, resets: s.Resets, most: s.HighWater}
	if l.opts.limit > 0 {
		ac.family = &family{l.opts.limit, []*actor{ac}}
	}
	for _, other := range w.actors {
		if other.a == a {
			w.failf("Get returns an arena that is in use")
		}
	}
	w.enter(ac)
	l.live = append(l.live, ac)
	l.gets++
	if key != "" {
		l.keys[key]++
	}
	return ac
}

func get(w *world, r *rng, key string) *actor {
	l := w.lender(r)
	if l == nil || len(w.actors) >= maxActors {
		return nil
	}
	w.now = "Get"
	if key == "" {
		return l.lend(w, l.p.Get(), key)
	}
	return l.lend(w, l.p.GetKeyed(key), key)
}

// pickLent returns an arena of a pool, or nil.
func (w *world) pickLent(r *rng) *actor {
	l := w.lender(r)
	if l == nil || len(l.live) == 0 {
		return nil
	}
	if ac := l.live[r.n(len(l.live))]; !ac.doing {
		return ac
	}
	return nil
}

func put(w *world, r *rng) *actor {
	ac := w.pickLent(r)
	if ac == nil {
		return nil
	}
	w.now = "Put"
	w.back(ac, func() { ac.lender.p.Put(ac.a) })
	return nil
}

// back takes account of an arena that goes back to its pool by f.
func (w *world) back(ac *actor, f func()) {
	l := ac.lender
	w.empty(ac, l.lasts)
	l.count(ac)
	l.puts++
	kids := slices.Clone(ac.kids)
	for _, k := range slices.Backward(kids) {
		w.over(k, "ended with it", l.lasts)
	}
	f()
	w.over(ac, pooled, false)
}

func (l *lender) count(ac *actor) {
	used := ac.a.UsedBytes()
	l.used += uint64(used)
	l.most = max(l.most, used)
}

// freed notes that an arena was freed.
func (l *lender) freed(ac *actor) {
	l.used += uint64(ac.used)
	l.most = max(l.most, ac.used)
	l.frees++
}

// lentAgain reports whether a pool has lent an arena again.
func (l *lender) lentAgain(ac *actor) bool {
	return slices.ContainsFunc(l.live, func(k *actor) bool { return k.a == ac.a })
}

var errDo = errors.New("of Do")

// do does some work in Do, which ends in some way.
func do(w *world, r *rng, key string) *actor {
	l := w.lender(r)
	if l == nil || len(w.actors) >= maxActors {
		return nil
	}
	var ac *actor
	end := r.n(6)
	var inside any
	f := func(a *arena.Arena) error {
		ac = l.lend(w, a, key)
		ac.doing = true
		if inside = caught(func() { w.work(ac, r) }); inside != nil {
			return nil
		}
		if end == 4 {
			w.free(ac)
			return nil
		}
		w.empty(ac, l.lasts)
		for _, k := range slices.Backward(slices.Clone(ac.kids)) {
			w.over(k, "ended with it", l.lasts)
		}
		l.count(ac)
		l.puts++
		switch end {
		case 1:
			return errDo
		case 2:
			panic(errDo)
		case 3:
			if l.limit > 0 {
				a.AllocBytes(l.limit + 1)
			}
		}
		return nil
	}
	w.now = "Do"
	var err error
	v := caught(func() {
		if key == "" {
			err = l.p.Do(f)
		} else {
			err = l.p.DoKeyed(key, f)
		}
	})
	if inside != nil {
		panic(inside)
	}
	if end != 4 {
		w.over(ac, pooled, false)
	}
	var limited *arena.LimitError
	switch {
	case end == 1 && (err != errDo || v != nil):
		w.failf("Do returns %v, panic %v", err, v)
	case end == 2 && (err != nil || v != errDo):
		w.failf("Do passes on %v, and returns %v", v, err)
	case end == 3 && l.limit > 0 && !errors.As(err, &limited):
		w.failf("Do returns %v, panic %v; want a LimitError", err, v)
	case (end == 0 || end >= 4) && (err != nil || v != nil):
		w.failf("Do returns %v, panic %v", err, v)
	}
	if limited != nil && !strings.Contains(limited.Error(), fmt.Sprint(l.limit+1)) {
		w.failf("%v doesn't say that %d were asked for", limited, l.limit+1)
	}
	return nil
}

// work does a few things with an arena.
func (w *world) work(ac *actor, r *rng) {
	for range r.n(12) {
		k := kinds[r.n(len(kinds))]
		switch r.n(6) {
		case 0, 1:
			w.value(ac, k, r.n(2))
		case 2:
			n := elements(k, r)
			w.slice(ac, k, r.n(3), n, n)
		case 3:
			if n := len(ac.pieces); n > 0 && ac.pieces[n-1].form == many {
				w.grow(ac, kinds[ac.pieces[n-1].kind], n-1, 1+r.n(3), r.n(9))
			}
		case 4:
			takeMark(w, ac, r)
		case 5:
			rewind(w, ac, r)
		}
		w.check(ac, r)
	}
}

func poolMisuse(w *world, r *rng) *actor {
	l := w.lender(r)
	if l == nil {
		return nil
	}
	ac := w.pickReal(r)
	if ac.lender != l || ac.parent != nil {
		w.refuses(ac, "Put", func() { l.p.Put(ac.a) }, "isn't from this pool")
	}
	for _, g := range w.ghosts {
		if g.lender == l && g.parent == nil && !l.lentAgain(g) {
			w.refuses(g, "Put", func() { l.p.Put(g.a) }, "was ") // put back already, or freed
		}
	}
	l.p.Put(nil)
	var none *arena.Pool
	if none.Get() != nil || none.GetKeyed("x") != nil || none.Stats().Gets != 0 {
		w.failf("a nil Pool lends arenas")
	}
	return nil
}

// poolProbe requests more than a pool may have, which shows how much it has.
func poolProbe(w *world, r *rng) *actor {
	ac := w.pickLent(r)
	if ac == nil || ac.lender.limit == 0 {
		return ac
	}
	n := ac.lender.limit + 1
	if w.call(ac, "AllocBytes", n, n, func() { ac.a.AllocBytes(n) }) {
		w.failf("AllocBytes(%d) with a pool limit of %d", n, n-1)
	}
	return ac
}

// charged returns what counts towards the limit: the chunks of arenas that are lent.
func (l *lender) charged() (n int) {
	for _, ac := range l.live {
		n += ac.reserved()
	}
	return n
}

// reserved returns the bytes of an arena's chunks and those of its children.
func (ac *actor) reserved() int {
	s := ac.a.Stats()
	n := s.Reserved - s.Lists
	for _, k := range ac.kids {
		n += k.reserved()
	}
	return n
}

func (l *lender) verify(w *world) {
	s := l.p.Stats()
	if s.Gets != l.gets || s.Puts != l.puts || s.Freed != l.frees || s.Live != len(l.live) || s.Lost != 0 ||
		s.Used != l.used || s.HighWater != l.most || s.Reserved < s.Retained {
		w.failf("%+v; want %d gets, %d puts, %d freed, %d live, %d used, at most %d", s, l.gets, l.puts, l.frees, len(l.live), l.used, l.most)
	}
	if charged := l.charged(); s.Reserved-s.Retained != charged {
		w.failf("%d bytes reserved, %d of them idle; the live arenas have %d", s.Reserved, s.Retained, charged)
	}
	if l.limit > 0 && s.Reserved-s.Retained > l.limit {
		w.failf("%d bytes reserved by live arenas; the limit is %d", s.Reserved-s.Retained, l.limit)
	}
	for key, n := range l.keys {
		if s.Keys[key].Gets != n {
			w.failf("key %s: %+v, want %d gets", key, s.Keys[key], n)
		}
	}
}
