// Package poolput finds uses of values after they were given back to a sync.Pool, or to something like one.
package poolput

import (
	"fmt"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	"github.com/harena-go/arena/arenavet/internal/engine/facts"
	"github.com/harena-go/arena/arenavet/internal/engine/program"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
	"github.com/harena-go/arena/arenavet/internal/rules"
	"github.com/harena-go/arena/arenavet/internal/rules/ignore"
)

const doc = `report uses of what was given back to a pool

After sync.Pool.Put another goroutine may have the value, and all that it reuses: the
bytes that a bytes.Buffer has returned are overwritten by the next user.

	b := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(b)
	...
	return b.Bytes() // dead before the caller sees it

Also reported: what is put twice, a goroutine that has the context of a request of
fasthttp, gin or echo, and sql.RawBytes that are kept beyond the next row. Functions that
put back what they are given are known in other packages, too.

Return a copy, as of bytes.Clone, or let the caller put it back.`

// Analyzer is the check.
var Analyzer = rules.Check("poolput", doc, func(pass *analysis.Pass) {
	c := pass.ResultOf[effects].(*checker)
	c.report = func(at ssa.Instruction, message string) {
		ignore.Report(pass, analysis.Diagnostic{Pos: state.Position(at), Message: message})
	}
	for _, fn := range c.Funcs {
		c.Guard.Run(fn, func() { c.check(fn) })
	}
}, effects)

var effects = facts.Analyzer("puts", "find out what functions give back of what they are given", run,
	new(effect), new(reused))

// An effect describes a function's effects on its parameters.
type effect struct {
	Puts  uint64 // it gives these parameters back
	Shows int    // the parameter whose memory its first result shares, counted from 1
}

func (*effect) AFact() {}

// reused is a fact about a field: its slice is emptied to be filled again.
type reused struct{}

func (*reused) AFact() {}

type checker struct {
	facts.Table[effect, *effect]
	reused map[*types.Var]bool
	given  map[*types.Var]bool     // fields whose slices callers may have, too
	roots  map[ssa.Value]ssa.Value // see root
	report func(at ssa.Instruction, message string)
}

func run(pass *analysis.Pass) *checker {
	c := &checker{Table: facts.New[effect](pass, program.Any(pass)), reused: map[*types.Var]bool{},
		given: map[*types.Var]bool{}}
	for _, fn := range c.Funcs {
		for i := range api.Instrs(fn) {
			c.findReused(i)
		}
	}
	for field := range c.reused {
		if field.Exported() && field.Pkg() == pass.Pkg && !c.given[field] {
			pass.ExportObjectFact(field, new(reused))
		}
	}
	c.Solve(rounds, effect{}, c.look)
	return c
}

// rounds is the number of visits of each function: the depth to which calls against source order are understood.
const rounds = 3

// findReused records the field whose slice an instruction empties, and a field that is set to a parameter.
func (c *checker) findReused(i ssa.Instruction) {
	if st, ok := i.(*ssa.Store); ok {
		_, isGiven := st.Val.(*ssa.Parameter)
		if at, ok := st.Addr.(*ssa.FieldAddr); ok && isGiven && isText(st.Val.Type()) {
			c.given[shape.Holder(at)] = true
		}
	}
	if s, ok := i.(*ssa.Slice); ok && s.High != nil && defuse.IsZero(s.High) {
		if load, ok := s.X.(*ssa.UnOp); ok {
			if at, ok := load.X.(*ssa.FieldAddr); ok {
				c.reused[shape.Holder(at)] = true
			}
		}
	}
}

func (c *checker) isReused(field *types.Var) bool {
	if field.Pkg() != c.Pass.Pkg {
		return c.Pass.ImportObjectFact(field, new(reused))
	}
	return c.reused[field] && !c.given[field]
}

// look returns a function's effects on its parameters.
func (c *checker) look(fn *ssa.Function) (e effect) {
	c.roots = map[ssa.Value]ssa.Value{}
	for _, end := range c.ends(fn) {
		if n := parameter(fn, end.value); n >= 0 && mayEnd(end.at) {
			e.Puts |= 1 << n
		}
	}
	for r := range api.Of[*ssa.Return](fn) {
		if len(r.Results) > 0 && isText(r.Results[0].Type()) {
			e.Shows = max(e.Shows, parameter(fn, c.root(r.Results[0]))+1)
		}
	}
	return e
}

func parameter(fn *ssa.Function, v ssa.Value) int {
	p, _ := v.(*ssa.Parameter)
	return slices.Index(fn.Params, p)
}

// An end is a call, or a defer statement, that gives a value back.
type end struct {
	at    ssa.CallInstruction
	value ssa.Value
	name  string
}

// ends returns the ends in a function, and in literals that it calls or defers.
func (c *checker) ends(fn *ssa.Function) (list []end) {
	for call := range api.Calls(fn) {
		if _, isGo := call.(*ssa.Go); isGo {
			continue
		}
		common := call.Common()
		name := code.CalleeName(common)
		if literal, ok := common.Value.(*ssa.MakeClosure); ok && literal.Fn.(*ssa.Function).Parent() == fn {
			for _, e := range c.ends(literal.Fn.(*ssa.Function)) {
				if e.value.Parent() != literal.Fn && mayEnd(e.at) {
					list = append(list, end{call, e.value, e.name})
				}
			}
		} else if callee := c.Callee(common); callee != nil {
			for n, a := range common.Args {
				if callee.Puts>>n&1 == 1 {
					list = append(list, end{call, c.root(a), code.ShortName(common)})
				}
			}
		} else if name == "(*sync.Pool).Put" || common.IsInvoke() && strings.HasSuffix(name, "Pool).Put") {
			list = append(list, end{call, c.root(common.Args[len(common.Args)-1]), code.ShortName(common)})
		}
	}
	return list
}

// mayEnd reports whether an end counts for callers: it is on all paths on which the value isn't nil, or too large.
func mayEnd(at ssa.CallInstruction) bool {
	if code.Always(at, func(int) {}) {
		return true
	}
	for branch := range api.Of[*ssa.If](at.Parent()) {
		if cond, ok := branch.Cond.(*ssa.BinOp); !ok || !isSize(cond.X) && !isSize(cond.Y) {
			return false
		}
	}
	return true
}

// isSize reports whether a value is nil, or a length or a capacity.
func isSize(v ssa.Value) bool {
	call, ok := v.(*ssa.Call)
	if !ok {
		return defuse.IsNil(v) && !shape.IsError(v.Type())
	}
	name := call.Call.Value.Name()
	return name == "len" || name == "cap" || name == "Len" || name == "Cap"
}

// check reports the mistakes in a function.
func (c *checker) check(fn *ssa.Function) {
	c.roots = map[ssa.Value]ssa.Value{}
	ends, paths := c.ends(fn), code.NewPaths(fn, c.Guard.Spend)
	for _, e := range ends {
		switch e.value.(type) {
		case *ssa.Const, *ssa.Global, *ssa.Function:
			continue
		}
		f := &function{c, fn, e, ends, paths}
		_, deferred := e.at.(*ssa.Defer)
		if !deferred {
			f.usedAfter()
		}
		for i := range api.Instrs(fn) {
			if deferred && f.leads(e.at, i) {
				f.reclaims(i)
			}
			if !f.leads(i, e.at) && (!deferred || !f.leads(e.at, i)) {
				continue
			}
			if f.keeps(i, e.value) {
				f.found(i, "this is kept here, but %s in line %d gives it back: keep a copy")
			} else if f.gives(i, e.value) {
				f.found(i, "this goroutine has what %s in line %d gives back without waiting for it")
			}
		}
	}
	for start := range api.Of[*ssa.Go](fn) {
		c.request(start)
	}
	for call := range api.Of[*ssa.Call](fn) {
		c.rows(call)
	}
}

// A function is a function that gives a value back.
type function struct {
	*checker
	fn *ssa.Function
	end
	ends  []end
	paths code.Paths
}

func (f *function) isIts(v ssa.Value) bool { return f.root(v) == f.value }

// leads reports whether both instructions may run, the second after the first, with the same value.
func (f *function) leads(from, to ssa.Instruction) bool {
	def, _ := f.value.(ssa.Instruction)
	if def != nil && def.Parent() != f.fn {
		def = nil
	}
	return !f.paths.Contradict(from, to) && code.Leads(from, to, def, f.Guard.Spend)
}

func (f *function) found(at ssa.Instruction, format string) {
	f.report(at, fmt.Sprintf(format, f.name, f.Pass.Fset.Position(f.at.Pos()).Line))
}

// usedAfter reports the first use after an end.
func (f *function) usedAfter() {
	done := false
	w := defuse.Walk[bool]{Visit: func(i ssa.Instruction, _ bool) (bool, bool) {
		if v, ok := i.(ssa.Value); done || ok && v == f.value {
			return false, false
		}
		if what := f.uses(i); what != "" && !f.paths.Contradict(f.at, i) {
			f.found(i, what)
			done = true
		}
		return false, !done
	}}
	w.Behind(f.at, false)
}

// uses returns the message for an instruction that uses the value after its end, "" if it doesn't use it.
func (f *function) uses(i ssa.Instruction) string {
	what := "this was given back by %s in line %d: another goroutine may have it"
	switch i := i.(type) {
	case *ssa.Phi, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface, *ssa.TypeAssert, *ssa.Extract, *ssa.Slice,
		*ssa.MakeClosure, *ssa.BinOp, *ssa.RunDefers:
		return ""
	case *ssa.Store:
		if _, isVariable := i.Addr.(*ssa.Alloc); isVariable {
			return ""
		}
	case *ssa.UnOp:
		if _, isVariable := i.X.(*ssa.Alloc); isVariable {
			return ""
		}
	case *ssa.Return:
		what = "this is returned, but %s in line %d has given it back: return a copy"
	case ssa.CallInstruction:
		if api.IsBuiltin(i, "len") || api.IsBuiltin(i, "cap") || code.CalleeName(i.Common()) == "runtime.KeepAlive" {
			return ""
		}
		if slices.ContainsFunc(f.ends, func(e end) bool { return e.at == i && e.value == f.value }) {
			return "this is given back a second time; the first is %s in line %d"
		}
	}
	if slices.ContainsFunc(i.Operands(nil), func(op *ssa.Value) bool { return *op != nil && f.isIts(*op) }) {
		return what
	}
	return ""
}

// reclaims reports an instruction after a defer statement that returns the deferred call's value, or gives it back,
// too.
func (f *function) reclaims(i ssa.Instruction) {
	if slices.ContainsFunc(f.ends, func(e end) bool { return e.at == i && i != f.at && e.value == f.value }) {
		f.found(i, "this is given back a second time by the deferred %s in line %d")
	}
	r, ok := i.(*ssa.Return)
	if !ok {
		return
	}
	for _, v := range r.Results {
		if f.isIts(defuse.Latest(v)) {
			f.found(r, "this is returned, but the deferred %s in line %d gives it back: return a copy")
		}
	}
}

// keeps reports whether an instruction stores memory of a value where it is seen beyond the function, which stores
// nothing else there.
func (c *checker) keeps(i ssa.Instruction, of ssa.Value) bool {
	switch i := i.(type) {
	case *ssa.Send:
		return isText(i.X.Type()) && c.root(i.X) == of && !waits(i.Parent())
	case *ssa.MapUpdate:
		return isText(i.Value.Type()) && c.root(i.Value) == of && c.isOutside(i.Map, of)
	case *ssa.Store:
		if !isText(i.Val.Type()) || c.root(i.Val) != of || !c.isOutside(i.Addr, of) {
			return false
		}
		stores := 0
		for _, fn := range append([]*ssa.Function{i.Parent()}, i.Parent().AnonFuncs...) {
			for st := range api.Of[*ssa.Store](fn) {
				if holder := shape.Holder(i.Addr); holder != nil && shape.Holder(st.Addr) == holder {
					stores++
				}
			}
		}
		return stores <= 1
	}
	return false
}

// isOutside reports whether an address, or a map, is of a global, a parameter or a captured variable.
func (c *checker) isOutside(v, of ssa.Value) bool {
	for c.root(v) != of {
		switch v.(type) {
		case *ssa.Global, *ssa.FreeVar, *ssa.Parameter:
			return true
		case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.UnOp:
			v = api.Operand(v)
		default:
			return false
		}
	}
	return false
}

// request reports a goroutine that has the context of a request, and isn't waited for.
func (c *checker) request(start *ssa.Go) {
	fn := start.Parent()
	if code.RequestParams(fn) == 1 && c.gives(start, fn.Params[len(fn.Params)-1]) {
		c.report(start, "this goroutine has the request's context, which is another request's when the handler has "+
			"returned: give it a copy of what it needs")
	}
}

// gives reports whether a goroutine has a value, or memory that it reuses, and isn't waited for.
func (c *checker) gives(i ssa.Instruction, of ssa.Value) bool {
	start, ok := i.(*ssa.Go)
	if !ok || waits(start.Parent()) {
		return false
	}
	has := func(i ssa.Instruction) bool {
		return slices.ContainsFunc(i.Operands(nil), func(op *ssa.Value) bool { return *op != nil && c.root(*op) == of })
	}
	given := has(start)
	if literal, ok := start.Call.Value.(*ssa.MakeClosure); ok {
		for i := range api.Instrs(literal.Fn.(*ssa.Function)) {
			given = given || has(i)
		}
	}
	for _, a := range start.Call.Args {
		for _, st := range defuse.Items(a) {
			given = given || has(st)
		}
	}
	return given
}

// waits reports whether a function may wait for another goroutine.
func waits(fn *ssa.Function) bool {
	for i := range api.Instrs(fn) {
		// After TimeoutError fasthttp leaves the context to the goroutine.
		call, ok := i.(ssa.CallInstruction)
		if code.Waits(i) || ok && strings.Contains(code.ShortName(call.Common()), "TimeoutError") {
			return true
		}
	}
	return false
}

// rows reports sql.RawBytes that are kept in a loop which scans the next row into them.
func (c *checker) rows(scan *ssa.Call) {
	if code.CalleeName(&scan.Call) != "(*database/sql.Rows).Scan" || !code.Leads(scan, scan, nil, c.Guard.Spend) {
		return
	}
	for _, arg := range defuse.Items(scan.Call.Args[1]) {
		row := c.root(arg.Val)
		if !api.IsNamed(row.Type(), "database/sql", "RawBytes") {
			continue
		}
		keeps := func(v ssa.Value) bool { return isText(v.Type()) && c.root(v) == row }
		for i := range api.Instrs(scan.Parent()) {
			m, inMap := i.(*ssa.MapUpdate)
			st, isStore := i.(*ssa.Store)
			if inMap && keeps(m.Value) || isStore && keeps(st.Val) && isAppended(st.Addr) {
				c.report(i, "this is kept, but sql.RawBytes are overwritten by the next row: keep a copy, as of "+
					"bytes.Clone")
			}
		}
	}
}

// isAppended reports whether an address is of an argument of append.
func isAppended(at ssa.Value) bool {
	args := defuse.Arguments(at)
	return args != nil && slices.ContainsFunc(api.Uses(args), func(use ssa.Instruction) bool {
		call, ok := use.(*ssa.Call)
		return ok && api.IsBuiltin(call, "append")
	})
}
