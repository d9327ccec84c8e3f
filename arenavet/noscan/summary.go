package noscan

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/facts"
)

// This file holds what the check knows: of functions, of arenas, and of a package.

// A summary is a fact about a function: what its callers must know. Parameters
// are counted with the receiver first. The zero summary says that the function stores nothing
// that matters, and that nothing is known of its results.
type summary struct {
	Stores  []store  // what it stores in the memory of a parameter
	Results []result // where its results are; empty if nothing is known
	Keeps   uint64   // a bit for each parameter that it passes to KeepAlive
	Casts   []cast
}

// A store is one of a parameter, or of something on the heap, in the memory of
// a parameter, or of an arena that is one. Of several stores with the same Into and From
// callers are told of one.
type store struct {
	Into, From int    // From is -1 for the heap, Into is known for an arena whose kind the function knows
	What       string // it is, on the heap
	At         string // where that is, for messages: "add at tree.go:7"
}

// known stands for a self-contained arena that isn't a parameter, in the place of the number of
// one: a package-level variable, or a field that always has such an arena.
const known = -1

// A result is where a result of a function is. Where several returns differ it says what any of
// them may be on the heap, and in which arena the last one is.
type result struct {
	Kind   kind   // of an arena, or of that in which it is
	Owner  int    // the parameter that is that arena, or is in it, or its options, or -1
	Fresh  bool   // it is an arena that was made by this call
	Heap   string // what it is on the heap, or ""
	Params uint64 // a bit for each parameter that it may be, or be a part of
}

// A cast takes raw memory of an arena that is a parameter for a type with pointers. Whether that
// is wrong depends on the arena: the memory of a default arena is typed, and raw memory in it is
// of a type without pointers; a self-contained arena isn't scanned in any case.
type cast struct {
	Param int
	Type  string
	At    string    // where that is, for messages
	pos   token.Pos // the same, for callers in the package
}

func (*summary) AFact() {}

func (s *summary) String() string { return fmt.Sprintf("%+v", *s) }

// A kind is what kind of arena something is, or is in. Only the two that are known for sure,
// selfContained and ordinary, lead to a report; parameter and optional lead to summaries.
type kind uint8

const (
	unknown       kind = iota
	ordinary           // the GC looks into it, as far as it has to
	selfContained      // the GC never does
	nowhere            // the nil arena: the heap
	parameter          // whatever the caller has
	optional           // it depends on the options that the caller has
)

// An owner is the arena that a value is, or is in. Two owners with the same id are one arena;
// two with different ids may be one, unless both ids are calls that make arenas (see fresh).
type owner struct {
	kind  kind
	param int       // if the kind is parameter or optional
	id    ssa.Value // the call or variable that made it
}

// A checker looks at one package. What it collects of fields and variables holds for the whole
// package: a field is taken for what is stored in it anywhere.
type checker struct {
	facts.Table[summary, *summary]
	stored map[any][]ssa.Value // in fields and package-level variables, by *types.Var and *ssa.Global
	calls  map[*ssa.Function][]*ssa.CallCommon
	report func(pos token.Pos, format string, args ...any)
}

// items returns how the elements of a slice are set, if it shows an array that
// is filled in here, such as variadic arguments.
func items(s ssa.Value) (stores []*ssa.Store) {
	if array := defuse.ArrayOf(s); array != nil {
		for _, st := range defuse.Items(array) {
			stores = append(stores, st)
		}
	}
	return stores
}
