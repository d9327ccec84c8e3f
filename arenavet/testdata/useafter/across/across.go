// Package across uses what package lib does, known by facts.
package across

import (
	"fmt"

	"github.com/harena-go/arena"
	"test/useafter/lib"
)

func made(a *arena.Arena) {
	n := lib.Make(a)
	a.Reset()
	n.N = 1 // want `arena memory is written to after Reset`
}

func OKMade(a *arena.Arena) {
	n := lib.Make(a)
	n.N = 1
	a.Reset()
}

func tuple(a *arena.Arena) error {
	n, err := lib.MakeOrFail(a)
	if err != nil {
		return err
	}
	a.Reset()
	n.N = 1 // want `arena memory is written to after Reset`
	return nil
}

func cleared(a *arena.Arena) {
	s := a.AllocString("x")
	lib.Clear(a)
	fmt.Println(s) // want `arena memory is passed on after Reset`
}

func OKClearedOnError(a *arena.Arena) error {
	s := a.AllocString("x")
	if err := lib.ClearOrFail(a, false); err != nil {
		return err
	}
	fmt.Println(s)
	return nil
}

func parser() {
	p := lib.NewParser(arena.NewArena())
	n := p.Parse("x")
	p.Reset()
	fmt.Println(n.Name) // want `arena memory is used after Reset`
}

func parsersArena() {
	a := arena.NewArena()
	p := lib.NewParser(a)
	n := p.Parse("x")
	a.Reset()
	fmt.Println(n.N) // want `arena memory is used after Reset`
}

func OKParser() {
	p, q := lib.NewParser(arena.NewArena()), lib.NewParser(arena.NewArena())
	n := p.Parse("x")
	q.Reset()
	fmt.Println(n.Name)
	p.Reset()
}

func owned(p *lib.Parser) {
	n := p.Owned()
	p.DropOwned()
	n.N = 1 // want `arena memory is written to after Reset`
}

func OKOwned(p *lib.Parser) {
	n := p.Owned()
	p.Reset()
	n.N = 1
}

func first(a *arena.Arena) {
	list := arena.Append(a, nil, arena.New[lib.Node](a))
	n := lib.First(list)
	a.Reset()
	n.N = 1 // want `arena memory is written to after Reset`
}

func longest(a *arena.Arena) {
	s := lib.Longest("x", a.AllocString("yy"))
	a.Reset()
	fmt.Println(s) // want `arena memory is passed on after Reset`
}

func OKLength(a *arena.Arena) {
	n := lib.Length(a.AllocString("yy"))
	a.Reset()
	fmt.Println(n)
}

func undone(a *arena.Arena) {
	m := a.Mark()
	n := lib.Make(a)
	lib.Undo(a, m)
	n.N = 1 // want `arena memory is written to after Rewind`
}

func OKUndone(a *arena.Arena) {
	n := lib.Make(a)
	m := a.Mark()
	lib.Undo(a, m)
	n.N = 1
}

func OKScratch(a *arena.Arena) {
	n := lib.Make(a)
	lib.Scratch(a)
	n.N = 1
}

func lent() {
	a := lib.Get()
	n := lib.Make(a)
	lib.Put(a)
	n.N = 1     // want `arena memory is written to after Pool.Put`
	lib.Make(a) // want `Make: the arena is used after Pool.Put`
}

func OKLent() {
	for range 3 {
		a := lib.Get()
		lib.Make(a).N = 1
		lib.Put(a)
	}
}

func linked(a *arena.Arena) {
	n := new(lib.Node)
	lib.Link(n, lib.Make(a))
	a.Reset()
	n.Next.N = 1 // want `arena memory is written to after Reset`
}

func closure(a *arena.Arena) {
	n := lib.Make(a)
	use := func() { n.N++ }
	a.Reset()
	use() // want `arena memory is used by the function that is called after Reset`
}

func OKClosure(a *arena.Arena) {
	n := lib.Make(a)
	use := func() { n.N++ }
	use()
	a.Reset()
}

func resetInClosure(a *arena.Arena) {
	n := lib.Make(a)
	done := func() { a.Reset() }
	done()
	n.N = 1 // want `arena memory is written to after Reset`
}

func OKResetLater(a *arena.Arena, later func(func())) {
	n := lib.Make(a)
	later(func() { a.Reset() })
	n.N = 1
}

func methodValue(a *arena.Arena) {
	n := lib.Make(a)
	reset := a.Reset
	reset()
	n.N = 1 // want `arena memory is written to after Reset`
}

type resetter interface{ Reset() }

func known(a *arena.Arena) {
	n := lib.Make(a)
	var r resetter = a
	r.Reset()
	n.N = 1 // want `arena memory is written to after Reset`
}

func order(a *arena.Arena) {
	n := lib.Make(a)
	defer func() { n.N++ }() // want `arena memory is used by the function that is called after Reset`
	defer a.Reset()
}

func OKOrder(a *arena.Arena) {
	n := lib.Make(a)
	defer a.Reset()
	defer func() { n.N++ }()
}

// A function asks whether what it got can do more; what it gets here can't.

type named interface{ Name() string }

type visitor interface{ Visit(text string) }

type plain struct{ text string }

func (*plain) Name() string { return "plain" }

type keeping struct{ last string }

func (*keeping) Name() string { return "keeping" }

func (k *keeping) Visit(text string) { k.last = text }

func visit(n named, text string) {
	if v, ok := n.(visitor); ok {
		v.Visit(text)
	}
}

func OKNoVisitor(a *arena.Arena) {
	p := &plain{}
	visit(p, a.AllocString("x"))
	a.Reset()
	fmt.Println(p.text)
}

func visitorKeeps(a *arena.Arena) {
	k := &keeping{}
	visit(k, a.AllocString("x"))
	a.Reset()
	fmt.Println(k.last) // want `arena memory is passed on after Reset`
}
