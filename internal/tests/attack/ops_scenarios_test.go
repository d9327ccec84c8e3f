package attack

import (
	"bytes"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena"
)

// These operations have arenas of their own.
var scenarioOps = []operation{
	{name: "GC", weight: 2, do: func(w *world, r *rng) *actor {
		if r.n(1000) < w.profile.gc {
			runtime.GC()
			w.verify()
		}
		return nil
	}},
	{name: "FindEscapes", weight: 2, calls: "arena.FindEscapes", do: func(w *world, r *rng) *actor {
		if w.suspect && r.n(1000) < w.profile.judges {
			w.judge()
		}
		return nil
	}},
	{name: "Escape", weight: 2, do: func(w *world, r *rng) *actor {
		if r.n(1000) < w.profile.judges {
			w.escape(r)
		}
		return nil
	}},
	{name: "FreeWhileInUse", weight: 1, do: freeWhileInUse},
	{name: "Body", weight: 1, do: body},
	{name: "Empties", weight: 1, do: empties},
}

// escape keeps a value that an arena reclaims: that must be reported, and with CheckResets it stays as it is.
func (w *world) escape(r *rng) {
	w.judge() // or there may be too many trials for one more
	var reports atomic.Int64
	checks := arena.CheckResets
	if r.one(2) {
		checks = arena.CheckObjects
	}
	opts := []arena.Option{arena.WithChecks(checks), arena.OnEscape(func(arena.Escape) { reports.Add(1) })}
	if r.one(2) {
		opts = append(opts, arena.WithNoScan())
	}
	a := arena.NewArena(opts...)
	m := a.Mark()
	for range r.n(20) {
		a.AllocBytes(r.n(300))
	}
	n, seed := 1+r.n(3000), r.next()
	b := a.AllocBytes(n)
	fill(unsafe.Pointer(&b[0]), 0, n, seed)
	how := r.n(3)
	switch how {
	case 0:
		a.Reset()
	case 1:
		a.Rewind(m)
	case 2:
		a.Free()
	}
	w.now = "FindEscapes"
	arena.FindEscapes()
	if (reports.Load() > 0) != (how < 2) {
		w.failf("%d reports of a value that was kept (how %d, checks %d)", reports.Load(), how, checks)
	}
	if (checks == arena.CheckResets || how == 2) && differs(unsafe.Pointer(&b[0]), n, seed) >= 0 {
		w.failf("a value that was kept has changed (how %d, checks %d)", how, checks)
	}
	runtime.KeepAlive(b)
}

// freeWhileInUse frees a Shared while another goroutine allocates. That one gets a panic, and its values stay as they
// are.
func freeWhileInUse(w *world, r *rng) *actor {
	if !r.one(40) {
		return nil
	}
	s := arena.NewShared()
	if r.one(2) {
		s = arena.NewShared(arena.WithNoScan())
	}
	a := s.Local()
	if r.one(2) {
		a = a.Child()
	}
	started, done := make(chan bool), make(chan string)
	go func() {
		var all []*[4]uint64
		v := caught(func() {
			for i := uint64(0); ; i++ {
				all = append(all, arena.NewOf(a, [4]uint64{i, i, i, i}))
				if q := arena.NewOf(a, &statics[i%256]); **q != i%256 {
					panic("wrong")
				}
				if i == 20 {
					close(started)
				}
				if i%1000 == 999 {
					runtime.Gosched() // nobody interrupts it in WebAssembly
				}
			}
		})
		for i, p := range all {
			if n := uint64(i); *p != [4]uint64{n, n, n, n} {
				done <- fmt.Sprint("a value has changed to ", *p)
				return
			}
		}
		done <- fmt.Sprint(v)
	}()
	<-started
	s.Free()
	if v := <-done; !strings.Contains(v, "was freed") {
		w.failf("Shared.Free while another goroutine allocates: %s", v)
	}
	return nil
}

// body reads nearly as much as a limit allows for.
func body(w *world, r *rng) *actor {
	if !r.one(50) {
		return nil
	}
	limit := 100000 + r.n(1000000)
	text := make([]byte, limit/100*95)
	fill(unsafe.Pointer(&text[0]), 0, len(text), 3)
	var a *arena.Arena
	what := ""
	switch r.n(3) {
	case 0:
		what, a = "an arena", arena.NewArena(arena.WithLimit(limit))
	case 1:
		what, a = "a Pool", arena.NewPool(arena.WithReuse(), arena.WithPoolLimit(limit)).Get()
	case 2:
		what, a = "a Shared", arena.NewShared(arena.WithLimit(limit)).Local()
	}
	var b []byte
	if v := caught(func() { b, _ = a.ReadAll(struct{ io.Reader }{bytes.NewReader(text)}, 0) }); v != nil || !bytes.Equal(b, text) {
		w.failf("ReadAll of %d bytes with a limit of %d of %s: %v", len(text), limit, what, v)
	}
	return nil
}

// empties allocates many values of no size, and marks with nothing between them.
func empties(w *world, r *rng) *actor {
	ac := w.pickReal(r)
	before := ac.a.Stats()
	for range 50 {
		w.callNeeding(ac, "New", 7, func() { arena.New[struct{}](ac.a) })
		w.callNeeding(ac, "AllocString", 0, func() { ac.a.AllocString("") })
		w.callNeeding(ac, "AllocBytes", 0, func() { ac.a.AllocBytes(0) })
	}
	if s := ac.a.Stats(); s.Chunks > before.Chunks+2 {
		w.failf("%d values without size took %d chunks (%s)", 150, s.Chunks-before.Chunks, ac)
	}
	return ac
}
