// Package kept has a struct that a unit makes and that outlives it, though nothing allocates by it then, and one that is
// there before.
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

// Other is a unit, too.
func Other(name string) *Node { return spareOf(name).node(name) }

type spare struct{ used int }

var spares = &spare{}

func spareOf(name string) *spare {
	if len(name) > 100 { // which no unit has
		return &spare{}
	}
	return spares
}

func (s *spare) node(name string) *Node { // a parameter
	s.used++
	return &Node{Name: name + "!"}
}

func newParser() *parser {
	p := new(parser)
	return p
}

func (p *parser) node(name string) *Node { // a parameter
	p.nodes = p.nodes[:0]
	return &Node{Name: name}
}
