// Arenavet finds misuse of package arena.
//
//	arenavet ./...
//	go vet -vettool=$(which arenavet) ./...
//
// The go command calls a vettool for each package with the name of a file that
// ends in .cfg; multichecker tells such calls from those by hand.
//
// With -stats it says, for each package that depends on package arena, how many
// functions were analyzed, and which were given up, because there was too much
// to look at or because arenavet failed. Nothing is said of those.
//
//	arenavet audit ./...
//
// lists what still goes to the heap, as the compiler's escape analysis says, in functions
// that have an arena at hand, and what it would be in the arena.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/harena-go/arena/arenavet"
	"github.com/harena-go/arena/arenavet/internal/audit"
	"github.com/harena-go/arena/arenavet/internal/guard"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // it doesn't live long
	}
	if len(os.Args) > 1 && os.Args[1] == "audit" {
		patterns := os.Args[2:]
		if len(patterns) == 0 {
			patterns = []string{"."}
		}
		if _, err := audit.Run(os.Stdout, ".", patterns...); err != nil {
			fmt.Fprintln(os.Stderr, "arenavet audit:", err)
			os.Exit(1)
		}
		return
	}
	flag.Var(guard.Flag{}, "stats", "write how many functions were analyzed, and which were given up")
	multichecker.Main(arenavet.All...)
}
