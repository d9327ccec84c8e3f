package promises_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/harena-go/arena"
)

// TestFreed: an arena says that its life has ended exactly when allocating panics for that.
func TestFreed(t *testing.T) {
	pool, shared := arena.NewPool(arena.WithReuse()), arena.NewShared()
	for name, c := range map[string]struct {
		arena *arena.Arena
		end   func(a *arena.Arena)
		want  bool
	}{
		"nil":          {nil, func(a *arena.Arena) { a.Free() }, false},
		"zero":         {new(arena.Arena), func(*arena.Arena) {}, false},
		"reset":        {arena.NewArena(), func(a *arena.Arena) { a.Reset() }, false},
		"freed":        {arena.NewArena(), func(a *arena.Arena) { a.Free() }, true},
		"freed, zero":  {new(arena.Arena), func(a *arena.Arena) { a.Free() }, true},
		"of a pool":    {pool.Get(), func(a *arena.Arena) { a.Free() }, true},
		"in a pool":    {pool.Get(), func(a *arena.Arena) { pool.Put(a) }, false},
		"of a Shared":  {shared.Local(), func(*arena.Arena) { shared.Free() }, true},
		"freed checks": {arena.NewArena(arena.WithChecks(arena.CheckResets)), func(a *arena.Arena) { a.Free() }, true},
	} {
		if c.arena.Freed() {
			t.Errorf("%s: freed before its end", name)
		}
		if c.end(c.arena); c.arena.Freed() != c.want {
			t.Errorf("%s: Freed is %v", name, !c.want)
		}
	}
	a := arena.NewArena()
	child, grandchild := a.Child(), a.Child().Child()
	if a.Free(); !child.Freed() || !grandchild.Freed() {
		t.Error("children aren't freed with their parent")
	}
}

// TestRecoverLimit: the panic of a budget becomes an error, and no other does.
func TestRecoverLimit(t *testing.T) {
	call := func(f func(), before error) (passed any, err error) {
		defer func() { passed = recover() }()
		err = before
		func() {
			defer arena.RecoverLimit(&err)
			f()
		}()
		return nil, err
	}
	a := arena.NewArena(arena.WithLimit(1 << 10))
	mine := errors.New("mine")
	if passed, err := call(func() { a.AllocBytes(1 << 20) }, nil); passed != nil || !errors.As(err, new(*arena.LimitError)) {
		t.Errorf("%v, %v", err, passed)
	}
	if passed, err := call(func() {
		defer func() { panic(fmt.Errorf("wrapped: %w", recover().(error))) }()
		a.AllocBytes(1 << 20)
	}, nil); passed != nil || !errors.As(err, new(*arena.LimitError)) || !strings.HasPrefix(err.Error(), "wrapped") {
		t.Errorf("in another error: %v, %v", err, passed)
	}
	if passed, err := call(func() {}, mine); passed != nil || err != mine {
		t.Errorf("without a panic: %v, %v", err, passed)
	}
	if passed, _ := call(func() { panic(mine) }, nil); passed != mine {
		t.Errorf("another panic: %v", passed)
	}
}
