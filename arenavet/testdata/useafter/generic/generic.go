// Package generic has misuse in generic code.
package generic

import "github.com/harena-go/arena"

type list[T any] struct {
	a     *arena.Arena
	items []T
}

func (l *list[T]) add(v T) *T {
	l.items = arena.Append(l.a, l.items, v)
	return &l.items[len(l.items)-1]
}

func (l *list[T]) reset() {
	l.a.Reset()
	l.items = nil
}

func first[T any](a *arena.Arena) *T { return arena.New[T](a) }

func inGeneric[T any](a *arena.Arena, v T) {
	p := arena.New[T](a)
	a.Reset()
	*p = v // want `arena memory is written to after Reset`
}

func OKInGeneric[T any](a *arena.Arena, v T) T {
	p := arena.NewOf(a, v)
	w := *p
	a.Reset()
	return w
}

func called(a *arena.Arena) {
	p := first[int](a)
	a.Reset()
	*p = 1 // want `arena memory is written to after Reset`
}

func method(a *arena.Arena) {
	l := &list[int]{a: a}
	p := l.add(1)
	l.reset()
	*p = 2 // want `arena memory is written to after Reset`
}

func OKMethod(a *arena.Arena) {
	l := &list[int]{a: a}
	*l.add(1) = 2
	l.reset()
	*l.add(1) = 2
}

// OKCore must not be taken apart wrongly: its parameters have core types.
func OKCore[M ~map[K]V, K comparable, V any, S ~[]V, C ~chan V](m M, k K, s S, c C) V {
	s[0] = m[k]
	s = append(s, s...)
	for _, v := range m {
		c <- v
	}
	return <-c
}
