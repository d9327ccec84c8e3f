package fix

import (
	"go/ast"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/trial"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// This file decides which of a trial's expressions a patch can move, and gives the reason for each of the others. It
// must not change a plan's ways.

// Each expression that stays has one reason, the first of these that holds:
//
//	it can't be written       the forms of forms.go have nothing of the same meaning
//	its function can't change generated, without a body, with a directive, in a file with cgo
//	it may run elsewhere      another goroutine needs an arena of its own
//	no way leads there        some call on the way is through an interface, a function value, or foreign code
//
// The last one names the call, since a person may be able to change it.

// take sorts out what of a finding can be moved.
func (p *plan) take(d trial.Done) {
	place := d.Finding.Place
	file := p.program.File(place.File)
	if file == nil {
		p.refuse(d.Finding, "its file was not read")
		return
	}
	if d.Finding.Lib != "" {
		for _, c := range p.libraryCalls(file, place.Line, d.Finding.Lib) {
			p.add(move{finding: d.Finding, file: file, call: c})
		}
		return
	}
	for _, e := range d.Exprs {
		p.add(move{finding: d.Finding, file: file, expr: &e})
	}
}

// add takes a move into the plan, or notes why not.
func (p *plan) add(m move) {
	m.in = p.at(m.file.Path, m.node().Pos())
	if why := p.whyNot(m); why != "" {
		p.refuse(m.finding, why)
		return
	}
	p.moves = append(p.moves, m)
}

// refuse notes why something isn't moved. The same reason is noted once for a finding.
func (p *plan) refuse(f verdict.Finding, why string) {
	if slices.ContainsFunc(p.left, func(l Left) bool {
		return l.Why == why && l.Finding.Place == f.Place && l.Finding.Text == f.Text
	}) {
		return
	}
	p.left = append(p.left, Left{Finding: f, Why: why})
}

// libraryCalls returns the calls of a library's function in a line.
func (p *plan) libraryCalls(file *source.File, line int, function string) (found []*ast.CallExpr) {
	ast.Inspect(file.Tree, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || p.line(call.Pos()) != line {
			return true
		}
		if fun, ok := call.Fun.(*ast.SelectorExpr); ok {
			if callee, ok := file.Info.Uses[fun.Sel].(*types.Func); ok && callee.FullName() == sites.Short(function) {
				found = append(found, call)
			}
		}
		return true
	})
	return found
}

// whyNot says why an expression can't be moved by a patch, "" if it can.
func (p *plan) whyNot(m move) string {
	at := p.spot(m.file.Path, m.node().Pos())
	f := at.in
	switch {
	case p.excluded[m.node()] != "":
		return p.excluded[m.node()]
	case p.unpaid[m.node()] != "":
		return p.unpaid[m.node()]
	case f == nil:
		return "it is outside of functions, in a variable of the package"
	case f.fixed != "":
		return sites.Bare(f.name()) + ": " + f.fixed
	case p.without[f] != "":
		return p.without[f]
	case at.literal && p.late[f] != "":
		return p.late[f]
	case at.launched:
		return "it may run on another goroutine, which needs an arena of its own"
	// From here on the expression can be moved.
	case p.supplied[f]:
		return ""
	}
	for _, s := range m.finding.Sites {
		if why := p.broken(s); why != "" {
			return why
		}
	}
	return "no call that is seen passes an arena to " + f.name()
}

// broken finds the call on a stack at which the arena gets lost: the outermost that is not by name.
func (p *plan) broken(s sites.Site) string {
	// The path has the innermost call first. The arena travels the other way, from the unit inwards.
	for i := len(s.Path) - 1; i > 0; i-- {
		from, to := p.of(s.Path[i]), p.of(s.Path[i-1])
		switch {
		case from == to && from != nil || to != nil && p.supplied[to]:
			continue
		case from == nil && i == len(s.Path)-1:
			return "the unit's file isn't read"
		// Foreign code: the standard library, or another module.
		case to == nil && !p.owns(s.Path[i-1].File):
			back := ""
			// Foreign code calls back into the module, as sort.Slice does: name the function that it calls.
			for j := i - 2; j >= 0 && back == ""; j-- {
				if f := p.of(s.Path[j]); f != nil {
					back = f.name()
				}
			}
			if back == "" {
				return sites.Short(s.Path[i-1].Function) + " has no arena to pass on"
			}
			return sites.Short(s.Path[i-1].Function) + " calls " + back + ", and has no arena to pass on"
		case to == nil:
			return sites.Bare(s.Path[i-1].Function) + " is outside of functions, or its file isn't read"
		case to.fixed != "":
			return to.name() + ": " + to.fixed
		case p.without[to] != "":
			return p.without[to]
		case p.away[to]:
			return to.name() + " may run on another goroutine, which needs an arena of its own"
		case from != nil && to.keeps == spreadOut:
			return from.name() + " calls " + to.name() +
				" with the results of another call, so no argument can be added"
		// The stack says that one calls the other, and the source has no such call by name.
		case from != nil && !slices.ContainsFunc(from.calls, func(c *call) bool { return c.to == to }):
			return "called by interface or function value: " + from.name() + " calls " + to.name() + " at " +
				p.place(s.Path[i].File, s.Path[i].Line) + unfit(to, p.carriers)
		}
	}
	return ""
}

// unfit says why the receiver of a method, which might carry the arena, doesn't.
func unfit(f *function, all map[string]*carrier) string {
	if recv := f.obj.Signature().Recv(); recv != nil {
		if c := all[typeKey(recv.Type())]; c != nil && c.unfit != "" {
			return "; " + c.name + " can't have a field: " + c.unfit
		} else if c != nil {
			return "; nobody beneath the unit makes a " + c.name
		}
	}
	return ""
}

// noFields says why functions that have got a parameter have none of their structs for it: Node can't have a field: a
// unit makes many.
func (p *plan) noFields() (all []string) {
	for f := range p.needed {
		if f == p.unit || p.way[f] != nil {
			continue
		}
		for _, v := range f.variables() {
			c := p.carriers[typeKey(v.Type())]
			if c == nil {
				continue
			}
			why := c.name + ": " + c.unfit
			switch {
			case c.unfit == "" && !p.carried[c]:
				why += "nobody beneath the unit makes one"
			case c.unfit == "" && f.comparesNil(v):
				why += f.name() + " may have nil"
			case c.unfit == "":
				continue
			}
			if !slices.Contains(all, why) {
				all = append(all, why)
			}
		}
	}
	slices.Sort(all)
	return all
}

// place names a line in a reason.
func (p *plan) place(file string, line int) string {
	return filepath.Base(file) + ":" + strconv.Itoa(line)
}

// Left is an expression that the patch leaves as it is, and why.
type Left struct {
	Finding verdict.Finding
	Why     string
}
