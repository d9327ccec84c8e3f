// Arenavet finds misuse of package arena.
//
//	arenavet ./...
//	go vet -vettool=$(which arenavet) ./...
//
// The go command calls a vettool for each package with the name of a file that
// ends in .cfg; multichecker tells such calls from those by hand.
//
// With -reuse=never it takes Pools to reuse no memory that it doesn't see made, and with -reuse=always all Pools to
// reuse memory: what it reports then is what arena.WithReuse would break.
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
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/guard"
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // it doesn't live long
	}
	flag.Var(guard.Flag{}, "stats", "write how many functions were analyzed, and which were given up")
	flag.Func("reuse", "never: no Pool reuses memory that a package doesn't see made; always: all do", record.Assume)
	multichecker.Main(arenavet.All...)
}
