// Package shapes has each way in which functions call each other. Comments say what a patch must make of the function:
// a parameter, a field, a twin beside it, or nothing and why.
package shapes

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"unsafe"
	"weak"

	"example.com/shapes/sub"
)

// Node is what is made everywhere.
type Node struct {
	Name string
	Kids []*Node
}

// parser is what a unit makes one of.
type parser struct {
	words []string
	pos   int
}

// counter is made as a variable, walker by new.
type (
	counter struct{ n int }
	walker  struct{ seen []string }
)

// maker is what interfaces are tested with.
type maker interface{ make(name string) *Node }

// stateless has nothing in which an arena could travel, as nobody makes one in the unit.
type stateless struct{}

// printer is for several calls in a line.
type printer interface{ print() string }

type (
	word string
	sum  struct{ left, right printer }
)

var (
	theStateless maker   = stateless{}
	theSum       printer = sum{word("x"), word("y")}
	theFunctions         = map[string]func(string) *Node{"byTable": byTable, "byBoth": byBoth}
	theLiteral           = func(name string) *Node {
		return &Node{Name: name} // left: outside of functions
	}
)

// Parse is the unit.
func Parse(text string) *Node {
	p := &parser{words: strings.Fields(text)}
	root := p.list()
	add := func(n *Node) { root.Kids = append(root.Kids, n) } // a closure
	add(parameter("parameter"))
	add(Twin("twin"))
	add(tested("tested"))
	add(valued("valued"))
	add(recursive(3))
	add(variadic("a", "b"))
	add(unnamed("x", 1))
	add(spread(two()))
	add(named("named"))
	add(concatenated("x", root.Name))
	add(&Node{Name: fmt.Sprint(pair(1, 2), pair("a", root.Name), TwinPair[string, int]("c", 3))})
	add((*Node)(nil).orSelf("nil"))
	add(reached(theStateless, "stateless"))
	dropped("dropped")
	add(&Node{Name: theSum.print()})
	add(theFunctions["byTable"]("table"))
	add(theFunctions["byBoth"]("both"))
	if text == "" {
		add(notRun())
	}
	add(theLiteral("literal"))
	add(generated("generated"))
	var c counter
	add(c.count())
	w := new(walker)
	add(throughInterface(w))
	item := p.item // a method value: its receiver has the field
	add(item())
	sorted := []*Node{{Name: "b"}, {Name: "a"}, {Name: "c"}}
	slices.SortFunc(sorted, byName)
	add(sorted[0])
	add(elsewhere())
	add(later())
	add(stored())
	for _, n := range lookedAt() {
		add(n)
	}
	b := &sub.Buffer{}
	held = b
	b.Add("word")
	held = nil
	add(&Node{Name: fmt.Sprint(b.Len())})
	return root
}

func (p *parser) list() *Node { // field
	n := &Node{Name: "list"}
	for p.pos < len(p.words) {
		n.Kids = append(n.Kids, p.item())
	}
	n.Kids = append(n.Kids, p.hidden())
	return n
}

func (p *parser) item() *Node { // field
	if p.pos == len(p.words) {
		return &Node{Name: "end"}
	}
	p.pos++
	return &Node{Name: p.words[p.pos-1]}
}

func (p *parser) hidden() *Node { // field, through a variable
	n := p.pos
	for p := range 1 {
		_ = p
		return &Node{Name: strings.Join([]string{"hidden", digits(n)}, "-")}
	}
	return nil
}

func digits(n int) string { // parameter
	b := make([]byte, 0, n+8)
	for ; n > 0; n /= 10 {
		b = append(b, byte('0'+n%10))
	}
	return string(b)
}

func parameter(name string) *Node { return &Node{Name: name} }

// Twin keeps its signature.
func Twin(name string) *Node { return &Node{Name: name} }

func tested(name string) *Node { return &Node{Name: name} }

func valued(name string) *Node { return &Node{Name: name} }

var aValue = valued

func recursive(n int) *Node {
	if n == 0 {
		return nil
	}
	return &Node{Name: "recursive", Kids: []*Node{recursive(n - 1), recursive(n - 1)}}
}

func variadic(names ...string) *Node {
	n := new(Node)
	for _, name := range names {
		n.Kids = append(n.Kids, &Node{Name: name})
	}
	return n
}

func unnamed(string, int) *Node { return &Node{Name: "unnamed"} }

func two() (string, string) { return "two", "results" }

func spread(a, b string) *Node { // called with the results of another call: the old one
	return &Node{Name: a + b}
}

func named(a string) *Node { // uses the name that an arena has elsewhere
	arena := []byte(a)
	return &Node{Name: string(arena)}
}

func concatenated(a, b string) *Node {
	a += b
	return &Node{Name: a + "-" + b}
}

// Pair is generic.
type Pair[A, B any] struct {
	First  A
	Second B
}

func pair[T any](a, b T) *Pair[T, T] { return &Pair[T, T]{a, b} }

// TwinPair keeps its signature.
func TwinPair[A, B any](a A, b B) *Pair[A, B] { return &Pair[A, B]{First: a, Second: b} }

func (n *Node) orSelf(name string) *Node { // its receiver may be nil: a parameter
	if n == nil {
		return &Node{Name: name}
	}
	return n
}

func reached(m maker, name string) *Node { return m.make(name) }

func (stateless) make(name string) *Node { // left: by interface
	return &Node{Name: name}
}

func (w word) print() string { return "<" + string(w) + ">" }

func (s sum) print() string { return s.left.print() + "+" + s.right.print() }

func byTable(name string) *Node { // left: by function value
	return &Node{Name: name}
}

func notRun() *Node { return byBoth("no unit runs this") }

func byBoth(name string) *Node {
	return &Node{Name: name} // left: units call it by the table only
}

func byName(a, b *Node) int { // left: a callback
	longer := make([]string, 0, len(a.Name)+len(b.Name))
	longer = append(longer, a.Name, b.Name)
	sink = longer
	sink = nil
	return strings.Compare(a.Name, b.Name)
}

var (
	sink []string
	held *sub.Buffer
)

func (c *counter) count() *Node {
	c.n++
	return &Node{Name: "count"}
}

func throughInterface(m maker) *Node { return m.make("walker") }

func (w *walker) make(name string) *Node { // by interface, but with a field
	w.seen = append(w.seen, name)
	return &Node{Name: name}
}

// One more field would change what is done with these: parameters.
type (
	compared struct{ n int }
	keyed    struct{ n int }
	sized    struct{ n int }
)

func lookedAt() []*Node {
	var (
		c compared
		k keyed
		s sized
	)
	counts := map[[1]keyed]int{{k}: int(unsafe.Sizeof(struct{ s sized }{s}))}
	if c == (compared{}) && len(counts) > 0 {
		return []*Node{c.node(), k.node(), s.node()}
	}
	return nil
}

func (c *compared) node() *Node {
	c.n++
	return &Node{Name: "compared"}
}

func (k *keyed) node() *Node {
	k.n++
	return &Node{Name: "keyed"}
}

func (s *sized) node() *Node {
	s.n++
	return &Node{Name: "sized"}
}

var makeLater, notCalled func() *Node

func later() *Node {
	if makeLater == nil {
		makeLater = func() *Node {
			return &Node{Name: "later"} // left: a later unit calls it
		}
	}
	return makeLater()
}

func stored() *Node {
	if notCalled == nil {
		notCalled = func() *Node {
			return &Node{Name: "kept"} // left: a later unit calls it, too
		}
		return notCalled()
	}
	return nil
}

func elsewhere() *Node { // a parameter, which the other goroutine doesn't get
	n := &Node{Name: "elsewhere"}
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		n.Kids = []*Node{parameter("launched")}
	}()
	wg.Wait()
	return n
}

var last weak.Pointer[Node]

func dropped(name string) {
	last = weak.Make(&Node{Name: name}) // left: a test waits for the collector
}
