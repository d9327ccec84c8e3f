// Package leak finds arenas that aren't given back.
package leak

import (
	"fmt"
	"go/types"
	"math"
	"reflect"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/facts"
	"github.com/harena-go/arena/arenavet/internal/ignore"
	"github.com/harena-go/arena/arenavet/internal/program"
)

const doc = `report arenas that aren't put back, and a Shared that isn't freed

An arena from Pool.Get that isn't put back on some path through the function is
lost to the pool: its memory goes to the GC, the next Get takes new chunks, and
the pool's limit counts it until the GC has found it. A Shared that is neither
freed nor reset on some path holds its chunks until the GC finds that all of its
values are dead.

Put it back on every path, best with defer pool.Put(a) right after Get, or use
Pool.Do, which does just that. Free a Shared with defer s.Free().

Not reported are arenas that are returned, stored somewhere, or given to a
function that may put them back or keep them; a function that returns an arena
from a pool, or a pointer to a struct that has it in a field, hands the duty on
to its callers. Paths that end in os.Exit or in a
panic don't count, unless the function recovers, and neither does what is in
test files: it ends with the test, and arenatest.NewPool finds it.`

// Analyzer reports arenas from a Pool that aren't put back on some path, and
// a Shared that isn't freed.
var Analyzer = &analysis.Analyzer{
	Name:             "leak",
	Doc:              doc,
	Requires:         []*analysis.Analyzer{duties, ignore.Analyzer},
	RunDespiteErrors: true, // see package program
	Run:              run,
}

// duties finds the functions that put arenas back, or leave that to their callers.
var duties = &analysis.Analyzer{
	Name:             "duties",
	Doc:              "find out who has to put arenas back",
	Requires:         []*analysis.Analyzer{program.Analyzer},
	FactTypes:        []analysis.Fact{new(duty)},
	ResultType:       reflect.TypeFor[*checker](),
	RunDespiteErrors: true, // see package program
	Run:              findDuties,
}

// A duty is a fact about a function: the arenas that its callers need not, or have to, give back.
type duty struct {
	Takes uint64 // a bit for each parameter that it may put back, free, or keep
	Lends uint64 // a bit for each result that is an arena to be put back
	Holds uint64 // a bit for each result that points to a struct with one in a field
	Field int    // the number of that field
}

func (*duty) AFact() {}

func (d *duty) String() string { return fmt.Sprintf("takes %b, lends %b", d.Takes, d.Lends) }

// A checker checks one package.
type checker struct {
	facts.Table[duty, *duty]
	settled  bool             // all duties are final
	holdings map[holding]bool // whether functions leave the parameter's arena to their callers
}

func findDuties(pass *analysis.Pass) (any, error) {
	c := &checker{Table: facts.New[duty](pass, program.Of(pass)), holdings: map[holding]bool{}}
	c.Solve(math.MaxInt, duty{Takes: ^uint64(0)}, c.duty)
	c.settled = true
	return c, nil
}

func run(pass *analysis.Pass) (any, error) {
	c := pass.ResultOf[duties].(*checker)
	for _, fn := range c.Funcs {
		if strings.HasSuffix(pass.Fset.Position(fn.Pos()).Filename, "_test.go") {
			continue
		}
		c.Guard.Run(fn, func() {
			for _, l := range c.loans(fn) {
				c.check(pass, fn, l)
			}
		})
	}
	return nil, nil
}

// duty computes the duty of a function from those of its callees. It only grows.
func (c *checker) duty(fn *ssa.Function) duty {
	d := *c.Of(fn)
	for i, p := range fn.Params {
		if i < 64 && watched(p.Type()) && len(c.follow(p).ends) > 0 {
			d.Takes |= 1 << i
		}
	}
	for _, l := range c.loans(fn) {
		if t := c.followLoan(l); t.onlyReturned() {
			d.hands(t)
		}
	}
	return d
}

// onlyReturned reports whether a value ends in no other way.
func (t *trace) onlyReturned() bool {
	for _, kind := range t.ends {
		if kind != returned {
			return false
		}
	}
	return true
}

// hands records the results in which a function returns a value.
func (d *duty) hands(t *trace) {
	for end := range t.ends {
		for i, result := range end.(*ssa.Return).Results {
			if i >= 64 || !t.is[result] {
				continue
			}
			field, held := t.held[result]
			switch {
			case !held:
				d.Lends |= 1 << i
			case d.Holds == 0:
				d.Holds, d.Field = 1<<i, field
			}
		}
	}
}

// watched reports whether values of a type may be an arena, or hold one.
func watched(t types.Type) bool {
	switch api.TypeOf(t) {
	case api.Arena, api.Shared:
		return true
	}
	_, pointer := types.Unalias(t).(*types.Pointer)
	return !pointer && types.IsInterface(t)
}

// A loan is an arena, or a Shared, that somebody has to give back.
type loan struct {
	call   *ssa.Call
	value  ssa.Value // the call or, if it has several results, one of them
	failed ssa.Value // the error of the call, if it returns one
	shared bool
	from   string // the callee's name
	holder bool   // the value points to a struct that has it in a field
	field  int
}

// followLoan traces the loan's value.
func (c *checker) followLoan(l loan) *trace {
	if !l.holder {
		return c.follow(l.value)
	}
	t := c.trace()
	t.holds(l.value, l.field)
	t.run()
	return t
}

// loans returns the loans that begin in a function.
func (c *checker) loans(fn *ssa.Function) (all []loan) {
	for instr := range api.Instrs(fn) {
		call, ok := instr.(*ssa.Call)
		if !ok {
			continue
		}
		if f := api.Callee(&call.Call); f != nil {
			if f.Verb == api.Get || f.Name == "NewShared" {
				all = append(all, loan{call: call, value: call, shared: f.Verb != api.Get, from: f.Name})
			}
			continue
		}
		d := c.Callee(&call.Call)
		if d == nil {
			continue
		}
		if d.Lends != 0 {
			all = append(all, lent(call, d.Lends)...)
		}
		if d.Holds != 0 {
			all = append(all, heldBy(lent(call, d.Holds), d.Field)...)
		}
	}
	return all
}

// lent returns the loans among the results of a call.
func lent(call *ssa.Call, lends uint64) (all []loan) {
	l := loan{call: call, from: call.Call.StaticCallee().Name()}
	if call.Call.Signature().Results().Len() == 1 {
		l.value = call
		l.shared = api.TypeOf(call.Type()) == api.Shared
		return []loan{l}
	}
	for _, r := range api.Uses(call) {
		if e, ok := r.(*ssa.Extract); ok && types.Identical(e.Type(), types.Universe.Lookup("error").Type()) {
			l.failed = e
		}
	}
	for _, r := range api.Uses(call) {
		if e, ok := r.(*ssa.Extract); ok && lends>>e.Index&1 != 0 {
			l.value, l.shared = e, api.TypeOf(e.Type()) == api.Shared
			all = append(all, l)
		}
	}
	return all
}

// heldBy turns loans of structs into loans of the values in a field.
func heldBy(all []loan, field int) []loan {
	for i := range all {
		l := &all[i]
		l.holder, l.field = true, field
		if p, ok := l.value.Type().Underlying().(*types.Pointer); ok {
			l.shared = api.TypeOf(p.Elem().Underlying().(*types.Struct).Field(field).Type()) == api.Shared
		}
	}
	return all
}
