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
package main

import (
	"flag"
	"os"
	"runtime/debug"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/harena-go/arena/arenavet"
	"github.com/harena-go/arena/arenavet/internal/guard"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // it doesn't live long
	}
	flag.Var(guard.Flag{}, "stats", "write how many functions were analyzed, and which were given up")
	multichecker.Main(arenavet.All...)
}
