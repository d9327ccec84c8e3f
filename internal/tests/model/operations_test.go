package model_test

import (
	"iter"

	"github.com/harena-go/arena"
)

// operations are the arena's generic functions for one type. From Go 1.27 on there
// are methods that do the same: see methodsFor.
type operations[T any] struct {
	new             func(a *arena.Arena) *T
	newOf           func(a *arena.Arena, v T) *T
	newTyped        func(a *arena.Arena) *T
	makeSlice       func(a *arena.Arena, len, cap int) []T
	makeSliceUninit func(a *arena.Arena, len, cap int) []T
	append          func(a *arena.Arena, s []T, items ...T) []T
	appendSeq       func(a *arena.Arena, s []T, seq iter.Seq[T]) []T
	collect         func(a *arena.Arena, seq iter.Seq[T]) []T
	grow            func(a *arena.Arena, s []T, n int) []T
	copySlice       func(a *arena.Arena, s []T) []T
}

func functionsFor[T any]() operations[T] {
	return operations[T]{
		new:             arena.New[T],
		newOf:           arena.NewOf[T],
		newTyped:        func(a *arena.Arena) *T { return arena.For[T](a).New() },
		makeSlice:       arena.MakeSlice[T],
		makeSliceUninit: arena.MakeSliceUninit[T],
		append:          arena.Append[T],
		appendSeq:       arena.AppendSeq[T],
		collect:         arena.Collect[T],
		grow:            arena.Grow[T],
		copySlice:       arena.CopySlice[T],
	}
}

// operationsFor returns the functions and the methods in turn, so that each program
// of the model test uses both on the same arenas.
func operationsFor[T any](w *world) operations[T] {
	if (w.step+len(w.program))%2 == 0 {
		return functionsFor[T]()
	}
	return methodsFor[T]()
}
