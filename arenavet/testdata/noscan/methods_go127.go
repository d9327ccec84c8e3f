//go:build go1.27

package noscan

import "github.com/harena-go/arena"

func method(s string) {
	a := arena.NewArena(arena.WithNoScan())
	n := a.New[node]()
	n.name = "x" + s               // want `a concatenated string on the heap`
	a.NewOf(node{name: "y" + s})   // want `a concatenated string on the heap`
	a.Append([]string(nil), "z"+s) // want `a concatenated string on the heap`
}

func OKMethod(s string) {
	a := arena.NewArena(arena.WithNoScan())
	n := a.New[node]()
	n.kids = a.MakeSlice[*node](1, 1)
	n.kids = a.Append(n.kids, n)
	a.NewOf(node{name: a.AllocString(s)})
}
