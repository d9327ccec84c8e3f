// Package audit is on its way to arenas: some of what it allocates still goes to the heap.
package audit

import (
	"fmt"

	"github.com/harena-go/arena"
)

type node struct {
	name string
	kids []*node
	meta map[string]string
	any  any
	raw  []byte
	n    *int
	f    func() int
}

type parser struct {
	a    *arena.Arena
	root *node
}

func (p *parser) parse(text []byte, k int) *node {
	n := &node{name: string(text)}     // want literal want conversion
	n.kids = make([]*node, k)          // want
	n.meta = make(map[string]string)   // want
	n.any = k                          // want
	n.kids = append(n.kids, new(node)) // want append want new
	n.raw = []byte(n.name)             // want
	n.name = n.name + "!"              // want
	count := k                         // want
	n.n = &count
	n.f = func() int { return k } // want
	return n
}

func (p *parser) done(k int) *node {
	n := arena.New[node](p.a)
	n.name = p.a.Sprintf("node %d", k) // want
	n.kids = arena.Append(p.a, n.kids, arena.New[node](p.a))
	if k < 0 {
		panic("negative")
	}
	local := make([]int, 3)
	local[0] = k
	return n
}

func without(text []byte) *node {
	return &node{name: fmt.Sprint(string(text))}
}
