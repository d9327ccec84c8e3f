// Package lookalike has correct code that is easily taken for misuse.
package lookalike

import (
	"fmt"
	"slices"
	"strings"

	"github.com/harena-go/arena"
)

type node struct {
	name string
	n    int
}

func OKListOfEachRound(a *arena.Arena, lines []string) {
	for range 3 {
		var list []string
		for _, l := range lines {
			list = append(list, a.AllocString(l))
		}
		for _, l := range list {
			fmt.Println(l)
		}
		a.Reset()
	}
}

func OKMapOfEachRound(a *arena.Arena, lines []string) {
	for range 3 {
		m := map[string]*node{}
		for _, l := range lines {
			m[a.AllocString(l)] = arena.New[node](a)
		}
		for k, n := range m {
			fmt.Println(k, n.n)
		}
		a.Reset()
	}
}

func OKBufferOutside(a *arena.Arena) {
	var buf [3]*node
	for range 3 {
		for i := range buf {
			buf[i] = arena.New[node](a)
		}
		for _, n := range buf {
			n.n++
		}
		a.Reset()
	}
}

func OKManyArenas(all []*arena.Arena) {
	for i := range all {
		all[i].Free()
	}
	for i := range all {
		all[i] = arena.NewArena()
		all[i].AllocString("x")
	}
	all[0].Reset()
	all[1].AllocString("y")
}

func OKSetAnew(p *arena.Pool) {
	a := p.Get()
	a.AllocString("x")
	p.Put(a)
	a = p.Get()
	a.AllocString("y")
	p.Put(a)
}

type owner struct {
	p *arena.Pool
	a *arena.Arena
	n *node
}

func (o *owner) renew() {
	o.p.Put(o.a)
	o.a = o.p.Get()
}

func OKRenewed(o *owner) {
	o.a.AllocString("x")
	o.renew()
	o.a.AllocString("y")
	o.renew()
}

func (o *owner) step() bool {
	if o.n != nil && o.n.n > 100 {
		o.a.Reset()
		return true
	}
	return false
}

func OKStep(o *owner) {
	x := arena.New[node](o.a)
	if o.step() {
		return
	}
	x.n++
}

func OKFreeThenReset() *node {
	a := arena.NewArena()
	n := arena.New[node](a)
	a.Free()
	a.Reset()
	n.n = 1
	return n
}

func OKNothing() {
	a := arena.NewArena()
	x := arena.New[struct{}](a)
	s := a.AllocString("")
	a.Reset()
	fmt.Println(*x, s)
}

func OKSorted(a *arena.Arena, names []string) string {
	list := arena.CopySlice(a, names)
	slices.Sort(list)
	s := strings.Join(list, ",")
	a.Reset()
	return s
}

func OKRange(a *arena.Arena, text string) int {
	n := 0
	for word := range strings.FieldsSeq(a.AllocString(text)) {
		n += len(word)
	}
	a.Reset()
	return n
}

func OKHeapField(a *arena.Arena) string {
	x := arena.New[node](a)
	x.name = "static"
	s := x.name
	a.Reset()
	return s + "!"
}

func OKPointerToHeap(a *arena.Arena, n *node) {
	list := arena.MakeSlice[*node](a, 1, 1)
	list[0] = n
	m := list[0]
	a.Reset()
	m.n = 1
}

func OKPanics(a *arena.Arena, bad bool) {
	x := arena.New[node](a)
	if bad {
		a.Reset()
		panic("bad")
	}
	x.n = 1
}

func OKNilArena(bad bool) {
	var a *arena.Arena
	x := arena.New[node](a)
	a.Reset()
	x.n = 1
}

func OKMarkInLoop(a *arena.Arena) {
	for range 3 {
		m := a.Mark()
		x := arena.New[node](a)
		x.n++
		a.Rewind(m)
	}
}

func OKOuterMark(a *arena.Arena) {
	outer := a.Mark()
	x := arena.New[node](a)
	inner := a.Mark()
	y := arena.New[node](a)
	y.n = 1
	a.Rewind(inner)
	x.n = 1
	a.Rewind(outer)
}
