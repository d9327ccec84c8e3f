// Package rules makes the analyzers that report what package engine finds.
//
// Each other package in this folder is a room: lifetime has the questions to states about memory and arenas that have
// ended, which package engine asks on its way through a function; noscan, leak, appendgrow, misuse and poolput have
// their own walks. No other package reports anything.
package rules

import (
	"golang.org/x/tools/go/analysis"

	"github.com/harena-go/arena/arenavet/internal/engine"
	"github.com/harena-go/arena/arenavet/internal/rules/finding"
	"github.com/harena-go/arena/arenavet/internal/rules/ignore"
)

// Check returns an analyzer that reports. It may use the results of other analyzers.
func Check(name, doc string, run func(*analysis.Pass), others ...*analysis.Analyzer) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:             name,
		Doc:              doc,
		Requires:         append(others, ignore.Analyzer),
		RunDespiteErrors: true, // see package program
		Run:              func(pass *analysis.Pass) (any, error) { run(pass); return nil, nil },
	}
}

// Finds returns the analyzer that reports the engine's findings of a kind.
func Finds(name, doc string, k finding.Kind) *analysis.Analyzer {
	return Check(name, doc, func(pass *analysis.Pass) { Report(pass, k) }, engine.Analyzer)
}

// Report reports the engine's findings of a kind, in an analyzer by Check that uses engine.Analyzer.
func Report(pass *analysis.Pass, k finding.Kind) {
	for _, x := range pass.ResultOf[engine.Analyzer].(*engine.Result).Findings {
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
