// Package misuse has calls that can't be meant as they are written, each with its
// look-alike.
package misuse

import (
	"fmt"
	"io"
	"runtime"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

type item struct {
	sku string
	n   int
}

func dropped(a *arena.Arena, xs []int) []int {
	arena.Append(a, xs, 1)     // want `the result of Append is dropped`
	_ = arena.Grow(a, xs, 100) // want `the result of Grow is dropped`
	return xs
}

func OKKept(a *arena.Arena, xs []int) []int {
	xs = arena.Append(a, xs, 1)
	arena.New[item](a) // to have the arena used
	return arena.Grow(a, xs, 100)
}

func OKClipped(a *arena.Arena, path []string) (left, right []string) {
	left = arena.Append(a, path[:len(path):len(path)], "left")
	right = arena.Append(a, path[:len(path):len(path)], "right")
	return left, right
}

func OKEither(a *arena.Arena, path []string, left bool) []string {
	if left {
		return arena.Append(a, path, "left")
	}
	return arena.Append(a, path, "right")
}

func OKEitherInEachTurn(a *arena.Arena, lines []string) (items [][]string) {
	inner := arena.Append(a, nil, "first")
	for _, line := range lines {
		switch line {
		case "":
			inner = arena.Append(a, inner, "blank")
			continue
		default:
			inner = arena.Append(a, inner, line)
		}
	}
	return arena.Append(a, items, inner)
}

func OKReplaced(a *arena.Arena, path []string, left bool) []string {
	next := arena.Append(a, path, "right")
	if left {
		next = arena.Append(a, path, "left")
	}
	return next
}

func OKBacktracking(a *arena.Arena, path, kids []int) {
	for _, k := range kids {
		fmt.Println(arena.Append(a, path, k))
		visit(arena.Append(a, path, k))
	}
}

func visit([]int) {}

func OKScratch(a *arena.Arena, buf []byte, words []string) (n int) {
	for _, w := range words {
		line := arena.Append(a, buf[:0], []byte(w)...)
		n += len(line)
	}
	return n
}

func all(pool *arena.Pool, texts []string) {
	for _, t := range texts {
		a := pool.Get()
		defer pool.Put(a) // want `the deferred Pool.Put in a loop is made when the function ends`
		a.AllocString(t)
	}
}

func OKOneByOne(pool *arena.Pool, texts []string) {
	for _, t := range texts {
		func() {
			a := pool.Get()
			defer pool.Put(a)
			a.AllocString(t)
		}()
	}
}

func OKFirst(pool *arena.Pool, texts []string) int {
	for _, t := range texts {
		if t != "" {
			a := pool.Get()
			defer pool.Put(a)
			return len(a.AllocString(t))
		}
	}
	return 0
}

func watched(a *arena.Arena) weak.Pointer[item] {
	x := arena.New[item](a)
	runtime.SetFinalizer(x, func(*item) {}) // want `runtime.SetFinalizer of a value in an arena`
	runtime.AddCleanup(x, func(int) {}, 1)  // want `runtime.AddCleanup of a value in an arena`
	return weak.Make(arena.New[item](a))    // want `weak.Make of a value in an arena`
}

var weakly weak.Pointer[item]

func OKNeverAsked(a *arena.Arena) {
	weakly = weak.Make(arena.New[item](a))
}

func OKWatched() weak.Pointer[item] {
	x := new(item)
	runtime.AddCleanup(x, func(int) {}, 1)
	return weak.Make(x)
}

func OKRef(a *arena.Arena, w io.Writer) {
	m := collections.NewMap[string, int](a, 4)
	*m.Ref("x") += 2
	m.Set("y", 2)
	*m.Ref("x") += 2
	b := collections.NewBuffer(a, 10)
	w.Write(b.Bytes())
	b.WriteString(" world")
	w.Write(b.Bytes())
}
