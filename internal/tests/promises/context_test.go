package promises_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// TestContext says which arena FromContext finds: the innermost one, through
// contexts of all kinds, or none.
func TestContext(t *testing.T) {
	type key struct{}
	a, b := arena.NewArena(), arena.NewArena()
	background := context.Background()
	with := arena.NewContext(background, a)
	canceled, cancel := context.WithCancelCause(with)
	cancel(errors.New("mine"))
	late, cancelLate := context.WithDeadline(with, time.Now().Add(-time.Hour))
	defer cancelLate()
	for name, c := range map[string]struct {
		ctx  context.Context
		want *arena.Arena
	}{
		"none":                 {background, nil},
		"other values":         {context.WithValue(background, key{}, a), nil},
		"an arena":             {with, a},
		"nil":                  {arena.NewContext(background, nil), nil},
		"another inside":       {arena.NewContext(with, b), b},
		"nil inside":           {arena.NewContext(with, nil), nil},
		"an arena inside nil":  {arena.NewContext(arena.NewContext(background, nil), a), a},
		"child":                {arena.NewContext(with, a.Child()), a.Child()},
		"under a value":        {context.WithValue(with, key{}, b), a},
		"canceled":             {canceled, a},
		"past its deadline":    {late, a},
		"inside canceled":      {arena.NewContext(canceled, b), b},
		"without cancellation": {context.WithoutCancel(late), a},
	} {
		got := arena.FromContext(c.ctx)
		if name == "child" {
			if got == a || got == nil {
				t.Errorf("child: got %p of %p", got, a)
			}
		} else if got != c.want {
			t.Errorf("%s: got %p; want %p", name, got, c.want)
		}
		if err := arenakit.Works(got); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if arena.FromContext(with) != a || with.Err() != nil || context.Cause(canceled).Error() != "mine" {
		t.Error("NewContext has changed its parent")
	}
}

// TestContextOutlivesArena: using the arena of a context too late panics with a message
// that says so.
func TestContextOutlivesArena(t *testing.T) {
	p := arena.NewPool(arena.WithReuse(), arena.WithName(named))
	lent := p.Get()
	pooled := arena.NewContext(context.Background(), lent)
	p.Put(lent)
	wantMessage(t, func() { arena.New[*int](arena.FromContext(pooled)) },
		`arena: New: the arena "n" was put back into its pool; Get returns one to use`)
	a := arena.NewArena()
	freed := arena.NewContext(context.Background(), a)
	a.Free()
	wantMessage(t, func() { arena.FromContext(freed).AllocBytes(1) },
		"arena: AllocBytes: the arena was freed; nothing can be allocated after Free")
}
