package code

import (
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file finds the types that fields, globals and results may hold as interfaces, as far as the package itself
// stores them there. It must not depend on states, nor on the effects of methods.
//
// It is variable type analysis (Sundaresan and others, Practical virtual method call resolution for Java, OOPSLA 2000):
// each variable, field and result is a node, each assignment an edge along which types flow. A slice, a map or a
// pointer is one node with its contents, a field is one node for all structs.

// A TypeFlow maps nodes to their possible contents. Nodes are ssa.Value, *types.Var of a field, ResultOf and the name
// of a global. Contents are types.Type, for interfaces, *ssa.Function and *ssa.MakeClosure.
type TypeFlow struct {
	Program *ssa.Package
	to      map[any][]any
	found   map[any][]any
}

// NewTypeFlow analyzes the functions of a package.
func NewTypeFlow(pkg *ssa.Package, circles [][]*ssa.Function) *TypeFlow {
	c := &TypeFlow{pkg, map[any][]any{}, map[any][]any{}}
	for _, circle := range circles {
		for _, fn := range circle {
			c.function(fn)
		}
	}
	return c
}

// A ResultOf is a node: the n-th result of a function.
type ResultOf struct {
	Fn *ssa.Function
	N  int // 0 for the first
}

// DefaultLogger is the name of the global in which package slog has its logger.
const DefaultLogger = "log/slog.defaultLogger"

// maxTypes bounds the types of a node. Larger sets are dropped, so the search takes time proportional to the edges.
const maxTypes = 6

// In returns the types and functions that a node is known to hold.
func (c *TypeFlow) In(node any) []any {
	if found := c.found[node]; len(found) <= maxTypes {
		return found
	}
	return nil
}

func (c *TypeFlow) function(fn *ssa.Function) {
	for i := range api.Instrs(fn) {
		c.instruction(i)
	}
}

// flow adds an edge: the contents of one node get into another one.
func (c *TypeFlow) flow(from, to any) {
	c.to[from] = append(c.to[from], to)
	for _, t := range c.found[from] {
		c.add(to, t)
	}
}

// same records that two nodes have the same contents: an address and its target.
func (c *TypeFlow) same(a, b any) {
	c.flow(a, b)
	c.flow(b, a)
}

// add adds a type, or a function, to a node and to its successors.
func (c *TypeFlow) add(node, t any) {
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

// carries reports whether values of a type may hold interfaces, functions or loggers, not counting fields.
func carries(t types.Type, depth int) bool {
	if depth > 3 {
		return false
	}
	if api.IsNamed(t, "log/slog", "Logger") {
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

// instruction adds the edges of an instruction's assignments.
func (c *TypeFlow) instruction(i ssa.Instruction) {
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
				c.flow(c.node(x), ResultOf{i.Parent(), n})
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

// assign adds the edge of a store. A container that is stored as a whole is the same from then on.
func (c *TypeFlow) assign(from, to ssa.Value, t types.Type) {
	if !carries(t, 0) {
		return
	}
	switch t.Underlying().(type) {
	case *types.Interface, *types.Signature:
		c.flow(c.node(from), c.node(to))
	default:
		if api.IsNamed(t, "log/slog", "Logger") {
			c.flow(c.node(from), c.node(to))
		} else {
			c.same(c.node(from), c.node(to))
		}
	}
}

// node returns the node of a value; for a field's address or value, the field.
func (c *TypeFlow) node(v ssa.Value) any {
	switch v := v.(type) {
	case *ssa.FieldAddr:
		if field := shape.Holder(v); field != nil {
			return field
		}
	case *ssa.Global:
		return v.Pkg.Pkg.Path() + "." + v.Name()
	case *ssa.Function, *ssa.MakeClosure:
		if c.found[v] == nil {
			c.add(v, v)
		}
	}
	return v
}

// value adds the edges of an instruction's result.
func (c *TypeFlow) value(v ssa.Value) {
	var from []ssa.Value
	switch v := v.(type) {
	case *ssa.MakeInterface:
		c.makes(v)
		return
	case *ssa.Phi:
		from = v.Edges
	case *ssa.ChangeInterface, *ssa.ChangeType, *ssa.TypeAssert, *ssa.Index, *ssa.Lookup, *ssa.Range, *ssa.Next:
		from = []ssa.Value{api.Operand(v)}
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok && call.Call.StaticCallee() != nil {
			c.flow(ResultOf{api.StaticCallee(&call.Call), v.Index}, v)
			return
		}
		from = []ssa.Value{v.Tuple}
	case *ssa.UnOp:
		if v.Op == token.MUL || v.Op == token.ARROW {
			from = []ssa.Value{v.X}
		}
	case *ssa.IndexAddr, *ssa.Slice:
		if carries(v.Type(), 0) { // they are parts of the whole
			c.same(c.node(api.Operand(v)), v)
		}
	}
	for _, x := range from {
		c.assign(x, v, passed(x, v))
	}
}

// passed returns the type that decides whether an edge carries anything: the second value's, unless that is a type of
// the SSA form.
func passed(from, to ssa.Value) types.Type {
	switch to.(type) {
	case *ssa.Next, *ssa.Range:
		return from.Type()
	case *ssa.Lookup:
		return shape.Elem(from.Type())
	}
	return to.Type()
}

// makes adds the type of a value that is converted to an interface. Types of the standard library keep nothing.
func (c *TypeFlow) makes(v *ssa.MakeInterface) {
	if n := api.Named(v.X.Type()); n != nil && n.Obj().Pkg() != nil && carries(v.Type(), 0) {
		c.add(v, v.X.Type())
	}
}

// call adds the edges of a call: to the parameters of a function of the package, and from its results; to loggers of
// package slog, and between them.
func (c *TypeFlow) call(i ssa.CallInstruction) {
	common := i.Common()
	v, _ := i.(*ssa.Call)
	if v != nil && api.IsBuiltin(v, "append") {
		for _, a := range common.Args {
			c.assign(a, v, v.Type())
		}
	}
	fn := api.StaticCallee(common)
	if fn == nil {
		return
	}
	switch CalleeName(common) {
	case "log/slog.New", "(*log/slog.Logger).With", "(*log/slog.Logger).WithGroup", "(*log/slog.Logger).Handler":
		if v != nil {
			c.flow(c.node(common.Args[0]), v)
		}
		return
	case "log/slog.SetDefault":
		c.flow(c.node(common.Args[0]), DefaultLogger)
		return
	case "log/slog.Default", "log/slog.With":
		if v != nil {
			c.flow(DefaultLogger, v)
		}
		return
	}
	if fn.Pkg != c.Program {
		return
	}
	for n, a := range common.Args {
		if n < len(fn.Params) {
			c.assign(a, fn.Params[n], a.Type())
		}
	}
	if v != nil {
		c.flow(ResultOf{fn, 0}, v)
	}
}
