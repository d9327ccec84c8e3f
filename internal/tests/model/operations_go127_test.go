//go:build go1.27

package model_test

import (
	"iter"

	"github.com/harena-go/arena"
)

// methodsFor returns the operations as calls of the arena's generic methods.
func methodsFor[T any]() operations[T] {
	return operations[T]{
		new:             func(a *arena.Arena) *T { return a.New[T]() },
		newOf:           func(a *arena.Arena, v T) *T { return a.NewOf(v) },
		newTyped:        func(a *arena.Arena) *T { return a.For[T]().New() },
		makeSlice:       func(a *arena.Arena, len, cap int) []T { return a.MakeSlice[T](len, cap) },
		makeSliceUninit: func(a *arena.Arena, len, cap int) []T { return a.MakeSliceUninit[T](len, cap) },
		append:          func(a *arena.Arena, s []T, items ...T) []T { return a.Append(s, items...) },
		appendSeq:       func(a *arena.Arena, s []T, seq iter.Seq[T]) []T { return a.AppendSeq(s, seq) },
		collect:         func(a *arena.Arena, seq iter.Seq[T]) []T { return a.Collect(seq) },
		grow:            func(a *arena.Arena, s []T, n int) []T { return a.Grow(s, n) },
		copySlice:       func(a *arena.Arena, s []T) []T { return a.CopySlice(s) },
	}
}
