package leak

import (
	"errors"
	"fmt"
	"strings"

	"github.com/harena-go/arena"

	"test/leak/lib"
)

var pool = arena.NewPool(arena.WithReuse())

type request struct{ err error }

func never() {
	a := pool.Get() // want `the arena from Pool.Get is never put back into the pool: add defer pool.Put\(a\), or use Pool.Do`
	arena.New[int](a)
}

func keyed() {
	a := pool.GetKeyed("x") // want `the arena from Pool.GetKeyed is never put back`
	fmt.Println(a.UsedBytes())
}

func dropped() {
	pool.Get() // want `the arena from Pool.Get is never put back`
}

func early(r request) error {
	a := pool.Get() // want `the arena from Pool.Get isn't put back where the function returns in line 35: put it back on every path, best by defer`
	arena.New[int](a)
	if r.err != nil {
		return r.err
	}
	pool.Put(a)
	return nil
}

func oneBranch(n int) {
	a := pool.Get() // want `isn't put back where the function ends`
	if n > 0 {
		pool.Put(a)
	}
}

func inSwitch(n int) int {
	a := pool.Get() // want `isn't put back where the function returns in line 57`
	switch n {
	case 1:
		pool.Put(a)
	case 2:
		pool.Put(a)
		return 2
	}
	return 0
}

func deferTooLate(r request) error {
	a := pool.Get() // want `isn't put back where the function returns in line 63`
	if r.err != nil {
		return r.err
	}
	defer pool.Put(a)
	return nil
}

func inLoop(lines []string) {
	for _, line := range lines {
		a := pool.Get() // want `isn't put back before the loop gets the next one`
		if line == "" {
			continue
		}
		a.AllocString(line)
		pool.Put(a)
	}
}

func onlyReset() {
	a := pool.Get() // want `is never put back`
	defer a.Reset()
	arena.New[int](a)
}

func borrowed() int {
	a := lib.Pool.Get() // want `is never put back`
	return *lib.Borrow(a)
}

func borrowedByMethod(h *lib.Holder) int {
	a := pool.Get() // want `is never put back`
	return h.Look(a)
}

func borrowedHere() {
	a := pool.Get() // want `is never put back`
	fill(a, 3)
}

func fill(a *arena.Arena, n int) {
	if n > 0 {
		fill(a, n-1)
	}
	arena.New[int](a)
}

func acquired() {
	a := lib.Acquire() // want `the arena from Acquire is never put back`
	arena.New[int](a)
}

func acquiredHere() {
	a := acquire() // want `the arena from acquire is never put back`
	arena.New[int](a)
}

func acquire() *arena.Arena {
	a := lib.Acquire()
	a.Reserve(100)
	return a
}

func tried(err error) error {
	a, err := lib.TryAcquire(err) // want `the arena from TryAcquire isn't put back where the function returns in line 130`
	if err != nil {
		return err
	}
	if a.UsedBytes() > 0 {
		return errors.New("dirty")
	}
	lib.Release(a)
	return nil
}

func returnedOnOnePath(n int) *arena.Arena {
	a := pool.Get() // want `isn't put back where the function returns in line 139`
	if n > 0 {
		return nil
	}
	return a
}

func keptOnOnePath(h *lib.Holder, n int) {
	a := pool.Get() // want `isn't put back where the function ends`
	if n > 0 {
		h.Keep(a)
	}
}

func captured(lines []string) {
	a := pool.Get() // want `is never put back`
	strings.Map(func(r rune) rune {
		arena.New[int](a)
		return r
	}, lines[0])
}

func closureNotCalled(n int) {
	a := pool.Get() // want `isn't put back where the function ends`
	done := func() { pool.Put(a) }
	if n > 0 {
		done()
	}
}

func inClosure() func() {
	return func() {
		a := pool.Get() // want `is never put back`
		arena.New[int](a)
	}
}

func reassigned(n int) {
	a := pool.Get() // want `isn't put back where the function ends`
	if n > 0 {
		pool.Put(a)
		a = nil
	}
	_ = a
}

func ofZeroPool() {
	var p arena.Pool
	a := p.Get() // want `is never put back`
	arena.New[int](a)
}

func generic[T any](v T) T {
	a := pool.Get() // want `is never put back`
	p := arena.NewOf(a, v)
	return *p
}

func inGoroutine() {
	go func() {
		a := pool.Get() // want `is never put back`
		arena.New[int](a)
	}()
}

func shared() {
	s := arena.NewShared() // want `the Shared from NewShared is never freed: add defer s.Free\(\)`
	arena.New[int](s.Local())
}

func sharedWithGoroutines(lines []string) {
	s := arena.NewShared(arena.WithLimit(1 << 20)) // want `the Shared from NewShared is never freed`
	for range lines {
		go func() { arena.New[int](s.Local()) }()
	}
}

func sharedFromHere() {
	s := newShared() // want `the Shared from newShared is never freed`
	arena.New[int](s.Local())
}

func newShared() *arena.Shared { return arena.NewShared() }

func recovered(n int) (err error) {
	defer func() {
		if recover() != nil {
			err = errors.New("panic")
		}
	}()
	a := pool.Get() // want `isn't put back after the panic in line 229, from which the function recovers: put it back by defer`
	if n > 0 {
		panic("n")
	}
	pool.Put(a)
	return nil
}
