package flow

import (
	"go/types"

	"golang.org/x/tools/go/analysis"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/flow/code"
	"github.com/harena-go/arena/arenavet/internal/flow/keeps"
	"github.com/harena-go/arena/arenavet/internal/flow/std"
	"github.com/harena-go/arena/arenavet/internal/flow/summary"
	"github.com/harena-go/arena/arenavet/internal/guard"
	build "github.com/harena-go/arena/arenavet/internal/program"
)

// This file holds what is found out about packages that have nothing to do with arenas, for those
// that have.

// largest is how many bytes of source are looked at of a package, at most. What is larger is
// generated, most often.
const largest = 2 << 20

// keptByOthers tells other packages what this one's functions return of what they are given, and where
// they keep it, if it belongs to a module: package std knows the standard library.
func keptByOthers(pass *analysis.Pass) {
	if pass.Module == nil || pass.Module.Path == "" || len(pass.TypeErrors) > 0 || api.Inside(pass.Pkg) {
		return
	}
	size := 0
	for _, f := range pass.Files {
		size += int(f.FileEnd - f.FileStart)
	}
	if size > largest {
		return
	}
	defer func() {
		if !guard.Strict {
			recover() // nothing is known of the package then
		}
	}()
	exportKept(pass, std.Flows)
}

// exportKept tells what package keeps says of the functions of a package, and returns it. table says what
// those of the standard library do.
func exportKept(pass *analysis.Pass, table func(name string) string) map[*types.Func]*summary.Summary {
	built := build.Build(pass)
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
	Run:        func(pass *analysis.Pass) (any, error) { return exportKept(pass, std.ByHand), nil },
	ResultType: Flows.ResultType,
	FactTypes:  []analysis.Fact{new(summary.Summary)},
}
