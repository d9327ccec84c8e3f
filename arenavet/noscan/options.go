package noscan

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/defuse"
)

// options returns the kind of arena that a list of options makes: self-contained with WithNoScan, ordinary if all
// options are known and none is WithNoScan. It may be the kind of the options in a parameter.
func options(list ssa.Value) owner {
	o := defuse.OptionsOf(list)
	switch {
	case defuse.Has(o.Calls, "WithNoScan"):
		return owner{kind: selfContained}
	case defuse.Has(o.Maybe, "WithNoScan") || len(o.Rest) > 1:
		return owner{}
	case len(o.Rest) == 0:
		return owner{kind: ordinary}
	}
	if p, ok := o.Rest[0].(*ssa.Parameter); ok && p.Parent().Parent() == nil {
		return owner{kind: optional, param: slices.Index(p.Parent().Params, p)}
	}
	return owner{}
}
