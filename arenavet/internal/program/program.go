// Package program builds the SSA form of packages, as the analyzers need it.
//
// It differs from x/tools' buildssa in that it leaves alone all packages that
// can't have to do with arenas, which are most of what a program depends on, and
// so are all of its own packages in most programs. What a package costs that
// doesn't depend on package arena is a look at its imports.
package program

import (
	"go/ast"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// Analyzer builds the SSA form. Its result is nil for packages that don't
// depend on package arena, and for package arena itself.
var Analyzer = &analysis.Analyzer{
	Name:             "program",
	Doc:              "build the SSA form of packages that depend on package arena",
	RunDespiteErrors: true, // see package program
	Run:              run,
	ResultType:       reflect.TypeFor[*Program](),
	FactTypes:        []analysis.Fact{new(depends)},
}

// A Program is the SSA form of one package.
type Program struct {
	Pkg   *ssa.Package
	Funcs []*ssa.Function // all that have source, with the literals in them, in the order of source
}

// Of returns the result for a pass of an analyzer that requires Analyzer.
func Of(pass *analysis.Pass) *Program {
	return pass.ResultOf[Analyzer].(*Program)
}

// depends is a fact about packages that depend on package arena.
type depends struct{}

func (*depends) AFact()         {}
func (*depends) String() string { return "depends on arena" }

func run(pass *analysis.Pass) (any, error) {
	// Of a package with errors the compiler says enough: all analyzers run, and find nothing. If this one
	// were not to run, a driver would say of each other one that it can't.
	if len(pass.TypeErrors) > 0 || api.Inside(pass.Pkg) || !dependsOnArena(pass) {
		return (*Program)(nil), nil
	}
	pass.ExportPackageFact(new(depends))
	return Build(pass), nil
}

func dependsOnArena(pass *analysis.Pass) bool {
	for _, imported := range pass.Pkg.Imports() {
		if imported.Path() == api.Path || pass.ImportPackageFact(imported, new(depends)) {
			return true
		}
	}
	return false
}

// Build builds the SSA form of any package.
func Build(pass *analysis.Pass) *Program {
	prog := ssa.NewProgram(pass.Fset, 0)
	prog.SetNoReturn(noReturn)
	for _, imported := range pass.Pkg.Imports() {
		prog.CreatePackage(imported, nil, nil, true)
	}
	p := &Program{Pkg: prog.CreatePackage(pass.Pkg, pass.Files, pass.TypesInfo, false)}
	p.Pkg.Build()
	for _, file := range pass.Files {
		for _, decl := range file.Decls {
			if decl, ok := decl.(*ast.FuncDecl); ok {
				p.add(prog.FuncValue(pass.TypesInfo.Defs[decl.Name].(*types.Func)))
			}
		}
	}
	p.add(p.Pkg.Func("init")) // literals in package-level variables are its
	return p
}

func (p *Program) add(fn *ssa.Function) {
	p.Funcs = append(p.Funcs, fn)
	for _, literal := range fn.AnonFuncs {
		p.add(literal)
	}
}
