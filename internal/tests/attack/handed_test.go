package attack

import (
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"github.com/harena-go/arena"
)

// This file gives the results of calls, and the values of panics, to two goroutines, which use them at the same time.
// The race detector finds writes. Arenas, and things that belong to an arena's goroutine, are left out.

// A handed is a value, and the call that it came from.
type handed struct {
	from string
	v    any
}

// panics returns the values with which all calls panic on an arena that can't allocate.
func panics(a *arena.Arena) (all []handed) {
	for _, d := range actionsOf("arena.Arena", a, a) {
		if v := caught(func() { d.do(0) }); v != nil {
			all = append(all, handed{d.name, v})
		}
	}
	return all
}

// results returns the results of a value's methods without parameters, but for things that belong to one goroutine.
func results(v any) (all []handed) {
	r := reflect.ValueOf(v)
	for i := range r.NumMethod() {
		name := r.Type().Method(i).Name
		if m := r.Method(i); m.Type().NumIn() == 0 && !apart[fmt.Sprintf("%v.%s", r.Type().Elem(), name)] {
			for _, out := range m.Call(nil) {
				switch v := out.Interface().(type) {
				case *arena.Arena, *arena.Text, arena.Mark:
				default:
					all = append(all, handed{name, v})
				}
			}
		}
	}
	return all
}

// used uses a value as a program may: it looks at it, calls its methods without parameters, and passes it through code
// that recovers from panics.
func (h handed) used(t *testing.T, p *arena.Pool) {
	_ = fmt.Sprintf("%+v", h.v)
	if r := reflect.ValueOf(h.v); r.IsValid() {
		for i := range r.NumMethod() {
			if m := r.Method(i); m.Type().NumIn() == 0 {
				m.Call(nil)
			}
		}
	}
	err, _ := h.v.(error)
	if err == nil {
		return
	}
	isLimit := errors.As(err, new(*arena.LimitError))
	for what, f := range map[string]func() error{
		"Do": func() error { return p.Do(func(*arena.Arena) error { panic(err) }) },
		"nested Do": func() error {
			return p.Do(func(*arena.Arena) error { return p.Do(func(*arena.Arena) error { panic(err) }) })
		},
		"RecoverLimit": func() (result error) {
			defer arena.RecoverLimit(&result)
			panic(err)
		},
		"ReportFault": func() error { arena.ReportFault(err); return err },
	} {
		if v := caught(func() {
			if got := f(); got != err {
				t.Errorf("%s: %s returns %v of %v", h.from, what, got, err)
			}
		}); v != nil && isLimit {
			t.Errorf("%s: %s panics with %v", h.from, what, v)
		}
	}
}

// TestTwoGoroutines: two goroutines may use the value of a panic, or the result of a call, also while the arena that it
// came from goes on.
func TestTwoGoroutines(t *testing.T) {
	other := arena.NewPool(arena.WithReuse())
	use := func(all []handed, least int) {
		t.Helper()
		if len(all) < least {
			t.Errorf("only %d values", len(all))
		}
		for _, h := range all {
			var wg sync.WaitGroup
			for range 2 {
				wg.Go(func() { h.used(t, other) })
			}
			wg.Wait()
		}
	}
	const limit = 1000
	full := func(a *arena.Arena) *arena.Arena {
		for n := limit; n > 0; n /= 2 {
			caught(func() { a.AllocBytes(n) })
		}
		return a
	}
	use(panics(full(arena.NewArena(arena.WithLimit(limit)))), 30)
	use(panics(full(arena.NewShared(arena.WithLimit(limit)).Local())), 10)
	freed := arena.NewArena()
	freed.Free()
	use(panics(freed), 30)
	for _, opt := range []arena.PoolOption{arena.WithLimit(limit), arena.WithPoolLimit(limit)} {
		p := arena.NewPool(arena.WithReuse(), opt)
		p.Do(func(a *arena.Arena) error {
			use(panics(full(a)), 10)
			use(results(p), 2)
			use(results(a), 3)
			return nil
		})
		use(results(p), 2)
	}
	use(results(arena.NewShared()), 1)
}
