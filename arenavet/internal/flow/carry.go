package flow

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/shape"
)

// This file holds which types get where as interfaces: into fields, globals and results, as
// far as the package itself puts them there. It may not know states, nor what methods do.
//
// It is variable type analysis (Sundaresan and others, Practical virtual method call
// resolution for Java, OOPSLA 2000): each variable, field and result is a node, each
// assignment an edge along which types are passed on. A slice, a map and a pointer are one
// node with what is in them, a field is one node for all structs.

// A carrier knows what may be where. Nodes are ssa.Value, *types.Var of a field, resultOf
// and the name of a global. What is found in them is types.Type, of what interfaces hold,
// and *ssa.Function.
type carrier struct {
	pkg   *ssa.Package
	to    map[any][]any
	found map[any][]any
}

// newCarrier looks through the functions of a package.
func newCarrier(pkg *ssa.Package, circles [][]*ssa.Function) *carrier {
	c := &carrier{pkg, map[any][]any{}, map[any][]any{}}
	for _, circle := range circles {
		for _, fn := range circle {
			c.function(fn)
		}
	}
	return c
}

// A resultOf is a node: the n-th result of a function.
type resultOf struct {
	fn *ssa.Function
	n  int
}

// defaultLogger is the name of the global in which package slog has its logger.
const defaultLogger = "log/slog.defaultLogger"

// maxTypes is how many types a node may hold. Of one that holds more nothing is assumed; so
// the search takes as long as there are edges, and no longer.
const maxTypes = 6

// in returns the types and functions that a node is known to hold.
func (c *carrier) in(node any) []any {
	if found := c.found[node]; len(found) <= maxTypes {
		return found
	}
	return nil
}

// carried looks through the package, once.
func (p *program) carried() *carrier {
	if p.carrier == nil {
		p.carrier = newCarrier(p.ssa, p.circles)
	}
	return p.carrier
}

func (c *carrier) function(fn *ssa.Function) {
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			c.instruction(i)
		}
	}
}

// loggerType returns the type of package slog's logger, nil if the package doesn't import that.
func (p *program) loggerType() types.Type {
	for _, imported := range p.pass.Pkg.Imports() {
		if obj := imported.Scope().Lookup("Logger"); obj != nil && imported.Path() == "log/slog" {
			return types.NewPointer(obj.Type())
		}
	}
	return nil
}

// flow notes that what is in one node gets into another one.
func (c *carrier) flow(from, to any) {
	c.to[from] = append(c.to[from], to)
	for _, t := range c.found[from] {
		c.add(to, t)
	}
}

// same notes that two nodes have the same content: an address and what it is of.
func (c *carrier) same(a, b any) {
	c.flow(a, b)
	c.flow(b, a)
}

// add adds a type, or a function, to a node, and to those it is passed on to.
func (c *carrier) add(node, t any) {
	found := c.found[node]
	if len(found) > maxTypes || slices.ContainsFunc(found, func(old any) bool { return same(old, t) }) {
		return
	}
	c.found[node] = append(c.found[node], t)
	for _, next := range c.to[node] {
		c.add(next, t)
	}
}

func same(x, y any) bool {
	t, ok := x.(types.Type)
	u, both := y.(types.Type)
	return x == y || ok && both && types.Identical(t, u)
}

// carries says whether values of a type may hold interfaces, functions or loggers, without a field
// on the way to them.
func carries(t types.Type, depth int) bool {
	if depth > 3 {
		return false
	}
	if isNamed(t, "log/slog", "Logger") {
		return true
	}
	switch u := t.Underlying().(type) {
	case *types.Signature:
		return true
	case *types.Interface:
		return u.NumMethods() > 0 && !shape.IsError(t)
	case *types.Slice, *types.Array, *types.Map, *types.Chan, *types.Pointer:
		return carries(shape.Elem(t), depth+1)
	}
	return false
}

// instruction adds what an instruction assigns.
func (c *carrier) instruction(i ssa.Instruction) {
	switch i := i.(type) {
	case *ssa.Store:
		c.assign(i.Val, i.Addr, i.Val.Type())
	case *ssa.MapUpdate:
		c.assign(i.Value, i.Map, i.Value.Type())
	case *ssa.Send:
		c.assign(i.X, i.Chan, i.X.Type())
	case *ssa.Return:
		for n, x := range i.Results {
			if carries(x.Type(), 0) {
				c.flow(c.node(x), resultOf{i.Parent(), n})
			}
		}
	case *ssa.MakeClosure:
		for n, x := range i.Bindings {
			if fn := i.Fn.(*ssa.Function); n < len(fn.FreeVars) && carries(x.Type(), 0) {
				c.same(c.node(x), fn.FreeVars[n])
			}
		}
	case ssa.CallInstruction:
		c.call(i)
	case ssa.Value:
		c.value(i)
	}
}

// assign passes on what is stored. What holds many, and is stored as a whole, is the same
// from then on.
func (c *carrier) assign(from, to ssa.Value, t types.Type) {
	if !carries(t, 0) {
		return
	}
	switch t.Underlying().(type) {
	case *types.Interface, *types.Signature:
		c.flow(c.node(from), c.node(to))
	default:
		if isNamed(t, "log/slog", "Logger") {
			c.flow(c.node(from), c.node(to))
		} else {
			c.same(c.node(from), c.node(to))
		}
	}
}

// node returns the node of a value: a field's is that of the field.
func (c *carrier) node(v ssa.Value) any {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		if field, ok := shape.Holder(v).(*types.Var); ok {
			return field
		}
	case *ssa.Field:
		if st, ok := shape.Struct(v.X.Type()); ok {
			return st.Field(v.Field).Origin()
		}
	case *ssa.Global:
		return v.Pkg.Pkg.Path() + "." + v.Name()
	case *ssa.Function:
		if c.found[v] == nil {
			c.add(v, v)
		}
	}
	return v
}

// value adds what an instruction computes.
func (c *carrier) value(v ssa.Value) {
	var from []ssa.Value
	switch v := v.(type) {
	case *ssa.MakeInterface:
		c.makes(v)
		return
	case *ssa.Phi:
		from = v.Edges
	case *ssa.ChangeInterface:
		from = []ssa.Value{v.X}
	case *ssa.ChangeType:
		from = []ssa.Value{v.X}
	case *ssa.TypeAssert:
		from = []ssa.Value{v.X}
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok && call.Call.StaticCallee() != nil {
			c.flow(resultOf{origin(call.Call.StaticCallee()), v.Index}, v)
			return
		}
		from = []ssa.Value{v.Tuple}
	case *ssa.UnOp:
		if v.Op == token.MUL || v.Op == token.ARROW {
			from = []ssa.Value{v.X}
		}
	case *ssa.IndexAddr:
		c.part(v.X, v)
	case *ssa.Slice:
		c.part(v.X, v)
	case *ssa.Index:
		from = []ssa.Value{v.X}
	case *ssa.Lookup:
		from = []ssa.Value{v.X}
	case *ssa.Range:
		from = []ssa.Value{v.X}
	case *ssa.Next:
		from = []ssa.Value{v.Iter}
	}
	for _, x := range from {
		c.assign(x, v, passed(x, v))
	}
}

// passed is the type that tells whether anything is passed on from one value to another:
// that of the second, unless that is one of the analysis' own.
func passed(from, to ssa.Value) types.Type {
	switch to.(type) {
	case *ssa.Next, *ssa.Range:
		return from.Type()
	case *ssa.Lookup:
		return shape.Elem(from.Type())
	}
	return to.Type()
}

// part notes that a value is a part of another one.
func (c *carrier) part(whole, v ssa.Value) {
	if carries(v.Type(), 0) {
		c.same(c.node(whole), v)
	}
}

// makes notes of which type a value is that is made an interface. Those of the standard
// library keep nothing that is known.
func (c *carrier) makes(v *ssa.MakeInterface) {
	t := types.Unalias(v.X.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = types.Unalias(p.Elem())
	}
	if n, ok := t.(*types.Named); ok && n.Obj().Pkg() != nil && carries(v.Type(), 0) {
		c.add(v, v.X.Type())
	}
}

// call adds what a call passes on: to the parameters of a function of the package, and from
// its results; to loggers of package slog, and between them.
func (c *carrier) call(i ssa.CallInstruction) {
	common := i.Common()
	v, _ := i.(*ssa.Call)
	if b, ok := common.Value.(*ssa.Builtin); ok {
		if b.Name() == "append" && v != nil {
			for _, a := range common.Args {
				c.assign(a, v, v.Type())
			}
		}
		return
	}
	fn := origin(common.StaticCallee())
	if fn == nil {
		return
	}
	switch calleeName(common) {
	case "log/slog.New", "(*log/slog.Logger).With", "(*log/slog.Logger).WithGroup", "(*log/slog.Logger).Handler":
		if v != nil {
			c.flow(c.node(common.Args[0]), v)
		}
		return
	case "log/slog.SetDefault":
		c.flow(c.node(common.Args[0]), defaultLogger)
		return
	case "log/slog.Default", "log/slog.With":
		if v != nil {
			c.flow(defaultLogger, v)
		}
		return
	}
	if fn.Pkg != c.pkg {
		return
	}
	for n, a := range common.Args {
		if n < len(fn.Params) {
			c.assign(a, fn.Params[n], a.Type())
		}
	}
	if v != nil {
		c.flow(resultOf{fn, 0}, v)
	}
}
