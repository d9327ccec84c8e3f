// Arenavet finds misuse of package arena.
//
//	arenavet ./...
//	go vet -vettool=$(which arenavet) ./...
//
// The go command calls a vettool for each package with the name of a file that ends in .cfg; multichecker tells such
// calls from calls by hand.
//
// With -reuse=never Pools whose construction isn't seen are assumed to reuse no memory, and with -reuse=always all
// Pools are assumed to reuse it: then the findings show what arena.WithReuse would break.
//
// With -stats it prints, for each package that depends on package arena, how many functions were analyzed, and which
// were given up, because they were too large or because arenavet failed. Those have no findings.
package main

import (
	"flag"
	"os"
	"runtime/debug"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/harena-go/arena/arenavet"
	"github.com/harena-go/arena/arenavet/internal/engine/guard"
	"github.com/harena-go/arena/arenavet/internal/engine/record"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // it doesn't live long
	}
	flag.BoolFunc("stats", "write how many functions were analyzed, and which were given up", guard.SetStats)
	flag.Func("reuse", "never: no Pool reuses memory that a package doesn't see made; always: all do", record.Assume)
	multichecker.Main(arenavet.All...)
}
