package flow

import (
	"fmt"
	"go/token"
	"path/filepath"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/state"
	"github.com/harena-go/arena/arenavet/internal/ignore"
)

// This file holds findings, from when one is noted until it is reported. It may not
// know why something is a mistake.

// A Kind says which analyzer a finding is for.
type Kind uint8

const (
	UseAfter Kind = iota
	Escape
	Goroutine
	Misuse
)

// A Finding is a mistake that was found.
type Finding struct {
	Kind    Kind
	Pos     token.Pos
	Message string
	Related []Related

	cause string // of several with the same one the first is reported
}

// A Related is a place that has to do with a finding.
type Related struct {
	Pos     token.Pos
	Message string
}

// Report reports the findings of a kind. The analyzer must require Analyzer and
// ignore.Analyzer.
func Report(pass *analysis.Pass, k Kind) {
	for _, x := range pass.ResultOf[Analyzer].(*Result).Findings {
		if x.Kind != k {
			continue
		}
		d := analysis.Diagnostic{Pos: x.Pos, Message: x.Message}
		for _, r := range x.Related {
			if r.Pos.IsValid() {
				d.Related = append(d.Related, analysis.RelatedInformation{Pos: r.Pos, Message: r.Message})
			}
		}
		ignore.Report(pass, d)
	}
}

// findings are what was found, by kind and place.
type findings map[string]Finding

// add notes a finding at an instruction, about t, which d has ended. Uses of one
// allocation that one instruction has ended have one cause; of arenas, and where
// nothing has died, each place is one of its own.
//
// There is one finding for each kind and place. Which, if maps are gone through in
// any order, is told by what it says.
func (all findings) add(k Kind, i ssa.Instruction, d *state.Death, t state.Tag, message string) {
	pos := state.Position(i)
	x := Finding{Kind: k, Pos: pos, Message: message}
	var allocated, died token.Pos
	if t.Site != nil {
		allocated = state.Position(t.Site)
		x.Related = append(x.Related, Related{allocated, "allocated here"})
	}
	if d != nil {
		died = state.Position(d.At)
		x.Related = append(x.Related, Related{died, "taken back here"})
	}
	x.cause = fmt.Sprintf("%d %d %d", k, allocated, died)
	if d == nil || t.Kind == state.Handle || k == Escape {
		x.cause += fmt.Sprint(" ", pos)
	}
	key := fmt.Sprintf("%d %d", k, pos)
	if old, ok := all[key]; !ok || x.Message+x.cause < old.Message+old.cause {
		all[key] = x
	}
}

// report notes a finding at an instruction, about t, which d has ended.
func (f *function) report(k Kind, i ssa.Instruction, d *state.Death, t state.Tag, message string) {
	f.found.add(k, i, d, t, message)
}

// ending says in words what has ended something, and where.
func (f *function) ending(d *state.Death) string {
	text := d.Verb + " " + f.where(d.At)
	if d.Deferred {
		text += " (deferred)"
	}
	return text
}

// where says in words where an instruction is.
func (f *function) where(i ssa.Instruction) string {
	p := f.pkg.pass.Fset.Position(state.Position(i))
	if here := f.pkg.pass.Fset.Position(f.fn.Pos()); here.Filename != p.Filename {
		return fmt.Sprintf("at %s:%d", filepath.Base(p.Filename), p.Line)
	}
	return fmt.Sprintf("in line %d", p.Line)
}
