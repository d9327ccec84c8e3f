// Package finding holds mistakes, from their detection until they are reported.
package finding

import (
	"fmt"
	"go/token"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/engine/state"
)

// Sorted returns findings in source order, one for each cause: a second use of the same dead memory tells nothing new,
// nor does the same message in the same line.
func (all Set) Sorted(fset *token.FileSet) []Finding {
	list := slices.Collect(maps.Values(all))
	slices.SortFunc(list, func(a, b Finding) int {
		if a.Pos != b.Pos {
			return int(a.Pos - b.Pos)
		}
		return strings.Compare(a.Message, b.Message)
	})
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(x Finding) bool {
		at := fset.Position(x.Pos)
		what, _, _ := strings.Cut(x.Message, ";") // without the advice
		line := fmt.Sprint(x.Kind, at.Filename, at.Line, what)
		again := seen[x.cause] || seen[line]
		seen[x.cause], seen[line] = true, true
		return again
	})
}

// A Kind selects the analyzer for a finding.
type Kind uint8

const (
	UseAfter Kind = iota
	Escape
	Goroutine
	Misuse
	Kept // memory that stays valid, and keeps more than itself
)

// A Finding is a mistake.
type Finding struct {
	Kind    Kind
	Pos     token.Pos
	Message string
	Related []Related

	cause string // only the first finding with a cause is reported
}

// A Related is a place related to a finding.
type Related struct {
	Pos     token.Pos
	Message string
}

// A Set has the findings by kind and place.
type Set map[string]Finding

// Add adds a finding at an instruction, about t, which d has ended. Uses of one allocation that one instruction has
// ended have one cause; for arenas, and where nothing has died, each place is its own cause.
//
// There is one finding for each kind and place. The message decides which, since findings come from maps, in any order.
func (all Set) Add(k Kind, i ssa.Instruction, d *state.Death, t state.Tag, message string) {
	pos := state.Position(i)
	x := Finding{Kind: k, Pos: pos, Message: message}
	var allocated, died token.Pos
	if t.Site != nil {
		allocated = state.Position(t.Site)
		x.Related = append(x.Related, Related{allocated, "allocated here"})
	}
	if d != nil {
		died = state.Position(d.At)
		x.Related = append(x.Related, Related{died, "reclaimed here"})
	}
	x.cause = fmt.Sprintf("%d %d %d", k, allocated, died)
	if d == nil || t.Kind == state.Handle || k == Escape {
		x.cause += fmt.Sprint(" ", pos)
	}
	key := fmt.Sprintf("%d %d", k, pos)
	if old, ok := all[key]; !ok || x.Message+x.cause < old.Message+old.cause {
		all[key] = x
	}
}
