package fix

import (
	"bytes"
	"fmt"
	"go/ast"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/harena-go/arena/scout/internal/edit"
	"github.com/harena-go/arena/scout/internal/sites"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// This file leaves out what isn't worth its lines. A move by itself is two or four; what costs is to get the arena
// there.

const (
	// leastOfLine is the share of a unit's CPU that each line of a patch must save, by the estimate, and fewLines is
	// how many a person reads at once: in a patch that is twice as long each costs twice as much. OPA's parser got 156,
	// 181 and 199 lines with 110, 130 and 150, and 85, 89 and 92% of what all would save.
	leastOfLine = 0.0005
	fewLines    = 130
	// leastOfPatch is how many times less CPU a unit must take with the patch, as measured.
	leastOfPatch = 1.05
)

// What shares lines is judged together. The groups are: each move by itself, all in a line, all for which a function
// gets a parameter, and all for which a struct gets a field. A group goes with the lines that only its moves need. The
// one that saves least for each of its lines goes first, with all its moves: if the cheap ones went before, what is
// left of it would have to pay for all its lines.

// worth returns which share of a unit's CPU each move saves, by the estimate, nil without one. It is of the moves of
// the first round: later ones have some of them. The estimate is of all moves together, and each has its part by
// objects and bytes: a profile of seconds has no sample of most lines.
func (p *plan) worth() map[ast.Node]float64 {
	if p.look.Costs == nil || p.saves != nil {
		return p.saves
	}
	// What is measured is a finding, which may have several expressions, and an expression several findings.
	nodes, weights, sum := map[string][]ast.Node{}, map[string]float64{}, 0.0
	for _, m := range p.moves {
		name := finding(m.finding)
		if nodes[name] == nil {
			weights[name] = sites.Cost(m.finding.Objects, m.finding.Bytes)
			sum += weights[name]
		}
		if !slices.Contains(nodes[name], m.node()) {
			nodes[name] = append(nodes[name], m.node())
		}
	}
	saved := 1 - 1/max(p.look.Expect(func(f verdict.Finding) bool { return nodes[finding(f)] != nil }), 1)
	p.saves = map[ast.Node]float64{}
	for name, of := range nodes {
		for _, n := range of {
			p.saves[n] += saved * weights[name] / max(sum, 1) / float64(len(of))
		}
	}
	return p.saves
}

// share returns how much of what all moves would save those of the plan save, by the estimate, 1 without one.
func (p *plan) share() float64 {
	all, some := 0.0, 0.0
	for _, worth := range p.saves {
		all += worth
	}
	for _, n := range p.nodes() {
		some += p.saves[n]
	}
	if all <= 0 {
		return 1
	}
	return some / all
}

// nodes returns the expressions that the plan moves.
func (p *plan) nodes() (all []ast.Node) {
	for _, m := range p.moves {
		if !slices.Contains(all, m.node()) { // which several findings may have
			all = append(all, m.node())
		}
	}
	return all
}

// finding names a finding.
func finding(f verdict.Finding) string {
	return fmt.Sprint(f.Place.File, ":", f.Place.Line, f.Kind, f.Lib, f.Text, f.Verdict, f.Lag)
}

// A group is moves that share lines.
type group map[ast.Node]bool

// groups returns those of the moves that are planned. The first ones are single moves.
func (p *plan) groups() (all []group, singles int) {
	moves, shared := p.moves, map[any]group{}
	for _, m := range moves {
		if slices.ContainsFunc(all, func(g group) bool { return g[m.node()] }) {
			continue
		}
		all = append(all, group{m.node(): true})
		p.moves = []move{m}
		p.need()
		add := func(by any) {
			if shared[by] == nil {
				shared[by] = group{}
			}
			shared[by][m.node()] = true
		}
		add(m.file.Path + strconv.Itoa(p.line(m.node().Pos())))
		for f := range p.needed {
			if f != p.unit && p.way[f] == nil {
				add(f)
			}
		}
		for c := range p.needs {
			add(c)
		}
	}
	singles = len(all)
	for _, g := range shared {
		if len(g) > 1 {
			all = append(all, g)
		}
	}
	p.moves = moves
	p.need()
	return all, singles
}

// pay notes what isn't worth its lines, by what each move saves, and reports whether there is something: the plan
// must be made anew then. All moves stay if that isn't known, or if all are wanted.
func (p *plan) pay(worth map[ast.Node]float64) bool {
	if worth == nil || p.all {
		return false
	}
	before := len(p.unpaid)
	if p.whole == "" {
		sum := 0.0
		for _, saves := range worth {
			sum += saves
		}
		p.whole = fmt.Sprintf("a patch with all %d expressions has some %d lines, and saves %.0f%% of CPU by the "+
			"estimate", len(worth), p.lines(), 100*sum)
	}
	for {
		all, singles := p.groups()
		lines, lowest := p.lines(), math.Inf(1)
		var worst group
		var cost int
		for i, g := range all {
			moves := p.moves
			p.moves = slices.DeleteFunc(slices.Clone(moves), func(m move) bool { return g[m.node()] })
			p.need()
			saved := lines - p.lines()
			p.moves = moves
			ratio := g.worth(worth) / float64(max(saved, 1))
			// The lines of a single move don't become fewer by what else goes.
			if i < singles && saved > 0 && ratio < leastOfLine {
				p.drop(g, worth, saved)
			} else if ratio < lowest && g.worth(worth) < price(lines)-price(lines-saved) {
				worst, lowest, cost = g, ratio, saved
			}
		}
		p.need()
		left := func(m move) bool { return p.unpaid[m.node()] != "" }
		if !slices.ContainsFunc(p.moves, left) {
			if worst == nil {
				return len(p.unpaid) > before
			}
			p.drop(worst, worth, cost)
		}
		p.moves = slices.DeleteFunc(slices.Clone(p.moves), left)
		p.need()
	}
}

// price returns which share of a unit's CPU a patch of so many lines must save.
func price(lines int) float64 { return leastOfLine * float64(lines) * max(1, float64(lines)/fewLines) }

// worth returns which share of a unit's CPU a group saves.
func (g group) worth(of map[ast.Node]float64) (sum float64) {
	for n := range g {
		sum += of[n]
	}
	return sum
}

// drop notes that a group isn't worth its lines.
func (p *plan) drop(g group, worth map[ast.Node]float64, lines int) {
	share := fmt.Sprintf("%.1f%%", 100*g.worth(worth))
	if g.worth(worth) < leastOfLine {
		share = "next to none"
	}
	for n := range g {
		p.unpaid[n] = fmt.Sprintf("it would save %s of CPU with %d lines", share, lines)
	}
}

// lines returns about how many lines the patch adds or removes by now, without those that are generated.
func (p *plan) lines() (n int) {
	w, _, err := p.edit("")
	if err != nil {
		return 0
	}
	for path, edits := range w.edits {
		n += changed(w.texts[path], edits) // of a generated file as many in its grammar, which alone is read
	}
	for f := range p.needed {
		if p.way[f] == nil && p.twin(f) {
			n -= 2 // the line with its old name stays
		}
	}
	return n
}

// changed returns how many lines edits add or remove.
func changed(text []byte, edits []edit.Edit) (n int) {
	touched := map[int]bool{} // offsets at which lines begin
	for _, e := range edits {
		begin := bytes.LastIndexByte(text[:e.From], '\n') + 1
		blank := len(bytes.TrimSpace(text[begin:e.From])) == 0
		ends := e.From == len(text) || text[e.From] == '\n'
		n += strings.Count(e.Text, "\n")
		// Whole lines are put between others.
		if e.From == e.To && (blank && strings.HasSuffix(e.Text, "\n") || ends && strings.HasPrefix(e.Text, "\n")) {
			continue
		}
		touched[begin] = true
		for i := e.From; i < e.To; i++ {
			if text[i] == '\n' {
				touched[i+1] = true
				n--
			}
		}
	}
	return n + 2*len(touched)
}
