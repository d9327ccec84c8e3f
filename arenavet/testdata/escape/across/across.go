// Package across hands arena memory to another package, which keeps it.
package across

import (
	"github.com/harena-go/arena"
	"test/useafter/lib"
)

func kept() {
	a := arena.NewArena()
	lib.Keep(lib.Make(a)) // want `the global last keeps arena memory, which .*Reset`
	a.Reset()
}

func OKKept() {
	a := arena.NewArena()
	lib.Keep(arena.DeepClone(lib.Make(a)))
	a.Reset()
}

func OKKeptAndFreed() {
	a := arena.NewArena()
	lib.Keep(lib.Make(a))
	a.Free()
}

func linked(n *lib.Node) {
	a := lib.Get()
	defer lib.Put(a)
	lib.Link(n, lib.Make(a)) // want `n.Next keeps arena memory, which .*Pool.Put`
}

func OKLinked(a *arena.Arena, n *lib.Node) {
	lib.Link(n, lib.Make(a))
}

func watched() {
	a := lib.Get()
	defer lib.Put(a)
	lib.Watch(lib.Make(a)) // want `arena memory is given to a goroutine`
}

func OKWatched() {
	a := lib.Get()
	defer lib.Put(a)
	lib.Watch(new(lib.Node))
}

func returned() *lib.Node {
	a := lib.Get()
	defer lib.Put(a)
	return lib.Make(a) // want `arena memory is returned, but the deferred Pool.Put`
}

func OKReturned() int {
	a := lib.Get()
	defer lib.Put(a)
	return lib.Make(a).N
}

func with() {
	var n *lib.Node
	lib.With(func(a *arena.Arena) { n = lib.Make(a) })
	n.N = 1 // want `arena memory is written to after the end of Do in line \d+, kept beyond it`
}

func OKWith() {
	n := 0
	lib.With(func(a *arena.Arena) { n = lib.Make(a).N })
	println(n)
}

func own(s *lib.Parser) *lib.Node {
	a := arena.NewArena()
	p := lib.NewParser(a)
	defer p.Reset()
	return p.Parse("x") // want `arena memory is returned, but the deferred Reset`
}

func OKOwn() *lib.Node {
	p := lib.NewParser(arena.NewArena())
	return p.Parse("x")
}
