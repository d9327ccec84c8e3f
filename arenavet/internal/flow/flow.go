package flow

import (
	"go/types"
	"maps"
	"reflect"

	"golang.org/x/tools/go/analysis"

	"github.com/harena-go/arena/arenavet/internal/flow/finding"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
	"github.com/harena-go/arena/arenavet/internal/ignore"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// Analyzer finds misuse, for others to report. Its result is a *Result.
var Analyzer = &analysis.Analyzer{
	Name:       "arenaflow",
	Doc:        "follow arenas and their memory through a program\n\nIt reports nothing itself: see useafter, escape and goroutine.",
	Requires:   []*analysis.Analyzer{build.Analyzer},
	Run:        run,
	ResultType: reflect.TypeFor[*Result](),
	FactTypes:  []analysis.Fact{new(summary.Summary)},
}

// Result is what was found in a package, in source order.
type Result struct {
	Findings []finding.Finding
}

func run(pass *analysis.Pass) (any, error) {
	built := build.Of(pass)
	if built == nil {
		return &Result{}, nil
	}
	p := newDriver(pass, built)
	p.analyzeAll()
	p.Guard.Done()
	p.export()
	found := finding.Set{}
	for _, f := range p.found {
		maps.Copy(found, f)
	}
	return &Result{found.Sorted()}, nil
}

// Flows finds out what any function does with what it is given, also one that has
// nothing to do with arenas: it is how the table of the standard library is made. Its
// result is a map of *types.Func to *summary.Summary.
var Flows = &analysis.Analyzer{
	Name:       "flows",
	Doc:        "find out what functions return of what they are given, and where they keep it",
	Run:        flows,
	ResultType: reflect.TypeFor[map[*types.Func]*summary.Summary](),
	FactTypes:  []analysis.Fact{new(summary.Summary)},
}

func flows(pass *analysis.Pass) (any, error) {
	built := build.Build(pass)
	p := newDriver(pass, built)
	p.All = true
	p.analyzeAll()
	return p.export(), nil
}

// export tells other packages of this one's functions, and returns what it tells.
func (p *driver) export() map[*types.Func]*summary.Summary {
	told := map[*types.Func]*summary.Summary{}
	for fn, s := range p.Summaries {
		if obj, ok := fn.Object().(*types.Func); ok && obj.Pkg() == p.Pass.Pkg && !s.Empty() {
			p.Pass.ExportObjectFact(obj, s.Foreign())
			told[obj] = s
		}
	}
	return told
}

// Report reports the findings of a kind. The analyzer must require Analyzer and
// ignore.Analyzer.
func Report(pass *analysis.Pass, k finding.Kind) {
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
