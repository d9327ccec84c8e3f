package flow

import (
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/keeps"
	"github.com/harena-go/arena/arenavet/internal/flow/std"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
	"github.com/harena-go/arena/arenavet/internal/guard"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// This file summarizes packages unrelated to arenas, for packages that use arenas.

// keptByOthers exports the flows of this package's functions from arguments to results and stores: package std has
// those of the standard library.
func keptByOthers(pass *analysis.Pass) {
	if built := build.Any(pass); built != nil {
		if !guard.Strict {
			defer func() { recover() }() // then the package is unknown
		}
		exportKept(pass, built, std.Flows)
	}
}

// exportKept exports package keeps' summaries of a package's functions, and returns them. table has the flows of the
// standard library.
func exportKept(pass *analysis.Pass, built *build.Program,
	table func(name string) string) map[*types.Func]*summary.Summary {
	all := keeps.Of(built.Pkg, code.Circles(built.Pkg, built.Funcs), func(fn *types.Func) *summary.Summary {
		s := new(summary.Summary)
		if pass.ImportObjectFact(fn, s) {
			return s
		}
		if text := table(fn.FullName()); text != "" {
			return summary.Parse(text)
		}
		return nil
	})
	for fn, s := range all {
		pass.ExportObjectFact(fn, s)
	}
	return all
}

// Kept is Flows with the analysis for packages unrelated to arenas: it finds only the certain effects of functions, and
// of a place in a container only that it is inside.
var Kept = &analysis.Analyzer{
	Name:       "kept",
	Doc:        "find out what functions return of what they are given, and where they keep it, on all of their ways",
	Run:        func(pass *analysis.Pass) (any, error) { return exportKept(pass, build.Build(pass), std.ByHand), nil },
	ResultType: Flows.ResultType,
	FactTypes:  []analysis.Fact{new(summary.Summary)},
}
