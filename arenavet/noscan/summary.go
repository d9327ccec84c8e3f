package noscan

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/defuse"
	"github.com/harena-go/arena/arenavet/internal/facts"
)

// This file defines the facts: about functions, arenas, and a package.

// A summary is a fact about a function for its callers. Parameters are counted with the receiver first. In the zero
// summary the function has no stores, and its results are unknown.
type summary struct {
	Stores  []store  // stores in the memory of a parameter
	Results []result // where its results are; empty if unknown
	Keeps   uint64   // a bit for each parameter that it passes to KeepAlive
	Casts   []cast
}

// A store stores a parameter, or a value on the heap, in the memory of a parameter, or of an arena that is one. Only
// the first of several stores with the same Into and From is listed.
type store struct {
	Into, From int    // From is -1 for the heap, Into is known for an arena of a kind known to the function
	What       string // the name of the value on the heap
	At         string // the place, for messages: "add at tree.go:7"
}

// known stands for a self-contained arena that isn't a parameter, in place of a parameter's number: a package-level
// variable, or a field that always has such an arena.
const known = -1

// A result describes a result of a function. If several returns differ, it has a heap value of any of them, and the
// last one's arena.
type result struct {
	Kind   kind   // of the arena that it is, or is in
	Owner  int    // the parameter that is that arena, or is in it, or its options; or -1
	Fresh  bool   // it is an arena that was made by this call
	Heap   string // the name of its value on the heap, or ""
	Params uint64 // a bit for each parameter that it may be, or be a part of
}

// A cast converts raw memory of an arena that is a parameter to a type with pointers. Only the arena decides whether
// that is a mistake: the memory of a default arena is typed, and raw memory in it has no pointers; a self-contained
// arena isn't scanned in any case.
type cast struct {
	Param int
	Type  string
	At    string    // the place, for messages
	pos   token.Pos // the same, for callers in the package
}

func (*summary) AFact() {}

func (s *summary) String() string { return fmt.Sprintf("%+v", *s) }

// A kind is the kind of the arena that a value is, or is in. Only the two certain kinds, selfContained and ordinary,
// lead to a report; parameter and optional lead to summaries.
type kind uint8

const (
	unknown       kind = iota
	ordinary           // the GC scans it as far as necessary
	selfContained      // the GC never scans it
	nowhere            // the nil arena: the heap
	parameter          // the caller's
	optional           // it depends on the caller's options
)

// An owner is the arena that a value is, or is in. Two owners with the same id are one arena;
// two with different ids may be one, unless both ids are calls that make arenas (see fresh).
type owner struct {
	kind  kind
	param int       // if the kind is parameter or optional
	id    ssa.Value // the call or variable that made it
}

// A checker checks one package. The values collected for fields and variables count in the whole package: a field may
// have any value stored in it anywhere.
type checker struct {
	facts.Table[summary, *summary]
	stored map[any][]ssa.Value // in fields and package-level variables, by *types.Var and *ssa.Global
	calls  map[*ssa.Function][]*ssa.CallCommon
	report func(pos token.Pos, format string, args ...any)
}

// items returns the stores to the elements of a slice, if its array is filled here, like variadic arguments.
func items(s ssa.Value) (stores []*ssa.Store) {
	if array := defuse.ArrayOf(s); array != nil {
		for _, st := range defuse.Items(array) {
			stores = append(stores, st)
		}
	}
	return stores
}
