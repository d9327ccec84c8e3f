package record

import (
	"errors"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/code"
	"github.com/harena-go/arena/arenavet/internal/engine/defuse"
	"github.com/harena-go/arena/arenavet/internal/engine/shape"
	"github.com/harena-go/arena/arenavet/internal/engine/state"
	"github.com/harena-go/arena/arenavet/internal/engine/summary"
	"github.com/harena-go/arena/arenavet/internal/knowledge/api"
)

// This file finds out whether a Pool, or an arena, reuses memory. It goes back from uses to the call that has made the
// Pool, through variables, fields, globals, results, and parameters whose calls are all seen.

// Assumed is the gear of Pools whose construction isn't seen: Lasting with -reuse=never. With -reuse=always it is
// Reusing, for all Pools: then findings show what reuse would break.
var Assumed summary.Gear

// Assume sets Assumed from the value of the flag -reuse, or a plugin's option.
func Assume(reuse string) error {
	gear, ok := map[string]summary.Gear{"": summary.Unseen, "never": summary.Lasting, "always": summary.Reusing}[reuse]
	if !ok {
		return errors.New("want never or always")
	}
	Assumed = gear
	return nil
}

// A GearFact exports the gear of a global or a field.
type GearFact struct{ Gear summary.Gear }

func (*GearFact) AFact() {}

// gears collects the package's facts about gears.
type gears struct {
	stored map[*types.Var][]ssa.Value // in fields and globals; stores of tests count only for their own
	calls  map[*ssa.Function][]*ssa.CallCommon
	values map[*ssa.Function]bool // functions used as values: not all of their calls are seen
	lent   []ssa.Value            // Pools and arenas that lend to requests
	known  map[any]summary.Gear   // of values, fields and globals
	keys   []ssa.Value            // of WithReuse
}

// none is the gear of nil: joined with another gear it gives that gear.
const none = summary.Reusing + 1

// hasGear reports whether values of a type are Pools or arenas.
func hasGear(t types.Type) bool {
	switch api.TypeOf(t) {
	case api.Pool, api.Arena, api.Shared:
		return true
	}
	return false
}

func (p *Program) newGears() *gears {
	g := &gears{map[*types.Var][]ssa.Value{}, map[*ssa.Function][]*ssa.CallCommon{}, map[*ssa.Function]bool{}, nil,
		map[any]summary.Gear{}, nil}
	inTest := func(at token.Pos) bool { return strings.HasSuffix(p.Pass.Fset.Position(at).Filename, "_test.go") }
	for _, fn := range slices.Concat(p.Circles...) {
		isSeen := func(at token.Pos) bool { return !inTest(fn.Pos()) || inTest(at) }
		for i := range api.Instrs(fn) {
			g.instruction(i, isSeen)
		}
	}
	return g
}

// instruction records an instruction's stores, calls and functions used as values. isSeen reports whether it counts for
// declarations at a place.
func (g *gears) instruction(i ssa.Instruction, isSeen func(token.Pos) bool) {
	if st, ok := i.(*ssa.Store); ok && hasGear(st.Val.Type()) {
		if holder := shape.Holder(st.Addr); holder != nil && isSeen(holder.Pos()) {
			g.stored[holder] = append(g.stored[holder], st.Val)
		}
	}
	call, ok := i.(ssa.CallInstruction)
	if ok {
		c := call.Common()
		if fn := api.StaticCallee(c); fn != nil && isSeen(fn.Pos()) {
			g.calls[fn] = append(g.calls[fn], c)
			g.request(fn, c)
			if obj := fn.Object(); obj != nil && obj.Name() == "WithReuse" && api.Callee(c) != nil {
				g.keys = append(g.keys, c.Args...)
			}
		}
	}
	for _, op := range i.Operands(nil) {
		if fn, isFn := (*op).(*ssa.Function); isFn && (!ok || op != &call.Common().Value) {
			g.values[api.Origin(fn)] = true
		}
	}
}

// request records Pools passed to packages that lend to requests, and arenas passed to a context.
func (g *gears) request(fn *ssa.Function, c *ssa.CallCommon) {
	obj, _ := fn.Object().(*types.Func)
	if obj == nil || obj.Pkg() == nil {
		return
	}
	known := api.Lookup(obj)
	lends := strings.HasPrefix(obj.Pkg().Path(), api.Path+"/arenahttp") ||
		strings.HasPrefix(obj.Pkg().Path(), api.Path+"/contrib/")
	for _, a := range c.Args {
		if lends && api.TypeOf(a.Type()) == api.Pool ||
			known != nil && known.Verb == api.NewContext && api.TypeOf(a.Type()) == api.Arena {
			g.lent = append(g.lent, a)
		}
	}
}

// Gear returns the gear of a Pool or an arena.
func (p *Program) Gear(v ssa.Value) summary.Gear {
	return seen(p.gear(v))
}

// seen returns a gear, or Unseen for none.
func seen(g summary.Gear) summary.Gear {
	if g == none {
		return summary.Unseen
	}
	return g
}

// gear is Gear, but none for nil and for values whose gear is being computed.
func (p *Program) gear(v ssa.Value) summary.Gear {
	return p.once(v, func() summary.Gear { return p.newGear(v) })
}

// once caches find's result, unless that is Unseen: it may be seen later.
func (p *Program) once(of any, find func() summary.Gear) summary.Gear {
	if Assumed == summary.Reusing {
		return Assumed
	}
	g := p.gearsOf()
	known, ok := g.known[of]
	if !ok {
		g.known[of] = none
		if known = find(); known == summary.Unseen {
			delete(g.known, of)
		} else {
			g.known[of] = known
		}
	}
	return known
}

func (p *Program) gearsOf() *gears {
	if p.gears == nil {
		p.gears = p.newGears()
	}
	return p.gears
}

func (p *Program) newGear(v ssa.Value) summary.Gear {
	switch v := v.(type) {
	case *ssa.Const:
		return none
	case *ssa.Phi:
		return p.all(v.Edges)
	case *ssa.ChangeType:
		return p.gear(v.X)
	case *ssa.FreeVar:
		if outer := defuse.Captured(v); outer != nil {
			return p.gear(outer)
		}
	case *ssa.Parameter:
		return p.gearOfParameter(v)
	case *ssa.Extract:
		if call, ok := v.Tuple.(*ssa.Call); ok {
			return p.gearOfResult(call, v.Index)
		}
	case *ssa.Call:
		return p.gearOfResult(v, 0)
	case *ssa.Alloc:
		if api.TypeOf(v.Type()) == api.Pool { // a variable that is a Pool
			return summary.Lasting
		}
	case *ssa.Global, *ssa.FieldAddr:
		if holder := shape.Holder(v); holder != nil && api.TypeOf(v.Type()) == api.Pool {
			return summary.Lasting
		}
	case *ssa.UnOp:
		if holder := shape.Holder(v.X); holder != nil {
			return p.gearIn(holder)
		}
		if stored := defuse.Stored(v.X); len(stored) > 0 {
			return p.all(stored)
		}
	}
	return summary.Unseen
}

// all returns the gear that all values have in common.
func (p *Program) all(values []ssa.Value) summary.Gear {
	one := none
	for _, v := range values {
		if one = either(one, p.gear(v)); one == summary.Unseen {
			break
		}
	}
	return one
}

// either returns the join of two gears.
func either(a, b summary.Gear) summary.Gear {
	switch {
	case a == b || b == none:
		return a
	case a == none:
		return b
	}
	return summary.Unseen
}

// gearIn returns the gear of a field or a global.
func (p *Program) gearIn(holder *types.Var) summary.Gear {
	return p.once(holder, func() summary.Gear {
		x, stored := new(GearFact), p.gearsOf().stored[holder]
		switch {
		case holder.Pkg() == p.Pass.Pkg && len(stored) > 0:
			return p.all(stored)
		case holder.Pkg() != p.Pass.Pkg && len(stored) == 0:
			p.Pass.ImportObjectFact(holder, x)
		}
		return x.Gear
	})
}

// gearOfParameter returns the gear of a parameter.
func (p *Program) gearOfParameter(v *ssa.Parameter) summary.Gear {
	fn := v.Parent()
	if lending, ok := p.DoFuncs[fn]; ok && fn.Parent() != nil && slices.Index(fn.Params, v) == lending.Param {
		return lending.Gear
	}
	if passed := p.passed(v); len(passed) > 0 {
		return p.all(passed)
	}
	return summary.Unseen
}

// passed returns the arguments for a parameter in all calls of its function, nil if some calls may be unseen.
func (p *Program) passed(v *ssa.Parameter) (values []ssa.Value) {
	g, fn := p.gearsOf(), v.Parent()
	obj, _ := fn.Object().(*types.Func)
	if obj == nil || g.values[fn] || obj.Exported() && (fn.Signature.Recv() != nil || p.Pass.Pkg.Name() != "main") {
		return nil
	}
	for _, c := range g.calls[fn] {
		values = append(values, c.Args[slices.Index(fn.Params, v)])
	}
	return values
}

// gearOfResult returns the gear of a result of a call.
func (p *Program) gearOfResult(call *ssa.Call, n int) summary.Gear {
	if k := api.Callee(&call.Call); k != nil {
		return p.gearOfKnown(call, k)
	}
	fn := api.StaticCallee(&call.Call)
	if fn == nil {
		return summary.Unseen
	}
	one := none
	for r := range api.Of[*ssa.Return](fn) {
		one = either(one, p.gear(r.Results[n]))
	}
	if obj, ok := fn.Object().(*types.Func); ok && len(fn.Blocks) == 0 && obj.Pkg() != p.Pass.Pkg {
		if sum := p.Fact(obj); sum != nil {
			for _, x := range sum.Results {
				if x.Out == state.Result(n) {
					one = either(one, x.Gear)
				}
			}
		}
	}
	return one
}

// gearOfKnown returns the gear of the result of a function of package arena.
func (p *Program) gearOfKnown(call *ssa.Call, k *api.Func) summary.Gear {
	switch k.Verb {
	case api.NewArena, api.NewShared, api.Local:
		return summary.Reusing
	case api.NewPool:
		if k.Name != "NewPool" { // arenatest's
			return summary.Reusing
		}
		return p.gearOfOptions(call.Call.Args[0])
	case api.Get:
		return p.lends(p.gear(api.Arg(&call.Call, k.From)), k, &call.Call)
	case api.Child:
		return p.gear(api.Arg(&call.Call, k.From))
	case api.FromContext:
		return p.RequestGear()
	}
	return summary.Unseen
}

// Lends returns the gear of the arenas that a call of Get, Do and their like lends.
func (p *Program) Lends(c *ssa.CallCommon, k *api.Func) summary.Gear {
	return p.lends(p.Gear(api.Arg(c, k.From)), k, c)
}

func (p *Program) lends(pool summary.Gear, k *api.Func, c *ssa.CallCommon) summary.Gear {
	switch {
	case pool != summary.Keyed:
		return pool
	case strings.HasSuffix(k.Name, "Keyed") && !p.isOther(c.Args[k.From+1]):
		return summary.Unseen
	}
	return summary.Lasting
}

// isOther reports whether a key is a constant for which no Pool of the package reuses memory.
func (p *Program) isOther(key ssa.Value) bool {
	x, sure := key.(*ssa.Const)
	for _, list := range p.gearsOf().keys {
		items := code.Stores(list)
		sure = sure && (len(items) > 0 || defuse.IsNil(list))
		for _, item := range items {
			y, ok := item.(*ssa.Const)
			sure = sure && ok && !constant.Compare(x.Value, token.EQL, y.Value)
		}
	}
	return sure && len(p.gearsOf().keys) > 0
}

// PutGear returns the gear of an arena that is put into a Pool.
func (p *Program) PutGear(pool ssa.Value) summary.Gear {
	if g := p.Gear(pool); g != summary.Keyed {
		return g
	}
	return summary.Unseen
}

// RequestGear returns the gear of the arenas of contexts, as far as the package lends them.
func (p *Program) RequestGear() summary.Gear {
	if g := p.all(p.gearsOf().lent); g != summary.Keyed {
		return seen(g)
	}
	return summary.Unseen
}

// gearOfOptions returns the gear of a Pool that is made with a list of options.
func (p *Program) gearOfOptions(list ssa.Value) summary.Gear {
	o, gear := defuse.OptionsOf(list), summary.Lasting
	for _, call := range o.Calls {
		gear = max(gear, gearOfOption(call))
	}
	if gear == summary.Reusing {
		return gear
	}
	for _, call := range o.Maybe {
		if gearOfOption(call) > gear {
			return summary.Unseen
		}
	}
	for _, v := range o.Rest {
		param, ok := v.(*ssa.Parameter)
		if !ok {
			return summary.Unseen
		}
		one := none
		for _, passed := range p.passed(param) {
			one = either(one, p.once(passed, func() summary.Gear { return p.gearOfOptions(passed) }))
		}
		if seen(one) == summary.Unseen {
			return summary.Unseen
		}
		gear = max(gear, one)
	}
	return gear
}

// gearOfOption returns the gear that an option gives a Pool.
func gearOfOption(call *ssa.Call) summary.Gear {
	switch api.Callee(&call.Call).Name {
	case "WithNoScan", "WithScrub":
		return summary.Reusing
	case "WithReuse":
		if defuse.IsNil(call.Call.Args[0]) {
			return summary.Reusing
		}
		return summary.Keyed
	}
	return summary.Lasting
}

// ExportGears exports the gears of globals and fields that other packages can name.
func (p *Program) ExportGears() {
	for v := range p.gearsOf().stored {
		if g := p.gearIn(v); v.Pkg() == p.Pass.Pkg && v.Exported() && g != summary.Unseen && g != none {
			p.Pass.ExportObjectFact(v, &GearFact{g})
		}
	}
}
