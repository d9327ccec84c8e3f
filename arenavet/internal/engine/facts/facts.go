// Package facts computes a fact for each function of a package from the facts of its callees, in the package and in
// others.
package facts

import (
	"go/types"
	"reflect"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/guard"
	"github.com/harena-go/arena/arenavet/internal/engine/program"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// A fact is a pointer to F, which other packages can import.
type fact[F any] interface {
	*F
	analysis.Fact
}

// Analyzer returns an analyzer whose result is what run returns, for others to report from. It exports facts of these
// types.
func Analyzer[R any](name, doc string, run func(*analysis.Pass) R, types ...analysis.Fact) *analysis.Analyzer {
	return &analysis.Analyzer{
		Name:             name,
		Doc:              doc,
		Requires:         []*analysis.Analyzer{program.Analyzer},
		FactTypes:        types,
		ResultType:       reflect.TypeFor[R](),
		RunDespiteErrors: true, // see package program
		Run:              func(pass *analysis.Pass) (any, error) { return run(pass), nil },
	}
}

// A Table holds a fact for each function of a package. The zero F is the empty fact.
type Table[F any, P fact[F]] struct {
	Pass  *analysis.Pass
	Guard *guard.Guard
	Funcs []*ssa.Function // in the order of source

	known    map[*ssa.Function]P
	imported map[types.Object]P
}

// New returns the table of a pass for the functions of a program, which may be nil.
func New[F any, P fact[F]](pass *analysis.Pass, p *program.Program) Table[F, P] {
	t := Table[F, P]{Pass: pass, Guard: guard.New(pass), known: map[*ssa.Function]P{}, imported: map[types.Object]P{}}
	if p != nil {
		t.Funcs = p.Funcs
	}
	for _, fn := range t.Funcs {
		t.known[fn] = new(F)
	}
	return t
}

// Solve looks at all functions until no fact changes any more, at most rounds times, and exports the facts. A function
// that the guard gives up gets the fact unknown.
func (t *Table[F, P]) Solve(rounds int, unknown F, look func(*ssa.Function) F) {
	if t.Funcs == nil {
		return
	}
	for changed := true; changed && rounds > 0; rounds-- {
		changed = false
		for _, fn := range t.Funcs {
			f := unknown
			t.Guard.Run(fn, func() { f = look(fn) })
			if !reflect.DeepEqual(f, *t.known[fn]) {
				*t.known[fn] = f
				changed = true
			}
		}
	}
	t.Guard.Done()
	var nothing F
	for fn, f := range t.known {
		if obj, ok := fn.Object().(*types.Func); ok && !reflect.DeepEqual(*f, nothing) {
			t.Pass.ExportObjectFact(obj, f)
		}
	}
}

// Of returns the fact of a function of the package, nil for others.
func (t *Table[F, P]) Of(fn *ssa.Function) P { return t.known[fn] }

// Callee returns the fact of the function that a call calls, nil if there is none.
func (t *Table[F, P]) Callee(call *ssa.CallCommon) P {
	fn := api.StaticCallee(call)
	if fn == nil {
		return nil
	}
	if f := t.known[fn]; f != nil {
		return f
	}
	obj, ok := fn.Object().(*types.Func)
	if !ok {
		return nil
	}
	f, asked := t.imported[obj]
	if !asked {
		if x := P(new(F)); t.Pass.ImportObjectFact(obj, x) {
			f = x
		}
		t.imported[obj] = f
	}
	return f
}
