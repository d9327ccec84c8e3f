// Package slots measures graphs whose nodes are deleted and replaced: on the heap, and in collections.Slots.
package slots

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/collections"
)

const name = "slots"

// Refs is the peer whose nodes are linked by collections.Ref.
const Refs = "harena-refs"

// Suite measures a graph of 10 million nodes, a tenth of which it replaces at a time, and searches in a smaller one.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "Nodes that come and go",
		About: "10 million nodes of 48 bytes are live, in a table. Each has three links: to the next node, to the " +
			"one before, and to a far one. A tenth of them is replaced ten times, with all links that lead to them: " +
			"the oldest in turn, or nodes at random, where the processor waits for memory with each peer. Times are " +
			"those of the clock for each node replaced, with collections that happen meanwhile (GOGC=100). A search " +
			"goes from node to node in a graph of a million vectors, as in an HNSW index, always to the neighbour " +
			"that is nearest to the target; the best of five times counts, in CPU time. \"harena-self-contained\" is " +
			"a collections.Slots with pointers, \"harena-refs\" one in a default arena with Refs instead; its nodes " +
			"have 40 bytes.",
		Peers:   []string{suite.Heap, suite.SelfContained, Refs},
		Rounds:  3,
		Run:     run,
		Seconds: suite.Takes(0.3, 25),
	}
}

// A graph has a table of nodes. The link far of node i leads to node i+apart, all in a ring.
type graph interface {
	replace(i int)
	check(i int) bool // its links lead where they should
}

func run(peer string, c suite.Config) (out suite.Output, err error) {
	add := func(row, title string, unit suite.Unit, v float64) {
		out.Results = append(out.Results, suite.Result{
			Suite: name, Row: row, Title: title, Peer: peer, Unit: unit, Values: []float64{v},
		})
	}
	for _, size := range []struct {
		prefix string
		nodes  int
	}{{"small-", 1_000_000}, {"", 10_000_000}} {
		n := size.nodes
		if c.Quick {
			n /= 100
		}
		wants := func(row string) bool { return c.Wants(size.prefix + row) }
		if !wants("oldest") && !wants("random") && !wants("full-gc") {
			continue
		}
		if err := replacing(peer, n, wants, func(row, title string, unit suite.Unit, v float64) {
			add(size.prefix+row, fmt.Sprintf("%s, %d thousand nodes", title, n/1000), unit, v)
		}); err != nil {
			return out, err
		}
	}
	if c.Wants("search") {
		n := 1_000_000
		if c.Quick {
			n = 10_000
		}
		took, answer := searching(peer, n)
		add("search", "A step of a search", suite.Seconds, took)
		out.Checksum = answer
	}
	return out, nil
}

// replacing measures a graph of n nodes.
func replacing(peer string, n int, wants func(row string) bool,
	add func(row, title string, unit suite.Unit, v float64)) error {
	runtime.GC()
	before := measure.HeapBytes()
	g, asked := newGraph(peer, n)
	if g == nil {
		return fmt.Errorf("the suite slots knows no peer %q", peer)
	}
	for i := range n {
		g.replace(i)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, way := range []struct {
		row, title string
		next       func(i int) int
	}{
		{"oldest", "Replacing a node, the oldest", func(i int) int { return i % n }},
		{"random", "Replacing a node, any", func(int) int { return random.IntN(n) }},
	} {
		if !wants(way.row) {
			continue
		}
		r := measure.Start()
		for i := range n {
			g.replace(way.next(i))
		}
		s := r.Stop()
		add(way.row, way.title, suite.Seconds, s.Wall/float64(n))
		add(way.row+"-cpu", way.title+": CPU time", suite.Seconds, s.CPU/float64(n))
		if way.row == "oldest" {
			add("oldest-peak", "Peak heap for each byte of nodes and table", suite.Ratio,
				float64(s.PeakHeap-before)/float64(asked))
		}
	}
	if wants("full-gc") {
		add("full-gc", "Full GC", suite.Seconds, measure.FullGC())
		add("full-gc-live", "Live heap", suite.Bytes, float64(measure.HeapBytes()-before))
	}
	for i := range n {
		if !g.check(i) {
			return fmt.Errorf("%s: the links of node %d are wrong", peer, i)
		}
	}
	return nil
}

// newGraph returns a graph, and how many bytes its nodes and its table take.
func newGraph(peer string, n int) (graph, int) {
	switch peer {
	case suite.Heap:
		return &pointers{make([]*node, n), func() *node { return new(node) }, func(*node) {}}, n * (48 + 8)
	case suite.SelfContained:
		a := arena.NewArena(arena.WithNoScan())
		s := collections.NewSlots[node](a)
		return &pointers{arena.MakeSlice[*node](a, n, n), s.New, s.Free}, n * (48 + 8)
	case Refs:
		a := arena.NewArena()
		return &refs{arena.MakeSlice[ref](a, n, n), collections.NewSlots[refNode](a)}, n * (40 + 4)
	}
	return nil, 0
}

// A node is one with pointers.
type node struct {
	before, next, far *node
	value             [3]uint64
}

// pointers is a graph of them.
type pointers struct {
	table []*node
	alloc func() *node
	free  func(*node)
}

// replace puts a new node in the place of node i. While the graph is built, some nodes aren't there yet.
func (g *pointers) replace(i int) {
	n := g.alloc()
	before, next, far, near := around(i, len(g.table))
	n.value[0] = uint64(i)
	n.before, n.next, n.far = g.table[before], g.table[next], g.table[far]
	if p := n.before; p != nil {
		p.next = n
	}
	if p := n.next; p != nil {
		p.before = n
	}
	if p := g.table[near]; p != nil {
		p.far = n
	}
	if old := g.table[i]; old != nil {
		g.free(old)
	}
	g.table[i] = n
}

func (g *pointers) check(i int) bool {
	n := g.table[i]
	before, next, far, _ := around(i, len(g.table))
	return n.value[0] == uint64(i) && n.before == g.table[before] && n.next == g.table[next] && n.far == g.table[far]
}

// around returns to which nodes the links of node i lead, and whose link far leads to it.
func around(i, n int) (before, next, far, near int) {
	wrap := func(i int) int {
		if i >= n {
			return i - n
		}
		return i
	}
	return wrap(i + n - 1), wrap(i + 1), wrap(i + n/3), wrap(i + n - n/3)
}

type ref = collections.Ref[refNode]

// A refNode is a node with Refs.
type refNode struct {
	before, next, far ref
	value             [3]uint64
}

// refs is a graph of them.
type refs struct {
	table []ref
	slots *collections.Slots[refNode]
}

func (g *refs) replace(i int) {
	n := g.slots.New()
	r := g.slots.RefTo(n)
	before, next, far, near := around(i, len(g.table))
	n.value[0] = uint64(i)
	n.before, n.next, n.far = g.table[before], g.table[next], g.table[far]
	if p := g.slots.At(n.before); p != nil {
		p.next = r
	}
	if p := g.slots.At(n.next); p != nil {
		p.before = r
	}
	if p := g.slots.At(g.table[near]); p != nil {
		p.far = r
	}
	if old := g.slots.At(g.table[i]); old != nil {
		g.slots.Free(old)
	}
	g.table[i] = r
}

func (g *refs) check(i int) bool {
	n := g.slots.At(g.table[i])
	before, next, far, _ := around(i, len(g.table))
	return n.value[0] == uint64(i) && n.before == g.table[before] && n.next == g.table[next] && n.far == g.table[far]
}

// dimensions and degree are those of an index for searches.
const (
	dimensions = 32
	degree     = 16
	searches   = 20_000
)

// A vector is a node of an index.
type vector struct {
	values     [dimensions]float32
	neighbours [degree]*vector
}

// A refVector is one with Refs.
type refVector struct {
	values     [dimensions]float32
	neighbours [degree]collections.Ref[refVector]
}

// searching returns how long a step of a search takes in an index of n vectors, and where the searches end.
func searching(peer string, n int) (seconds float64, answer string) {
	random := rand.New(rand.NewPCG(3, 4))
	point := func() (v [dimensions]float32) {
		for i := range v {
			v[i] = random.Float32()
		}
		return v
	}
	var search func(target *[dimensions]float32) (steps int, found float32)
	switch peer {
	case Refs:
		s := collections.NewSlots[refVector](arena.NewArena())
		table := make([]collections.Ref[refVector], n)
		for i := range table {
			v := s.New()
			v.values, table[i] = point(), s.RefTo(v)
		}
		for _, v := range s.All() {
			for i := range v.neighbours {
				v.neighbours[i] = table[random.IntN(n)]
			}
		}
		search = func(target *[dimensions]float32) (int, float32) { return searchRefs(s, s.At(table[0]), target) }
	default:
		alloc := func() *vector { return new(vector) }
		if peer == suite.SelfContained {
			alloc = collections.NewSlots[vector](arena.NewArena(arena.WithNoScan())).New
		}
		table := make([]*vector, n)
		for i := range table {
			table[i] = alloc()
			table[i].values = point()
		}
		for _, v := range table {
			for i := range v.neighbours {
				v.neighbours[i] = table[random.IntN(n)]
			}
		}
		search = func(target *[dimensions]float32) (int, float32) { return searchPointers(table[0], target) }
	}
	targets := make([][dimensions]float32, searches)
	for i := range targets {
		targets[i] = point()
	}
	runtime.GC()
	seconds = math.Inf(1)
	for range 5 {
		began, steps, sum := measure.ProcessCPU(), 0, float32(0)
		for i := range targets {
			n, found := search(&targets[i])
			steps += n
			sum += found
		}
		seconds = min(seconds, (measure.ProcessCPU()-began)/float64(steps))
		answer = fmt.Sprint(steps, sum)
	}
	return seconds, answer
}

// searchPointers goes to the nearest neighbour until none is nearer.
func searchPointers(at *vector, target *[dimensions]float32) (steps int, found float32) {
	found = distance(&at.values, target)
	for {
		steps++
		best := at
		for _, v := range at.neighbours {
			if d := distance(&v.values, target); d < found {
				best, found = v, d
			}
		}
		if best == at {
			return steps, found
		}
		at = best
	}
}

// searchRefs is searchPointers with Refs.
func searchRefs(s *collections.Slots[refVector], at *refVector,
	target *[dimensions]float32) (steps int, found float32) {
	found = distance(&at.values, target)
	for {
		steps++
		best := at
		for _, r := range at.neighbours {
			v := s.At(r)
			if d := distance(&v.values, target); d < found {
				best, found = v, d
			}
		}
		if best == at {
			return steps, found
		}
		at = best
	}
}

func distance(a, b *[dimensions]float32) (sum float32) {
	for i := range a {
		d := a[i] - b[i]
		sum += d * d
	}
	return sum
}
