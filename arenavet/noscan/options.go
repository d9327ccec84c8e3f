package noscan

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/api"
	"github.com/harena-go/arena/arenavet/internal/defuse"
)

// This file finds the kind of arena that a list of options makes. It is
// self-contained if WithNoScan is among them; ordinary if all of them are known and it isn't.
//
//	arena.NewArena()                                   ordinary
//	arena.NewPool(arena.WithNoScan())                  self-contained, as all arenas of the pool
//	arena.NewArena(append(opts, arena.WithName("x"))...)   as opts, which may be a parameter
//
// One option that comes from elsewhere makes the kind unknown: it may be WithNoScan.

// options returns which kind of arena a slice of options makes. It may be that of
// the options that are a parameter, with some more.
func (c *checker) options(v ssa.Value) owner {
	return c.optionsOf(v, map[ssa.Value]bool{})
}

// optionsOf is options of a list that another one was made from. A list that is made from
// itself, in a loop, adds nothing to what is known.
func (c *checker) optionsOf(v ssa.Value, seen map[ssa.Value]bool) owner {
	if seen[v] {
		return owner{kind: ordinary}
	}
	seen[v] = true
	switch v := v.(type) {
	case *ssa.Const:
		return owner{kind: ordinary}
	case *ssa.Parameter:
		if fn := v.Parent(); fn.Parent() == nil {
			return owner{kind: optional, param: slices.Index(fn.Params, v)}
		}
	case *ssa.Phi:
		var all owner
		for i, e := range v.Edges {
			o := c.optionsOf(e, seen)
			if i > 0 && all.kind != ordinary && o != all {
				return owner{}
			}
			all = o
		}
		return all
	case *ssa.Slice:
		return both(owner{kind: ordinary}, c.items(v))
	case *ssa.Call:
		if api.IsBuiltin(v, "append") {
			return both(c.optionsOf(v.Call.Args[0], seen), c.optionsOf(v.Call.Args[1], seen))
		}
	}
	return owner{}
}

// both returns what two lists of options make together.
// WithNoScan decides wherever it stands: no option undoes it.
func both(a, b owner) owner {
	switch {
	case a.kind == selfContained || b.kind == ordinary:
		return a
	case b.kind == selfContained || a.kind == ordinary:
		return b
	}
	return owner{}
}

// items returns what the options in an array that is filled in here make.
func (c *checker) items(s *ssa.Slice) owner {
	found := owner{kind: ordinary}
	for _, item := range items(s) {
		switch c.option(item.Val) {
		case api.NoScan:
			return owner{kind: selfContained}
		case api.NewOption:
		default:
			found = owner{}
		}
	}
	return found
}

// option returns by which verb an option was made, or Harmless.
// An option in a variable is followed to the call that has made it.
func (c *checker) option(v ssa.Value) api.Verb {
	verb := api.Harmless
	defuse.Of(v, func(v ssa.Value) bool {
		if call, ok := v.(*ssa.Call); ok {
			if f := api.Callee(&call.Call); f != nil {
				verb = f.Verb
			}
		}
		return true
	})
	return verb
}
