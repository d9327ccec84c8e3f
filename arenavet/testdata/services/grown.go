package services

import (
	"slices"

	"github.com/harena-go/arena"
)

// Slices that are appended to twice: by the builtin append, by helpers, in builders that are copied.

type clause struct {
	col string
	arg any
}

type selection struct {
	a     *arena.Arena
	conds []clause
}

type listing struct {
	a    *arena.Arena
	rows []int
}

func selectAll(a *arena.Arena) *selection {
	return &selection{a: a, conds: arena.MakeSlice[clause](a, 0, 8)}
}
func (q *selection) where(col string, arg any) *selection {
	c := *q
	c.conds = append(q.conds, clause{col, arg})
	return &c
}
func (q *selection) clipped(col string, arg any) *selection {
	c := *q
	c.conds = append(slices.Clip(q.conds), clause{col, arg})
	return &c
}
func (q selection) and(col string, arg any) selection {
	q.conds = arena.Append(q.a, q.conds, clause{col, arg})
	return q
}
func (l *listing) add(n int) *listing {
	l.rows = arena.Append(l.a, l.rows, n)
	return l
}
func with(a *arena.Arena, xs []int, x int) []int    { return arena.Append(a, xs, x) }
func without(a *arena.Arena, xs []int, x int) []int { return arena.Append(a, xs[:len(xs):len(xs)], x) }
func push(xs []int, x int) []int                    { return append(xs, x) }

func OKGrown(a *arena.Arena, more []int) []int {
	xs := arena.MakeSlice[int](a, 0, 8)
	xs = push(xs, 1)
	xs = with(a, xs, 2)
	for _, x := range more {
		xs = with(a, xs, x)
	}
	return with(a, xs, 3)
}
func OKGrownClipped(a *arena.Arena, xs []int) ([]int, []int) {
	left := without(a, xs, 1)
	return left, without(a, xs, 2)
}
func OKGrownHeap(xs []int) ([]int, []int) {
	left := push(xs, 1)
	return left, push(xs, 2)
}
func OKGrownFull(a *arena.Arena, n int) ([]int, []int) {
	xs := arena.MakeSlice[int](a, n, n)
	left := push(xs, 1)
	return left, push(xs, 2)
}
func OKGrownInTurn(a *arena.Arena, use func([]int)) {
	xs := arena.MakeSlice[int](a, 1, 8)
	use(push(xs, 1))
	use(push(xs, 2))
}
func OKGrownBuilder(a *arena.Arena, run func(x *selection)) {
	q := selectAll(a).where("a", 1).where("b", 2)
	q = q.where("c", 3)
	run(q)
	q = q.where("d", 4)
	run(q)
}
func OKGrownBuilderClipped(a *arena.Arena, run func(x, y *selection)) {
	base := selectAll(a).clipped("a", 1)
	run(base.clipped("b", 2), base.clipped("c", 3))
}
func OKGrownValue(base selection, cols []string) selection {
	for _, c := range cols {
		base = base.and(c, 1)
	}
	return base.and("last", 2)
}
func OKGrownListing(a *arena.Arena) (*listing, *listing) {
	l := &listing{a: a}
	x := l.add(1)
	return x, l.add(2)
}
func OKGrownSet(a *arena.Arena, run func(x, y *selection)) {
	base := selectAll(a)
	left := base.where("b", 2)
	base = &selection{a: a, conds: arena.MakeSlice[clause](a, 0, 8)}
	right := base.where("c", 3)
	run(left, right)
}
func OKGrownSetField(a *arena.Arena) ([]int, []int) {
	var l listing
	l.rows = with(a, l.rows, 1)
	left := with(a, l.rows, 2)
	l.rows = left
	right := with(a, l.rows, 3)
	return left, right
}
func OKGrownBranch(a *arena.Arena, xs []int, ok bool) []int {
	if ok {
		return with(a, xs, 1)
	}
	return with(a, xs, 2)
}
func OKGrownLoop(a *arena.Arena, cols []string, run func(*selection)) {
	base := selectAll(a)
	for _, c := range cols {
		run(base.where(c, 1))
	}
}
func OKGrownCopy(a *arena.Arena, xs []int) ([]int, []int) {
	ys := arena.CopySlice(a, xs)
	left := arena.Append(a, ys, 1)
	return left, arena.Append(a, ys, 2)
}
func OKGrownExact(a *arena.Arena, n int) ([]int, []int) {
	xs := arena.MakeSlice[int](a, n, n)
	left := arena.Append(a, xs, 1)
	return left, arena.Append(a, xs, 2)
}
func OKGrownClip(a *arena.Arena, xs []int) ([]int, []int) {
	ys := slices.Clip(xs)
	left := arena.Append(a, ys, 1)
	return left, arena.Append(a, ys, 2)
}
