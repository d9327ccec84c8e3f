// Package program builds the SSA form of packages, as the analyzers need it.
//
// Unlike x/tools' buildssa it skips the standard library, and very large packages that don't depend on package arena:
// they cost only a look at their imports.
package program

import (
	"go/ast"
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/guard"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// Analyzer builds the SSA form. Its result is nil for packages that it skips, and for package arena itself.
var Analyzer = &analysis.Analyzer{
	Name:             "program",
	Doc:              "build the SSA form of packages that aren't the standard library's",
	RunDespiteErrors: true, // see package program
	Run:              run,
	ResultType:       reflect.TypeFor[*Program](),
	FactTypes:        []analysis.Fact{new(depends)},
}

// A Program is the SSA form of one package.
type Program struct {
	Pkg   *ssa.Package
	Funcs []*ssa.Function // functions with source, with their literals, in source order
	arena bool            // it depends on package arena
}

// Of returns the result for a pass of an analyzer that requires Analyzer, nil if the package doesn't depend on package
// arena.
func Of(pass *analysis.Pass) *Program {
	if p := Any(pass); p != nil && p.arena {
		return p
	}
	return nil
}

// Any is Of for packages that don't depend on package arena, too.
func Any(pass *analysis.Pass) *Program {
	return pass.ResultOf[Analyzer].(*Program)
}

// depends is a fact about packages that depend on package arena.
type depends struct{}

func (*depends) AFact()         {}
func (*depends) String() string { return "depends on arena" }

func run(pass *analysis.Pass) (any, error) {
	// In a package with errors the compiler's messages are enough: all analyzers run, and find nothing. If this one
	// didn't run, a driver would report that none of the others can.
	if len(pass.TypeErrors) > 0 || api.Inside(pass.Pkg) {
		return (*Program)(nil), nil
	}
	if dependsOnArena(pass) {
		pass.ExportPackageFact(new(depends))
		p := Build(pass)
		p.arena = true
		return p, nil
	}
	return other(pass), nil
}

// largest bounds the bytes of source of a package that doesn't depend on package arena. Larger packages are usually
// generated.
const largest = 2 << 20

// other builds the SSA form of a package that doesn't depend on package arena, if it belongs to a module.
func other(pass *analysis.Pass) (p *Program) {
	size := 0
	for _, f := range pass.Files {
		size += int(f.FileEnd - f.FileStart)
	}
	if pass.Module == nil || pass.Module.Path == "" || size > largest {
		return nil
	}
	if !guard.Strict {
		defer func() { recover() }() // then the package is unknown
	}
	return Build(pass)
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
	p.add(p.Pkg.Func("init")) // it has the literals in package-level variables
	return p
}

func (p *Program) add(fn *ssa.Function) {
	p.Funcs = append(p.Funcs, fn)
	for _, literal := range fn.AnonFuncs {
		p.add(literal)
	}
}

// Walk adds blocks to a set, and all blocks reachable from them by next. It stops at blocks that are already in the
// set.
func Walk(set map[*ssa.BasicBlock]bool, from []*ssa.BasicBlock, next func(*ssa.BasicBlock) []*ssa.BasicBlock) {
	for len(from) > 0 {
		b := from[len(from)-1]
		from = from[: len(from)-1 : len(from)-1]
		if !set[b] {
			set[b] = true
			from = append(from, next(b)...)
		}
	}
}

// Branch returns the branch at the end of a block, nil if it ends in another way.
func Branch(b *ssa.BasicBlock) *ssa.If {
	branch, _ := b.Instrs[len(b.Instrs)-1].(*ssa.If)
	return branch
}

// Return returns the return at the end of a block, nil if it ends in another way.
func Return(b *ssa.BasicBlock) *ssa.Return {
	r, _ := b.Instrs[len(b.Instrs)-1].(*ssa.Return)
	return r
}

// Preds and Succs return the blocks before and after a block.
func Preds(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Preds }
func Succs(b *ssa.BasicBlock) []*ssa.BasicBlock { return b.Succs }

// ending has the functions of the standard library that don't return. SSA needs them to avoid impossible paths. (It
// knows panic itself.)
var ending = map[string]bool{
	"os.Exit": true, "syscall.Exit": true, "runtime.Goexit": true,
	"log.Fatal": true, "log.Fatalf": true, "log.Fatalln": true,
	"log.Panic": true, "log.Panicf": true, "log.Panicln": true,
	"(*log.Logger).Fatal": true, "(*log.Logger).Fatalf": true, "(*log.Logger).Fatalln": true,
	"(*log.Logger).Panic": true, "(*log.Logger).Panicf": true, "(*log.Logger).Panicln": true,
	"(*testing.common).Fatal": true, "(*testing.common).Fatalf": true, "(*testing.common).FailNow": true,
	"(*testing.common).Skip": true, "(*testing.common).Skipf": true, "(*testing.common).SkipNow": true,
	"(testing.TB).Fatal": true, "(testing.TB).Fatalf": true, "(testing.TB).FailNow": true,
	"(testing.TB).Skip": true, "(testing.TB).Skipf": true, "(testing.TB).SkipNow": true,
}

func noReturn(fn *types.Func) bool {
	pkg := fn.Pkg()
	if pkg == nil {
		return false
	}
	switch pkg.Path() {
	case "os", "syscall", "runtime", "log", "testing":
		return ending[fn.FullName()]
	}
	return false
}
