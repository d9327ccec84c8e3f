// Lint is a tool for go vet: vet's own analyzers, staticcheck's and arenavet's in one pass. The go command caches its
// results.
//
//	cd .ci/lint && GOWORK=off go build -o /tmp/lint .
//	go vet -vettool=/tmp/lint work
//
// Unused code isn't reported: go vet sees a package together with its tests.
package main

import (
	"go/token"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/analysis/unitchecker"
	"honnef.co/go/tools/analysis/lint"
	"honnef.co/go/tools/simple"
	"honnef.co/go/tools/staticcheck"
	"honnef.co/go/tools/stylecheck"

	"github.com/harena-go/arena/arenavet"
)

func main() {
	all := slices.Clone(vet.Suite)
	for _, a := range arenavet.All { // tests misuse arenas on purpose
		filter(a, func(_ *analysis.Pass, at token.Position) bool { return !strings.HasSuffix(at.Filename, "_test.go") })
		all = append(all, a)
	}
	for _, a := range slices.Concat(staticcheck.Analyzers, simple.Analyzers, stylecheck.Analyzers) {
		if a.Doc.NonDefault {
			continue
		}
		filter(a.Analyzer, func(pass *analysis.Pass, at token.Position) bool { return !allowed(a, pass, at) })
		all = append(all, a.Analyzer)
	}
	unitchecker.Main(all...)
}

// filter makes an analyzer report only findings for which wanted returns true.
func filter(a *analysis.Analyzer, wanted func(*analysis.Pass, token.Position) bool) {
	run := a.Run
	a.Run = func(pass *analysis.Pass) (any, error) {
		filtered := *pass
		filtered.Report = func(d analysis.Diagnostic) {
			if wanted(pass, pass.Fset.Position(d.Pos)) {
				d.Message = a.Name + ": " + d.Message
				pass.Report(d)
			}
		}
		return run(&filtered)
	}
}

// allowed reports whether a comment such as "//lint:ignore SA1019 reason" stands above or on the line of a finding. The
// benchmarks need the GOROOT that they were built with.
func allowed(a *lint.Analyzer, pass *analysis.Pass, at token.Position) bool {
	name := a.Analyzer.Name
	if name == "SA1019" && strings.HasPrefix(pass.Pkg.Path(), "github.com/harena-go/arena/bench") {
		return true
	}
	for _, d := range lint.ParseDirectives(pass.Files, pass.Fset) {
		line := pass.Fset.Position(d.Directive.Pos())
		if d.Command == "ignore" && len(d.Arguments) > 1 && d.Arguments[0] == name &&
			line.Filename == at.Filename && (line.Line == at.Line || line.Line+1 == at.Line) {
			return true
		}
	}
	return false
}
