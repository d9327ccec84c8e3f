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

// This file holds what is found out about packages that have nothing to do with arenas, for those
// that have.

// keptByOthers tells other packages what this one's functions return of what they are given, and where
// they keep it: package std knows the standard library.
func keptByOthers(pass *analysis.Pass) {
	if built := build.Any(pass); built != nil {
		if !guard.Strict {
			defer func() { recover() }() // nothing is known of the package then
		}
		exportKept(pass, built, std.Flows)
	}
}

// exportKept tells what package keeps says of the functions of a package, and returns it. table says what
// those of the standard library do.
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

// Kept finds out for each package what Flows does, as of a package that has nothing to do with arenas: what
// functions do in any case, and no more of where than that it is inside.
var Kept = &analysis.Analyzer{
	Name:       "kept",
	Doc:        "find out what functions return of what they are given, and where they keep it, on all of their ways",
	Run:        func(pass *analysis.Pass) (any, error) { return exportKept(pass, build.Build(pass), std.ByHand), nil },
	ResultType: Flows.ResultType,
	FactTypes:  []analysis.Fact{new(summary.Summary)},
}
