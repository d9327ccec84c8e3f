// Package kept has a struct that a unit makes and that outlives it, though nothing allocates by it then.
package kept

type Node struct{ Name string }

type parser struct{ nodes []*Node }

var last *parser

// Parse is the unit.
func Parse(name string) *Node {
	p := newParser()
	last = p
	for range 10 {
		p.nodes = append(p.nodes[:0], p.node(name))
	}
	return p.nodes[0]
}

func newParser() *parser {
	p := new(parser)
	return p
}

func (p *parser) node(name string) *Node { // a parameter
	p.nodes = p.nodes[:0]
	return &Node{Name: name}
}
