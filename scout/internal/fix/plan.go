package fix

import (
	"cmp"
	"fmt"
	"go/ast"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/harena-go/arena/scout/internal/forms"
	"github.com/harena-go/arena/scout/internal/probe"
	"github.com/harena-go/arena/scout/internal/scout"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/trial"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// This file decides how the arena travels from the unit to the moved expressions. It reaches each function in one way:
// as the field of a struct that the function has, or else as a parameter. Needed are the functions between the unit and
// a moved expression, on recorded stacks; all others pass nil, which is the Go heap. It must not depend on how the
// source is written.

// A plan has the functions with an arena, and its way to them.
type plan struct {
	*graph
	look     *scout.Look
	unit     *function           // nil if the unit isn't a declared function of the package
	carriers map[string]*carrier // all structs of the package, by typeKey
	byUnit   map[*carrier]bearer // carriers that the unit receives, and fills while it runs
	found    []verdict.Finding   // findings whose expressions are to be moved
	seen     map[*function]bool  // functions on their stacks
	near     map[*function]bool  // functions that units run, as far as allocations show

	way    map[*function]*bearer // for each reached function; nil is a parameter
	filled map[*carrier]bool     // carriers whose fields are set
	needed map[*function]bool    // functions that must have the arena for moves
	needs  map[*carrier]bool     // carriers that get a field
	nils   map[*function]int     // calls without an arena to pass on
	moves  []move
	left   []trial.Left
	never  []trial.Left // not movable by any plan
	// Results of earlier rounds. They only grow, so that the rounds end.
	without  map[*function]string // functions in which nothing is moved, and why
	excluded map[ast.Node]string  // expressions that can't be moved, and why
	strict   bool                 // only carriers that the unit receives have a field: something keeps others
}

// A move is an expression that is to allocate in the arena, or a call of a library's function.
type move struct {
	spot
	finding verdict.Finding
	file    *source.File
	expr    *source.Expr // nil for a library's function
	call    *ast.CallExpr
}

// node returns the rewritten node.
func (m *move) node() ast.Node {
	if m.expr != nil {
		return m.expr.Node
	}
	return m.call
}

// newPlan reads the program. With all it also moves values that save next to nothing.
func newPlan(look *scout.Look, all bool) (*plan, error) {
	g, err := read(look.Program, look.Package.Dir)
	if err != nil {
		return nil, err
	}
	p := &plan{graph: g, look: look, carriers: g.carriers(), byUnit: map[*carrier]bearer{}, near: map[*function]bool{},
		without: map[*function]string{}, excluded: map[ast.Node]string{}}
	p.unit = g.of(probe.Frame{File: look.Unit.File, Line: look.Unit.Line})
	switch {
	case p.unit == nil:
		return nil, fmt.Errorf("-fix: %s is no function of the package's own files; -unit names another",
			sites.Bare(look.Unit.Function))
	case p.unit.fixed != "":
		return nil, fmt.Errorf("-fix: %s can't be changed: %s; -unit names another", sites.Bare(look.Unit.Function),
			p.unit.fixed)
	}
	p.found, p.never = trial.Movable(look)
	if !all {
		p.found, p.never = worth(p.found, p.never)
	}
	p.seen = map[*function]bool{p.unit: true}
	note := func(s sites.Site, to map[*function]bool) {
		for _, call := range s.Path {
			if f := p.of(call); f != nil {
				to[f] = true
			}
		}
	}
	for _, f := range p.found {
		for _, s := range f.Sites {
			note(s, p.seen)
		}
	}
	for _, s := range p.look.All.Sites {
		note(s, p.near)
	}
	for _, f := range slices.Collect(maps.Keys(p.near)) {
		for _, c := range f.calls {
			p.near[c.to] = true
		}
	}
	p.fit()
	return p, nil
}

// most is the share of the saving that a patch aims for: the rest is many lines for little. In OPA's parser half of the
// expressions have 99%.
const most = 0.95

// worth returns the findings with most of the saving, by objects and bytes, and adds the others to left.
func worth(found []verdict.Finding, left []trial.Left) ([]verdict.Finding, []trial.Left) {
	weight := func(f verdict.Finding) float64 { return sites.Cost(f.Objects, f.Bytes) }
	found = slices.SortedStableFunc(slices.Values(found), func(a, b verdict.Finding) int {
		return cmp.Compare(weight(b), weight(a))
	})
	sum, some := 0.0, 0.0
	for _, f := range found {
		sum += weight(f)
	}
	for i, f := range found {
		if some >= most*sum {
			for _, f := range found[i:] {
				left = append(left, trial.Left{Finding: f, Why: "it saves next to nothing: -all moves it"})
			}
			return found[:i], left
		}
		some += weight(f)
	}
	return found, left
}

// fewOfUnit is the largest number of a carrier's structs that a unit may make.
const fewOfUnit = 4

// fit finds the structs that may carry the arena, and those among them that the unit receives.
func (p *plan) fit() {
	objects := map[*carrier]float64{}
	for _, f := range p.look.Findings {
		for _, e := range f.Exprs {
			c := p.makes(e, f.Place.File)
			if c == nil {
				continue
			}
			objects[c] += f.Objects
			if f.Verdict == verdict.Keep || f.Verdict == verdict.Clone {
				c.unfit = "it outlives the unit"
			}
		}
	}
	for c, n := range objects {
		// A field in each of thousands of nodes would cost more than the arena saves.
		if n > fewOfUnit {
			c.unfit = "a unit makes many"
		}
	}
	for result := range p.unit.obj.Signature().Results().Variables() {
		if c := p.carriers[typeKey(result.Type())]; c != nil {
			c.unfit = "the unit returns it"
		}
	}
	beneath := p.beneath(p.unit, false)
	for _, b := range slices.Concat(p.unit.bearers(p.carriers), p.unit.within(p.carriers)) {
		if _, has := p.byUnit[b.carrier]; !has && b.carrier.alone(beneath) {
			p.byUnit[b.carrier] = b
		}
	}
}

// decide plans for all findings. It sets moves and left, and the sets of functions and carriers.
func (p *plan) decide() {
	p.reach()
	p.moves, p.left = nil, slices.Clone(p.never)
	for _, f := range p.found {
		p.take(f)
	}
	p.need()
	for i, m := range p.moves {
		if m.expr != nil && p.needs[p.makes(*m.expr, m.file.Path)] {
			p.left = append(p.left, trial.Left{Finding: m.finding, Why: "it has the arena itself"})
			p.moves[i].in = nil
		}
	}
	p.moves = slices.DeleteFunc(p.moves, func(m move) bool { return m.in == nil })
	p.need()
}

// reach finds the functions that the arena can reach, and the way of each. Each round takes the fields that can be
// filled so far; without such, the parameters of functions that need no field; without these, parameters of all called
// functions, since nothing fills their fields.
func (p *plan) reach() {
	away, beneath := p.beneath(p.unit, true), p.beneath(p.unit, false)
	p.way, p.filled = map[*function]*bearer{p.unit: nil}, map[*carrier]bool{}
	for c := range p.byUnit {
		p.filled[c] = true
	}
	free := func(f *function) bool {
		_, reached := p.way[f]
		return !reached && f.fixed == "" && p.without[f] == ""
	}
	for {
		before := len(p.way) + len(p.filled)
		for _, c := range p.carriers {
			made := func(m creation) bool { return p.has(m.spot) && p.near[m.in] }
			if c.unfit == "" && !p.strict && slices.ContainsFunc(c.makes, made) {
				p.filled[c] = true
			}
		}
		for _, f := range p.functions {
			if free(f) && !away[f] && (p.seen[f] || beneath[f]) && p.bearer(f, p.filled) != nil {
				p.way[f] = p.bearer(f, p.filled)
			}
		}
		if len(p.way)+len(p.filled) > before {
			continue
		}
		var plain, others []*function
		for f := range p.way {
			for _, c := range f.calls {
				switch {
				case !free(c.to) || !p.has(c.spot) || c.to.keeps != "" && c.to.args() == nil:
				case p.bearer(c.to, nil) == nil:
					plain = append(plain, c.to)
				default:
					others = append(others, c.to)
				}
			}
		}
		if len(plain) == 0 {
			plain = others
		}
		if len(plain) == 0 {
			return
		}
		for _, f := range plain {
			p.way[f] = nil
		}
	}
}

// bearer returns the receiver or parameter of a function that may have the arena, nil if none: a bearer of one of some
// carriers, or of any if of is nil.
func (p *plan) bearer(f *function, of map[*carrier]bool) *bearer {
	if f == p.unit {
		return nil
	}
	for _, b := range f.bearers(p.carriers) {
		if of[b.carrier] || of == nil && !p.strict {
			return &b
		}
	}
	return nil
}

// has reports whether there is an arena at a spot: a function literal that is called later finds it only in a field,
// which is nil after the unit.
func (p *plan) has(s spot) bool {
	way, reached := p.way[s.in]
	return reached && !s.launched && (!s.literal || way != nil)
}

// take adds a finding's movable expressions to moves, and the others with a reason to left.
func (p *plan) take(f verdict.Finding) {
	file, why := p.program.File(f.Place.File), ""
	if file == nil {
		p.left = append(p.left, trial.Left{Finding: f, Why: "its file was not read"})
		return
	}
	var all []move
	if f.Lib != "" {
		for _, c := range forms.Calls(p.program, file, f.Place.Line, f.Lib) {
			all = append(all, move{finding: f, file: file, call: c})
		}
	}
	for _, e := range f.Exprs {
		all = append(all, move{finding: f, file: file, expr: &e})
	}
	for i := range all {
		m := &all[i]
		m.spot = p.spot(m.file.Path, m.node().Pos())
		if why = p.whyNot(*m); why != "" {
			p.left = append(p.left, trial.Left{Finding: f, Why: why})
			return
		}
	}
	p.moves = append(p.moves, all...)
}

// whyNot returns the reason why a patch can't move an expression, "" if it can.
func (p *plan) whyNot(m move) string {
	switch {
	case p.excluded[m.node()] != "":
		return p.excluded[m.node()]
	case m.in == nil:
		return "it is outside of functions, in a variable of the package"
	case m.in.fixed != "":
		return m.in.name() + ": " + m.in.fixed
	case p.without[m.in] != "":
		return p.without[m.in]
	}
	why := ""
	for _, s := range m.finding.Sites {
		lost := p.lost(s)
		if lost == "" && p.has(m.spot) {
			return ""
		}
		why = cmp.Or(why, lost)
	}
	return cmp.Or(why, "it may run later, or on another goroutine, which needs an arena of its own")
}

// makes returns the struct that an expression makes, nil if it makes none, or a copy of one.
func (p *plan) makes(e source.Expr, file string) *carrier {
	c := p.carriers[typeKey(e.Type)]
	_, variable := e.Node.(*ast.Ident)
	if c == nil || e.Kind != sites.Object || variable && source.IsPointer(e.Type) ||
		c.copies[p.spot(file, e.Node.Pos()).in] {
		return nil
	}
	return c
}

// lost returns the reason why the arena doesn't reach the end of a stack, "" if it does. The path has the innermost
// call first.
func (p *plan) lost(s sites.Site) (why string) {
	had := map[*function]bool{p.unit: true}
	for i := len(s.Path) - 1; i > 0; i-- {
		from, to := p.of(s.Path[i]), p.of(s.Path[i-1])
		way, reached := p.way[to]
		switch {
		case had[to], way != nil: // a function literal of the same function, or a field
			why = ""
		case why != "":
		case to == nil:
			why = sites.Short(s.Path[i-1].Function) + " has no arena to pass on"
		case to.fixed != "":
			why = to.name() + ": " + to.fixed
		case p.without[to] != "":
			why = p.without[to]
		case !reached || from == nil || !slices.ContainsFunc(from.calls, func(c *call) bool {
			return c.to == to && p.has(c.spot)
		}):
			why = fmt.Sprintf("%s is called by interface or function value, or on another goroutine, at %s:%d",
				to.name(), filepath.Base(s.Path[i].File), s.Path[i].Line)
		}
		had[to] = had[to] || why == ""
	}
	return why
}

// need finds the functions that must have the arena for the moves.
func (p *plan) need() {
	p.needed, p.needs, p.nils = map[*function]bool{p.unit: true}, map[*carrier]bool{}, map[*function]int{}
	for _, m := range p.moves {
		p.needFunction(m.in)
	}
	for _, f := range p.functions {
		for _, c := range f.calls {
			if !p.passes(c) {
				p.nils[c.to]++
			}
		}
	}
}

// needFunction marks a function that must have the arena, and the functions that provide it: the makers of its carrier,
// or its callers; only those that units run, if any are known.
func (p *plan) needFunction(f *function) {
	if p.needed[f] {
		return
	}
	p.needed[f] = true
	var from []spot
	if b := p.way[f]; b != nil {
		if p.needs[b.carrier] {
			return
		}
		p.needs[b.carrier] = true
		for _, m := range b.carrier.makes {
			from = append(from, m.spot)
		}
	} else {
		for g := range p.way {
			for _, c := range g.calls {
				if c.to == f {
					from = append(from, c.spot)
				}
			}
		}
	}
	from = slices.DeleteFunc(from, func(s spot) bool { return !p.has(s) })
	known := slices.ContainsFunc(from, func(s spot) bool { return p.near[s.in] })
	for _, s := range from {
		if !known || p.near[s.in] {
			p.needFunction(s.in)
		}
	}
}

// fields returns the structs that get a field, sorted by name.
func (p *plan) fields() []*carrier {
	return slices.SortedFunc(maps.Keys(p.needs), func(a, b *carrier) int {
		return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.file.Path, b.file.Path))
	})
}

// passes reports whether there is an arena to pass on at a call.
func (p *plan) passes(c *call) bool { return p.needed[c.in] && p.has(c.spot) }

// fewNils limits the calls that pass nil: more take more lines than a twin.
const fewNils = 3

// takes reports whether a function gets a parameter, and twin whether it keeps a function of the old signature.
func (p *plan) takes(f *function) bool { return p.needed[f] && f != p.unit && p.way[f] == nil }
func (p *plan) twin(f *function) bool  { return f.keeps != "" || p.nils[f] > fewNils && f.args() != nil }
