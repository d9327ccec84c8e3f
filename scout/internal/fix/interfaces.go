package fix

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/harena-go/arena/scout/internal/source"
	"github.com/harena-go/arena/scout/internal/trial"
)

// This file finds the methods that calls by an interface reach: the stacks say which. What is written for them is in
// dispatch.go.

// dispatches adds the calls by interfaces that are on stacks of what was moved.
func (g *graph) dispatches(done []trial.Done) {
	for _, d := range done {
		for _, s := range d.Finding.Sites {
			for i := len(s.Path) - 1; i > 0; i-- {
				from, to := g.of(s.Path[i]), g.of(s.Path[i-1])
				if from == nil || to == nil || to.fixed != "" || to.kept || to.obj.Signature().Recv() == nil ||
					slices.ContainsFunc(from.calls, func(c *call) bool { return c.to == to }) {
					continue
				}
				if calls := g.byInterface(from, to, s.Path[i].Line); len(calls) > 0 {
					from.calls = append(from.calls, calls...)
					to.keep("called by interface")
				}
			}
		}
	}
}

// byInterface returns the calls of a method of an interface in a line that may have reached a method. Of several any
// may have: what stands in their place finds out.
func (g *graph) byInterface(from, to *function, line int) (found []*call) {
	if typeKey(to.obj.Signature().Recv().Type()) == "" || to.obj.Signature().RecvTypeParams().Len() > 0 {
		return nil
	}
	ast.Inspect(from.decl.Body, func(node ast.Node) bool {
		expr, ok := node.(*ast.CallExpr)
		if !ok || line < g.line(expr.Pos()) || g.line(expr.End()) < line || g.spread(from.file, expr) {
			return true
		}
		fun, ok := expr.Fun.(*ast.SelectorExpr)
		if !ok || fun.Sel.Name != to.obj.Name() {
			return true
		}
		s := from.file.Info.Selections[fun]
		if s == nil || s.Kind() != types.MethodVal || !types.IsInterface(s.Recv()) {
			return true
		}
		if _, param := types.Unalias(s.Recv()).(*types.TypeParam); param || !types.Identical(s.Type(),
			withoutReceiver(to.obj.Signature())) || !nameable(from.file, to.obj.Signature(), s.Recv()) {
			return true
		}
		found = append(found, &call{spot: g.spot(from.file.Path, expr.Pos()), expr: expr, name: fun.Sel,
			file: from.file, to: to, by: s.Recv()})
		return true
	})
	return found
}

// nameable reports whether a file can write the types of a dispatcher, and whether the interface may hold the method's
// receiver: that of a method which another struct embeds is no case.
func nameable(file *source.File, s *types.Signature, by types.Type) bool {
	_, why := file.TypeText(types.NewTuple(append(slices.Collect(s.Params().Variables()),
		append(slices.Collect(s.Results().Variables()), s.Recv(), types.NewVar(0, nil, "", by))...)...))
	t := s.Recv().Type()
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := types.Unalias(t).(*types.Named)
	_, literal := types.Unalias(by).(*types.Interface)
	return why == "" && ok && !literal && (named.Obj().Exported() || named.Obj().Pkg() == file.Pkg) &&
		types.Implements(s.Recv().Type(), by.Underlying().(*types.Interface))
}

// withoutReceiver returns the signature of a method as a function's.
func withoutReceiver(s *types.Signature) *types.Signature {
	return types.NewSignatureType(nil, nil, nil, s.Params(), s.Results(), s.Variadic())
}
