// Package escape finds values that outlive the memory they are in.
package escape

import (
	"golang.org/x/tools/go/analysis"

	"github.com/harena-go/arena/arenavet/internal/engine"
	"github.com/harena-go/arena/arenavet/internal/rules"
	"github.com/harena-go/arena/arenavet/internal/rules/finding"
)

const doc = `report values that outlive their arena's reset

What is in an arena dies with Reset, Rewind, Pool.Put and the end of Pool.Do. It
must not be returned, kept in a global, a map or a field, or given to a
goroutine that nobody waits for, if that lives on.

	func name(r *Request) string {
		a := pool.Get()
		defer pool.Put(a)
		return decode(a, r).Name // dead before the caller sees it
	}

Take it to the heap with arena.Clone (strings and slices of plain values) or
arena.DeepClone (everything that it points to), for a cache both the key and the
value with cache.Add(arena.Keep(a, key, value)), or let the caller pass the arena.

Put and the end of Do reuse memory only if the Pool was made with arena.WithReuse.
Where it is seen that it wasn't, nothing is reported; where the Pool isn't seen, the
finding says so. With -escape.kept, values that are kept are reported in any case:
each keeps an epoch of its Pool.`

var kept bool

func init() {
	Analyzer.Flags.BoolVar(&kept, "kept", false, "also report values that stay valid, since their Pool doesn't reuse "+
		"memory, but keep an epoch of it")
}

// Analyzer is the check.
var Analyzer = rules.Check("escape", doc, func(pass *analysis.Pass) {
	rules.Report(pass, finding.Escape)
	if kept {
		rules.Report(pass, finding.Kept)
	}
}, engine.Analyzer)
