package keeps

import (
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	build "github.com/harena-go/arena/arenavet/internal/engine/program"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file makes the summary: the values that a function keeps and returns on all paths.

// An event is an instruction that keeps something.
type event struct {
	at     ssa.Instruction
	into   ref         // a place reached from a parameter or a global,
	global summary.Sym // or one in a global of a callee's,
	gives  bool        // or in a goroutine
	refs   []ref       // the kept values
	field  *types.Var  // the field of a store, or nil
}

// A keeping is a parameter that is kept in another one, a global or a goroutine.
type keeping struct {
	from, into int // by number; into is -1 if it isn't a parameter
	global     string
	gives      bool
}

// A kept is one event of a keeping, with the part of the parameter.
type kept struct {
	event
	part string
}

// summary returns the function's summary.
func (f *function) summary() *summary.Summary {
	s := &summary.Summary{}
	all := map[keeping][]kept{}
	for _, e := range f.events {
		for _, x := range f.reach(e.refs, e.at) {
			k := keeping{from: x.Param, into: -1, gives: e.gives}
			if n, ok := f.params[e.into.root]; ok {
				k.into = n
			} else if g, ok := e.into.root.(*ssa.Global); ok {
				k.global = g.Pkg.Pkg.Path() + "." + g.Name()
			} else {
				k.global = e.global.Global
			}
			if k.from != k.into && !f.undone(e, k.from) {
				all[k] = append(all[k], kept{e, x.Path})
			}
		}
	}
	returns := f.returns()
	for k, list := range all {
		if f.unavoidable(list, returns) {
			f.tell(s, k, list)
		}
	}
	f.tellCleared(s)
	f.tellReturned(s, returns)
	s.Sort() // callers meet it in an order that is always the same
	return s
}

// tell adds a keeping to the summary.
func (f *function) tell(s *summary.Summary, k keeping, list []kept) {
	into := summary.Sym{Param: k.into, Global: k.global, Path: within}
	if x := list[0]; k.into >= 0 && x.field != nil && isField(x.into.path) &&
		!slices.ContainsFunc(list, func(y kept) bool { return y.into != x.into }) {
		into.Path = x.into.path
	} else if k.into < 0 {
		into.Path = "*"
	}
	for _, x := range list {
		from := summary.Sym{Param: k.from, Path: x.part}
		if k.gives {
			summary.Add(&s.Gives, summary.Given{What: from, How: uint8(state.ByGo)})
		} else {
			summary.Add(&s.Stores, summary.Store{Into: into, Flow: summary.Flow{From: from}})
		}
	}
}

// isField reports whether a path is that of a field in a parameter's target.
func isField(path string) bool {
	return strings.HasPrefix(path, "*.") && !strings.ContainsAny(path[1:], "*[&")
}

// reach returns the parameters, or their parts, that values certainly are or lead to.
func (f *function) reach(refs []ref, at ssa.Instruction) (list []summary.Sym) {
	seen := map[ssa.Value]bool{}
	var visit func(refs []ref)
	visit = func(refs []ref) {
		for _, r := range refs {
			if r.maybe {
				continue
			}
			if n, ok := f.params[r.root]; ok {
				if x := r.name(n); !slices.Contains(list, x) {
					list = append(list, x)
				}
				continue
			}
			if seen[r.root] {
				continue
			}
			seen[r.root] = true
			for _, c := range f.cells(r.root) {
				if f.before(c.at, at) || f.before(at, c.at) || c.at == at {
					visit(c.refs)
				}
			}
		}
	}
	visit(refs)
	return list
}

// name returns the name for callers of a part of their n-th argument.
func (r ref) name(n int) summary.Sym {
	if r.addr && r.path != "" && !strings.Contains(r.path, state.Inside) {
		r.path += "&"
	}
	return summary.Sym{Param: n, Path: r.path}
}

// returns returns the returns that don't report a failure, or all if each does.
func (f *function) returns() (list []*ssa.Return) {
	var all []*ssa.Return
	for r := range api.Of[*ssa.Return](f.fn) {
		if all = append(all, r); !fails(r) {
			list = append(list, r)
		}
	}
	if list == nil {
		return all
	}
	return list
}

// fails reports whether a return returns false, an error, or nil as its only result.
func fails(r *ssa.Return) bool {
	if len(r.Results) == 1 && !shape.IsError(r.Results[0].Type()) {
		if c, ok := defuse.Latest(r.Results[0]).(*ssa.Const); ok && c.Value == nil {
			return true
		}
	}
	return slices.ContainsFunc(r.Results, func(v ssa.Value) bool {
		c, ok := defuse.Latest(v).(*ssa.Const)
		if shape.IsError(v.Type()) {
			return !ok
		}
		b, isBasic := v.Type().Underlying().(*types.Basic)
		return ok && isBasic && b.Kind() == types.Bool && c.Value != nil && c.Value.String() == "false"
	})
}

// unavoidable reports whether each path to the returns has an event. A loop has one if each iteration has: a caller
// with an empty list knows that there is no iteration.
func (f *function) unavoidable(list []kept, returns []*ssa.Return) bool {
	has := map[*ssa.BasicBlock]bool{}
	for _, x := range list {
		b := x.at.Block()
		has[b] = true
		for _, end := range f.fn.Blocks {
			for _, head := range end.Succs {
				if head.Dominates(end) && head.Dominates(b) && b.Dominates(end) {
					has[head] = true
				}
			}
		}
	}
	f.filled = map[*types.Var]bool{}
	for _, x := range list {
		f.filled[mapOf(x.at)] = true
	}
	defer func() { f.filled = nil }()
	return len(returns) > 0 && !f.leads(f.fn.Blocks[0], has, func(b *ssa.BasicBlock) bool {
		return slices.Contains(returns, build.Return(b))
	})
}

// mapOf returns the field or global with the map, or the sync.Map, that an instruction looks something up in or fills.
func mapOf(i ssa.Instruction) *types.Var {
	m := ssa.Value(nil)
	switch i := i.(type) {
	case *ssa.Lookup:
		m = i.X
	case *ssa.MapUpdate:
		m = i.Map
	case ssa.CallInstruction:
		switch code.CalleeName(i.Common()) {
		case "(*sync.Map).Load", "(*sync.Map).Store":
			return shape.Holder(i.Common().Args[0])
		}
	}
	if load, ok := m.(*ssa.UnOp); ok {
		return shape.Holder(load.X)
	}
	return nil
}

// isFound reports whether an edge is only taken if a key was found in a filled map: metrics, statement caches and
// interners keep their arguments in the first call with a key, which no caller can rule out.
//
//	if s, ok := c.stmts[query]; ok { return s }
//	c.stmts[query] = prepare(query)
func (f *function) isFound(from *ssa.BasicBlock, edge int) bool {
	look := code.Found(from, edge)
	if look == nil {
		return false
	}
	m := mapOf(look)
	return m != nil && f.filled[m]
}

// leads reports whether a path leads from a block to one that to accepts, avoiding others. It skips branches for a
// parameter that is nil or empty, where there is nothing to do.
func (f *function) leads(from *ssa.BasicBlock, without map[*ssa.BasicBlock]bool, to func(*ssa.BasicBlock) bool) bool {
	seen, there := map[*ssa.BasicBlock]bool{}, false
	maps.Copy(seen, without)
	build.Walk(seen, []*ssa.BasicBlock{from}, func(b *ssa.BasicBlock) (next []*ssa.BasicBlock) {
		there = there || to(b)
		for n, succ := range b.Succs {
			if !f.isNothing(b, n) && !f.isFound(b, n) {
				next = append(next, succ)
			}
		}
		return next
	})
	return there
}

// isNothing reports whether an edge is only taken if a parameter is nil or empty.
func (f *function) isNothing(from *ssa.BasicBlock, edge int) bool {
	branch := build.Branch(from)
	if branch == nil {
		return false
	}
	_, ok := f.params[code.EmptyIf(branch.Cond, edge == 0)]
	return ok
}

// tellReturned adds the results to the summary: those of all returns that count and don't return a constant.
func (f *function) tellReturned(s *summary.Summary, returns []*ssa.Return) {
	results := f.fn.Signature.Results()
	for n := range results.Len() {
		if !tells(f.fn.Signature, n) {
			continue
		}
		var flows []summary.Flow
		known := map[int]int{} // by parameter: number of returns
		counted := 0
		for _, r := range returns {
			if _, ok := r.Results[n].(*ssa.Const); ok {
				continue
			}
			counted++
			seen := map[int]bool{}
			f.returned(r, n, func(x summary.Flow) {
				if flows = append(flows, x); !seen[x.From.Param] {
					seen[x.From.Param] = true
					known[x.From.Param]++
				}
			})
		}
		for _, x := range flows {
			if known[x.From.Param] == counted {
				summary.Add(&s.Results, x)
			}
		}
	}
}

// returned calls emit for the certain parts of one result of a return.
func (f *function) returned(r *ssa.Return, n int, emit func(summary.Flow)) {
	name := state.Result(n)
	for _, x := range f.is(r.Results[n]) {
		if x.maybe {
			continue
		}
		param, ok := f.params[x.root]
		if ok {
			from := x.name(param)
			emit(summary.Flow{Out: name, From: from})
			if strings.Count(x.path, "*") > 1 || strings.Contains(x.path, "[") {
				from.Path = within
				emit(summary.Flow{Out: name, From: from})
			}
			continue
		}
		if x.addr {
			f.behind(x, name+"*", r, 0, emit)
		} else {
			f.behind(x, name, r, 0, emit)
		}
	}
}

// behind calls emit for the contents of memory that the function has made, at most two pointers away. Farther contents,
// or those at an unknown place, are inside.
func (f *function) behind(x ref, name string, r *ssa.Return, depth int, emit func(summary.Flow)) {
	for _, c := range f.cells(x.root) {
		rest, ok := strings.CutPrefix(c.path, x.path)
		if !ok || strings.ContainsAny(rest, "*=#") {
			continue
		}
		var deep []ref
		for _, y := range c.refs {
			if f.local(y) && depth < 1 && !y.maybe {
				f.behind(y, name+rest+"*", r, depth+1, emit)
			}
			if f.local(y) {
				deep = append(deep, y)
			} else if list := f.reach([]ref{y}, r); len(list) > 0 {
				emit(summary.Flow{Out: name + rest, From: list[0]})
			}
		}
		for _, from := range f.reach(deep, r) {
			first, _, pointer := strings.Cut(name, "*")
			if pointer {
				first += "*"
			}
			emit(summary.Flow{Out: first + state.Inside, From: from})
		}
	}
}

// tells reports whether a result belongs in the summary. An error beside other results is only a message; a function is
// only called, and its captured variables aren't seen.
func tells(sig *types.Signature, n int) bool {
	t := sig.Results().At(n).Type()
	if _, ok := t.Underlying().(*types.Signature); ok || n > 9 || !shape.HasPointers(t) || isContext(t) {
		return false
	}
	return !shape.IsError(t) || sig.Results().Len() == 1 && sig.Recv() == nil
}

// tellCleared adds the fields of parameters that are set to something else, on any path.
func (f *function) tellCleared(s *summary.Summary) {
	clears := func(x ref, path string) {
		summary.Add(&s.Clears, summary.Sym{Param: f.params[x.root], Path: path})
	}
	for _, e := range f.events {
		st, ok := e.at.(*ssa.Store)
		if _, param := f.params[e.into.root]; !ok || !param || !isField(e.into.path) {
			continue
		}
		old := func(x summary.Sym) bool { return x.Param == f.params[e.into.root] }
		if !slices.ContainsFunc(f.reach(e.refs, e.at), old) {
			clears(e.into, e.into.path)
			if _, isConst := st.Val.(*ssa.Const); len(s.Stores) == 0 && (isConst || isEmpty(st.Val)) {
				clears(e.into, within)
			}
		}
	}
}

// isEmpty reports whether a value is a new map, slice or channel.
func isEmpty(v ssa.Value) bool {
	switch v.(type) {
	case *ssa.MakeMap, *ssa.MakeSlice, *ssa.MakeChan:
		return true
	}
	return false
}
