package arenavet_test

import (
	"fmt"
	"go/ast"
	"maps"
	"slices"
	"strings"
	"testing"
)

// missed are the functions of testdata/services without their finding, with the reason. None of them has a wrong
// finding.
var missed = map[string]string{
	"BadSlogWith":          "slog's own handlers print what With is given at once, others may keep it",
	"BadSlogWith2":         "slog's own handlers print what With is given at once, others may keep it",
	"BadLabels":            "a goroutine's labels are of the runtime",
	"BadReflect2":          "what Interface copies depends on the type",
	"BadWith":              "what With of a handler makes isn't followed: slog's own handlers print it at once",
	"BadTail":              "what Record.Attrs calls its function with isn't followed",
	"BadCounts":            "what Record.Attrs calls its function with isn't followed",
	"BadSortMemo":          "what the standard library calls a function with isn't followed",
	"BadIndexMemo":         "what the standard library calls a function with isn't followed",
	"BadFreshLines":        "what the body of a loop has used in the turn before isn't looked at again",
	"BadDecodedAgain":      "that a decoder takes the room that a value has isn't followed",
	"BadUnmarshaledAgain":  "that a decoder takes the room that a value has isn't followed",
	"BadContextIface":      "what methods behind an interface do with a context's arena is their affair",
	"BadContextRequest":    "a goroutine that takes a lock is taken to have its arena to itself",
	"BadContextPut":        "a goroutine that takes a lock is taken to have its arena to itself",
	"BadThrough":           "a handler may pass on what it is given to any that such a handler has",
	"BadDropNew":           "who allocates and drops it may want the arena to be used",
	"BadNSReflect":         "what is set by package reflect isn't followed into self-contained arenas",
	"BadResetLoop":         "a loop that fills a list anew looks the same",
	"BadEnd":               "which arena the elements of a field are in is for other functions to know",
	"BadEmitted":           "what a function in a field has captured is known where it is put there only",
	"BadMarketIfaceHolder": "what a method of an unknown type does is its affair",
}

// TestServices runs all analyzers over functions as in services: each wrong one has a finding, apart from those in
// missed, and the others have none.
func TestServices(t *testing.T) {
	loadTestdata(t)
	found := testdata.found
	wrong, right, seen := 0, 0, 0
	known := maps.Clone(missed)
	for _, file := range testdata.services.Files {
		for _, decl := range file.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name := fn.Name.Name
			if !strings.HasPrefix(name, "Bad") {
				if strings.HasPrefix(name, "OK") {
					right++
				}
				for _, text := range found[name] {
					t.Errorf("%s is correct: %s", name, text)
				}
				continue
			}
			wrong++
			why, isMissed := known[name]
			delete(known, name)
			switch {
			case len(found[name]) > 0:
				seen++
				if isMissed {
					t.Errorf("%s is found, and listed as missed: %s", name, why)
				}
			case !isMissed:
				t.Errorf("%s isn't found", name)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(known)) {
		t.Errorf("there is no function %s", name)
	}
	checkReadme(t, "services", fmt.Sprintf("Of %d wrong functions it finds %d; in %d right ones that look like them it finds nothing.\n", wrong, seen, right))
}
