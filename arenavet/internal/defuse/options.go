package defuse

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
)

// Options are the options in a list for an arena or a Pool.
type Options struct {
	Calls []*ssa.Call // calls that have made them
	Maybe []*ssa.Call // calls that have made options on some paths only
	Rest  []ssa.Value // values of unknown origin: a parameter, which may be a list of options
}

// OptionsOf returns the options in a list. Options appended in a loop are in it on some paths only.
func OptionsOf(list ssa.Value) (o Options) {
	o.add(list, map[ssa.Value]bool{})
	return o
}

func (o *Options) add(list ssa.Value, begun map[ssa.Value]bool) {
	if begun[list] {
		return
	}
	begun[list] = true
	switch v := list.(type) {
	case *ssa.Const:
	case *ssa.Phi:
		all := make([]Options, len(v.Edges))
		for n, e := range v.Edges {
			all[n].add(e, begun)
			o.Rest, o.Maybe = append(o.Rest, all[n].Rest...), append(o.Maybe, all[n].Maybe...)
		}
		for _, x := range all {
			o.Maybe = append(o.Maybe, x.Calls...)
		}
	case *ssa.Slice:
		for _, st := range Items(v.X) {
			if call := madeBy(st.Val); call != nil {
				o.Calls = append(o.Calls, call)
			} else {
				o.Rest = append(o.Rest, st.Val)
			}
		}
	case *ssa.Call:
		if !api.IsBuiltin(v, "append") {
			o.Rest = append(o.Rest, v)
			return
		}
		o.add(v.Call.Args[0], begun)
		o.add(v.Call.Args[1], begun)
	default:
		o.Rest = append(o.Rest, v)
	}
}

// madeBy returns the call of package arena that has made an option, also one in a variable, nil if unknown.
func madeBy(v ssa.Value) (made *ssa.Call) {
	Of(v, func(v ssa.Value) bool {
		if call, ok := v.(*ssa.Call); ok && api.Callee(&call.Call) != nil {
			made = call
		}
		return true
	})
	return made
}

// Has reports whether some option is made by a function with one of some names.
func Has(calls []*ssa.Call, names ...string) bool {
	is := func(c *ssa.Call) bool { return slices.Contains(names, api.Callee(&c.Call).Name) }
	return slices.ContainsFunc(calls, is)
}
