package fix

import (
	"cmp"
	"go/ast"
	"maps"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/trial"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// This file decides how the arena travels from the unit to what was moved:
//
//  1. Supplied are the functions that the arena can reach at all: the unit, those that a supplied function calls by
//     name, and those that have a carrier which the unit has or a supplied function makes.
//  2. The arena reaches each function in one way: as the field of a carrier that the function has, or else as a
//     parameter. Where fields could only be filled from each other, it is a parameter.
//  3. Needed are the functions between the unit and a moved expression, on stacks that were seen. All others pass nil,
//     so what they allocate is on the heap.
//
// It must not depend on how the source is written.

// A plan says who has the arena, and from where.
type plan struct {
	*graph
	look *scout.Look
	unit *function // nil if the unit is no declared function of the module
	lag  bool      // results are used until the next unit has ended
	all  bool      // what isn't worth its lines is moved, too

	// What the program gives. All but carriers is computed anew in each round, from what is left out by then.
	carriers map[string]*carrier  // all structs of the module, by typeKey
	carried  map[*carrier]bool    // by which the arena may travel
	byUnit   map[*carrier]*bearer // carriers that the unit is given, and fills while it runs
	seen     map[*function]bool   // on stacks of what was moved
	near     map[*function]bool   // that units run
	away     map[*function]bool   // that may run on other goroutines of the unit

	// What is decided. Whatever is in needed is in supplied too, and whatever is in needs is in carried.

	supplied map[*function]bool
	way      map[*function]*bearer // nil for a parameter
	needed   map[*function]bool    // that must have the arena for moves
	needs    map[*carrier]bool     // that get a field
	nils     map[*function]int     // calls that have no arena to pass on
	moves    []move
	left     []Left
	// What earlier rounds have found out. These only grow, so that the rounds end.
	without   map[*function]string // functions in which nothing may be moved, and why
	late      map[*function]string // whose function literals outlive the unit, and how that was found out
	notFields map[*carrier]bool    // that turned out not to serve
	excluded  map[ast.Node]string  // expressions that can't be written
	unpaid    map[ast.Node]string  // expressions that aren't worth their lines
	whole     string               // what the first plan has come to, "" if it wasn't weighed
	clears    []string             // statements at the end of a unit: stacks of its states, see states.go
	refused   []string             // of these, with which a test fails
	saves     map[ast.Node]float64 // which shares of a unit's CPU they save

	dispatched bool // calls by interfaces are in the graph

	texts   map[string][]byte // the files as they are, by path
	sources map[string][]byte // grammars with the changes of what goyacc has made of them
}

// A move is an expression that is to allocate in the arena, or a call of a library's function.
type move struct {
	spot
	finding verdict.Finding
	file    *source.File
	expr    *source.Expr // nil for a library's function
	call    *ast.CallExpr
}

// node returns what is rewritten: the expression, or the call of a library.
func (m *move) node() ast.Node {
	if m.expr != nil {
		return m.expr.Node
	}
	return m.call
}

// rank is the order in which moves are written.
func (m *move) rank() int {
	if _, variable := m.node().(*ast.Ident); variable {
		return 0
	}
	return 1
}

// newPlan reads the program.
func newPlan(look *scout.Look, g *graph) *plan {
	p := &plan{graph: g, look: look, carriers: g.carriers(), without: map[*function]string{},
		late: map[*function]string{}, notFields: map[*carrier]bool{}, excluded: map[ast.Node]string{},
		unpaid: map[ast.Node]string{}, texts: map[string][]byte{}}
	// The unit is a declared function: a function literal has no parameter to add.
	for _, f := range g.inFile[look.Unit.File] {
		if g.line(f.decl.Pos()) <= look.Unit.Line && look.Unit.Line <= g.line(f.decl.End()) {
			p.unit = f
		}
	}
	return p
}

// decide plans for what a trial has moved: done has the findings with their expressions. Results are in moves and left,
// and in the sets of functions and carriers.
func (p *plan) decide(done []trial.Done) {
	if !p.dispatched {
		p.dispatched = true
		p.dispatches(done)
	}
	p.moves, p.left = nil, nil
	p.seen = map[*function]bool{p.unit: true}
	p.away = p.beneath(p.unit, true)
	for _, d := range done {
		for _, s := range d.Finding.Sites {
			for _, call := range s.Path {
				if f := p.of(call); f != nil {
					p.seen[f] = true
				}
			}
		}
	}
	p.near = p.nearby()
	// The order matters: carriers first, since they decide which functions the arena reaches, then ways, then what is
	// needed.
	p.fit()
	p.supply()
	p.choose()
	for _, d := range done {
		p.take(d)
	}
	p.need()
}

// fewOfUnit is how many a unit may make of a struct that carries the arena.
const fewOfUnit = 4

// fit finds out which structs may carry the arena. It marks those that may not as unfit, and puts those into carried
// that are there before the unit begins; supply adds those that are made within.
func (p *plan) fit() {
	p.carried, p.byUnit = map[*carrier]bool{}, map[*carrier]*bearer{}
	objects := map[string]float64{}
	for _, f := range p.look.Findings {
		for _, e := range f.Exprs {
			// Only the making of the struct itself counts, not that of a slice of such structs.
			key := typeKey(e.Type)
			if _, variable := e.Node.(*ast.Ident); p.copies[e.Node] || variable && source.IsPointer(e.Type) {
				continue
			}
			if _, object := e.Node.(*ast.CallExpr); p.carriers[key] == nil || object && e.Kind != sites.Object {
				continue
			}
			objects[key] += f.Objects
			if (f.Verdict == verdict.Keep || f.Verdict == verdict.Clone) && len(p.carriers[key].puts) == 0 {
				p.carriers[key].unfit = "it outlives the unit"
			}
		}
	}
	for key, c := range p.carriers {
		// A field in each of thousands of nodes would cost more than the arena saves.
		if objects[key] > fewOfUnit {
			c.unfit = "a unit makes many"
		}
		if p.notFields[c] {
			c.unfit = "some are made before the unit"
		}
	}
	for result := range p.unit.obj.Signature().Results().Variables() {
		// What the unit returns outlives the arena that its field would point to.
		if c := p.carriers[typeKey(result.Type())]; c != nil {
			c.unfit = "the unit returns it"
		}
	}
	// A carrier that was there before the unit began, as the receiver of its method, is filled for the time of
	// the unit.
	beneath := p.beneath(p.unit, false)
	for _, b := range p.unit.bearers(p.carriers) {
		key := typeKey(b.typ)
		if b.carrier.alone(key, beneath) && p.byUnit[b.carrier] == nil {
			p.byUnit[b.carrier] = &b
			p.carried[b.carrier] = true
		}
	}
}

// supply finds the functions that the arena can reach.
func (p *plan) supply() {
	p.supplied = map[*function]bool{p.unit: true}
	beneath := p.beneath(p.unit, false)
	for {
		// Both sets only grow and are bounded, so this reaches a fixed point: a supplied function makes a
		// carrier, which supplies the functions that have one, which call others.
		before := len(p.supplied) + len(p.carried)
		for f := range p.supplied {
			for _, c := range f.calls {
				if p.reaches(c.spot) && c.to.fixed == "" && p.without[c.to] == "" && !c.to.kept {
					p.supplied[c.to] = true
				}
			}
		}
		for _, c := range p.carriers {
			supplied := func(m creation) bool { return p.reaches(m.spot) && p.supplied[m.in] }
			if c.unfit == "" && slices.ContainsFunc(c.makes, supplied) {
				p.carried[c] = true
			}
		}
		for _, f := range p.functions {
			if (p.seen[f] || beneath[f]) && p.bearer(f) != nil {
				p.supplied[f] = true
			}
		}
		if len(p.supplied)+len(p.carried) == before {
			return
		}
	}
}

// bearer returns by which of its receiver and parameters a function may have the arena.
func (p *plan) bearer(f *function) *bearer {
	if f == p.unit || f.fixed != "" || p.away[f] || p.without[f] != "" {
		return nil
	}
	for _, b := range f.bearers(p.carriers) {
		if p.carried[b.carrier] {
			return &b
		}
	}
	return nil
}

// choose decides by which way each supplied function gets the arena: as the field of a carrier if it has one, and else
// as a parameter. Carriers whose fields could only be filled from each other are not used. Afterwards supplied and
// carried have just those that really get an arena.
func (p *plan) choose() {
	p.way = map[*function]*bearer{}
	for f := range p.supplied {
		p.way[f] = p.bearer(f)
	}
	for {
		// grounded are the functions that really get an arena, filled the carriers that do. Both grow from the
		// unit: a grounded function passes it to those it calls, and fills the carriers it makes, whose
		// methods are grounded then.
		grounded, filled := map[*function]bool{p.unit: true}, map[*carrier]bool{}
		for c := range p.byUnit {
			filled[c] = true
		}
		for before := -1; before != len(grounded)+len(filled); {
			before = len(grounded) + len(filled)
			for f := range grounded {
				for _, c := range f.calls {
					if p.supplied[c.to] && p.way[c.to] == nil && p.reaches(c.spot) {
						grounded[c.to] = true
					}
				}
			}
			for c := range p.carried {
				if slices.ContainsFunc(p.makers(c), func(f *function) bool { return grounded[f] }) {
					filled[c] = true
				}
			}
			for f, b := range p.way {
				if b != nil && filled[b.carrier] {
					grounded[f] = true
				}
			}
		}
		stuck := p.stuck(grounded, filled)
		if len(stuck) == 0 {
			p.supplied, p.carried = grounded, filled
			return
		}
		// Each round turns some fields into parameters, and never the other way, so the rounds end.
		for _, f := range stuck {
			p.way[f] = nil
		}
	}
}

// stuck returns the functions that are to have a parameter instead, since their carrier is never filled: as few as
// bring the arena one call further. Of those that a grounded function calls these are the ones that lead to where an
// empty carrier is made, if there are any; it may serve all others then.
func (p *plan) stuck(grounded map[*function]bool, filled map[*carrier]bool) []*function {
	var all, called, leading []*function
	for f, b := range p.way {
		if grounded[f] || b == nil {
			continue
		}
		all = append(all, f)
		for g := range grounded {
			if slices.ContainsFunc(g.calls, func(c *call) bool { return c.to == f && p.reaches(c.spot) }) {
				called = append(called, f)
				if p.leads(f, filled, map[*function]bool{}) {
					leading = append(leading, f)
				}
				break
			}
		}
	}
	switch {
	case len(leading) > 0:
		return leading
	case len(called) > 0:
		return called
	}
	return all
}

// leads reports whether a function makes an empty carrier, or calls one that does and takes the arena as a parameter.
func (p *plan) leads(f *function, filled map[*carrier]bool, seen map[*function]bool) bool {
	if seen[f] {
		return false
	}
	seen[f] = true
	for c := range p.carried {
		if !filled[c] && slices.ContainsFunc(c.makes, func(m creation) bool { return m.in == f && p.reaches(m.spot) }) {
			return true
		}
	}
	return slices.ContainsFunc(f.calls, func(c *call) bool {
		return p.supplied[c.to] && p.way[c.to] == nil && p.reaches(c.spot) && p.leads(c.to, filled, seen)
	})
}

// need finds the functions that must have the arena for what is moved.
func (p *plan) need() {
	p.needed, p.needs = map[*function]bool{}, map[*carrier]bool{}
	for _, m := range p.moves {
		p.needFunction(m.in)
	}
	p.nils = map[*function]int{}
	for _, f := range p.functions {
		for _, c := range f.calls {
			if !p.passes(c) {
				p.nils[c.to]++
			}
		}
	}
}

// needFunction marks a function as one that must have the arena, and those from which it gets it: the makers
// of its carrier, or its callers on the stacks that were seen.
func (p *plan) needFunction(f *function) {
	if p.needed[f] {
		return
	}
	p.needed[f] = true
	if f == p.unit {
		return
	}
	if b := p.way[f]; b != nil {
		p.needCarrier(b.carrier)
		return
	}
	var seen, all []*function
	for g := range p.supplied {
		if slices.ContainsFunc(g.calls, func(c *call) bool { return c.to == f && p.reaches(c.spot) }) {
			all = append(all, g)
			if p.seen[g] {
				seen = append(seen, g)
			}
		}
	}
	if len(seen) == 0 { // a struct's maker, say, that has allocated nothing itself
		seen = all
	}
	for _, g := range seen {
		p.needFunction(g)
	}
}

// needCarrier marks a struct as one that gets the field, and the functions that fill it. In what no unit runs it stays
// nil: what is allocated by it is on the heap there, as before.
func (p *plan) needCarrier(c *carrier) {
	if p.needs[c] {
		return
	}
	p.needs[c] = true
	if p.byUnit[c] != nil {
		p.needFunction(p.unit)
	}
	for _, f := range p.makers(c) {
		if p.supplied[f] {
			p.needFunction(f)
		}
	}
}

// makers returns the functions that fill the field of a carrier: those that units run, or all if none is known to run.
func (p *plan) makers(c *carrier) []*function {
	var near, all []*function
	for _, m := range c.makes {
		if p.reaches(m.spot) {
			all = append(all, m.in)
			if p.near[m.in] {
				near = append(near, m.in)
			}
		}
	}
	if len(near) == 0 && p.byUnit[c] == nil {
		return all
	}
	return near
}

// nearby finds the functions that units run, as far as allocations show it: those on stacks, and what these call.
func (p *plan) nearby() map[*function]bool {
	near := maps.Clone(p.seen)
	for _, s := range p.look.All.Sites {
		for _, call := range s.Path {
			if f := p.of(call); f != nil {
				near[f] = true
			}
		}
	}
	for _, f := range slices.Collect(maps.Keys(near)) {
		for _, c := range f.calls {
			near[c.to] = true
		}
	}
	return near
}

// fields returns the structs that get a field, in the order of their names.
func (p *plan) fields() []*carrier {
	return slices.SortedFunc(maps.Keys(p.needs), func(a, b *carrier) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.file.Path, b.file.Path))
	})
}

// reaches reports whether the arena of a function may be used at a spot of it: by then the unit may have ended.
func (p *plan) reaches(s spot) bool { return !s.launched && (!s.literal || p.late[s.in] == "") }

// passes reports whether there is an arena to pass on at a call.
func (p *plan) passes(c *call) bool {
	return c.in != nil && p.needed[c.in] && p.reaches(c.spot)
}

// fewNils is how many calls may pass nil: more are more lines than a twin.
const fewNils = 3

// twin reports whether a function that gets a parameter leaves one of its old signature.
func (p *plan) twin(f *function) bool { return f == p.unit || f.keeps != "" || p.nils[f] > fewNils }

// abroad reports whether another package passes an arena to a function.
func (p *plan) abroad(f *function) bool {
	for g := range p.needed {
		if g.obj.Pkg().Path() != f.obj.Pkg().Path() &&
			slices.ContainsFunc(g.calls, func(c *call) bool { return c.to == f && p.passes(c) }) {
			return true
		}
	}
	return false
}

// clean makes one line of a reason.
func clean(why string) string { return strings.Join(strings.Fields(why), " ") }
