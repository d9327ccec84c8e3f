package main

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/harena-go/arena"
)

// Errors and panics that lead to values of an arena that has ended by the time they are looked at. Nobody reads them
// here, as in most tests.

// A badOrder is an error that names the order.
type badOrder struct {
	order *order
	lines []string
}

func (b *badOrder) Error() string { return "bad order " + b.order.name }

var _ = plant("errors/path of a wrapped error", errorPath)

// An error that Do returns wraps one with a name in the arena.
//
// want: objects
// held by: err.(*fmt.wrapError).err.(*fs.PathError).Path
func errorPath() {
	pool := newPool()
	err := pool.Do(func(a *arena.Arena) error { // reclaimed
		name := a.AllocString("orders.db") // allocated
		return fmt.Errorf("reading: %w", &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist})
	})
	sinkBool = err != nil
}

var _ = plant("errors/joined", errorJoined)

// One of several errors is in the arena itself.
//
// want: objects
// held by: err.(*errors.joinError).errs[1].(*main.badOrder)
func errorJoined() {
	pool := newPool()
	err := pool.Do(func(a *arena.Arena) error { // reclaimed
		bad := arena.NewOf(a, badOrder{lines: []string{"no customer"}}) // allocated
		return errors.Join(errBad, bad)
	})
	sinkBool = err != nil
}

var _ = plant("errors/element of a slice", errorElement)

// An error on the heap has a list, and one of its strings is in the arena of a child.
//
// want: objects
// held by: err.(*main.badOrder).lines[1]
func errorElement() {
	pool := newPool()
	err := pool.DoKeyed("orders", func(a *arena.Arena) error { // reclaimed
		line := a.Child().Sprintf("line %d", 7) // allocated
		return &badOrder{order: &order{}, lines: []string{"no customer", line}}
	})
	sinkBool = err != nil
}

var _ = plant("errors/value of a panic", errorPanic)

// A panic's value has an order of the arena, and who recovers looks at the value.
//
// want: objects
// held by: value.(*main.badOrder).order
func errorPanic() {
	defer func() { sinkBool = recover() != nil }()
	_ = newPool().Do(func(a *arena.Arena) error {
		o := newOrder(a, 1)        // allocated
		panic(&badOrder{order: o}) // reclaimed
	})
}

var _ = clean("errors/formatted", errorFormatted)

// Text that is formatted into an error is copied, and so are errors with copies; others have nothing of the arena.
func errorFormatted() {
	pool := newPool()
	shared := newOrder(nil, 3)
	for i, f := range []func(a *arena.Arena, o *order) error{
		func(a *arena.Arena, o *order) error { return fmt.Errorf("order %s: %w", a.AllocString("one"), errBad) },
		func(a *arena.Arena, o *order) error { return &badOrder{order: shared} },
		func(a *arena.Arena, o *order) error { return &badOrder{order: arena.CloneOut(a, o)} },
		func(a *arena.Arena, o *order) error {
			return errors.Join(errBad, &fs.PathError{Op: "open", Path: "constant", Err: fs.ErrNotExist})
		},
	} {
		err := pool.Do(func(a *arena.Arena) error {
			o := newOrder(a, i)
			o.name = a.Sprintf("order %d", i)
			return f(a, o)
		})
		sinkText = err.Error()
	}
}

var _ = clean("errors/freed arena", errorFreed)

// What an error leads to stays valid when its arena is freed.
func errorFreed() {
	err := newPool().Do(func(a *arena.Arena) error {
		defer a.Free()
		return &badOrder{order: newOrder(a, 1)}
	})
	sinkText = err.Error()
}
