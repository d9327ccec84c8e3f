package fix

import (
	"fmt"

	"github.com/harena-go/arena/scout/internal/trial"
	"github.com/harena-go/arena/scout/internal/verdict"
)

// This file leaves out what isn't worth its lines. A move by itself is one line; what costs is to get the arena there.

const (
	// leastOfFunction is the share of a unit's CPU that the moves of a function must save together, by the estimate. A
	// function that has the arena anyway, for what others move, moves the rest too.
	leastOfFunction = 0.005
	// leastOfPatch is how many times less CPU a unit must take with the patch, as measured.
	leastOfPatch = 1.05
)

// worth returns which share of a unit's CPU each function's moves save, by the estimate, nil without one.
func (p *plan) worth() map[*function]float64 {
	if p.look.Costs == nil {
		return nil
	}
	worth := map[*function]float64{}
	counted := map[string]map[*function]bool{}
	for _, m := range p.moves {
		name := finding(m.finding)
		if counted[name] == nil {
			counted[name] = map[*function]bool{}
		}
		if counted[name][m.in] {
			continue
		}
		counted[name][m.in] = true
		worth[m.in] += 1 - 1/p.look.Expect(func(f verdict.Finding) bool { return finding(f) == name })
	}
	return worth
}

// finding names a finding.
func finding(f verdict.Finding) string {
	return fmt.Sprint(f.Place.File, ":", f.Place.Line, f.Kind, f.Lib, f.Text, f.Verdict, f.Lag)
}

// pay keeps those moves that pay, by what each function's are worth; all if that is nil.
func (p *plan) pay(worth map[*function]float64) {
	if worth == nil {
		return
	}
	all := p.moves
	p.moves = nil
	for _, m := range all {
		if worth[m.in] >= leastOfFunction {
			p.moves = append(p.moves, m)
		}
	}
	p.need()
	p.moves = nil
	for _, m := range all {
		if b := p.way[m.in]; p.needed[m.in] || b != nil && p.needs[b.carrier] {
			p.moves = append(p.moves, m)
			continue
		}
		p.refuse(m.finding, fmt.Sprintf("what can be moved in %s saves less than %.1f%% of CPU", m.in.name(),
			100*leastOfFunction))
	}
}

// paid drops the patch if it doesn't pay, as measured.
func (r *Result) paid() {
	// The median of the rounds, or what the medians of both make: with much noise the two differ.
	m := &r.Measured
	if times := min(m.Times(), float64(m.Before)/float64(max(m.After, 1))); times < leastOfPatch {
		r.Why = fmt.Sprintf("a patch of %d lines, with %d expressions moved, gives %.2fx less CPU a unit; below %.2fx "+
			"it isn't worth it", r.Lines(), r.Moved, times, leastOfPatch)
		r.Moved, r.Files, r.Patch, r.Measured = 0, nil, "", trial.Result{}
	}
}
