// Arenavet finds misuse of package arena.
//
//	arenavet ./...
//	go vet -vettool=$(which arenavet) ./...
//
// The go command calls a vettool for each package with the name of a file that
// ends in .cfg; multichecker tells such calls from those by hand.
//
// With -reuse=never it takes each Pool to reuse no memory that it doesn't see made.
//
// With -stats it says, for each package that depends on package arena, how many
// functions were analyzed, and which were given up, because there was too much
// to look at or because arenavet failed. Nothing is said of those.
package main

import (
	"errors"
	"flag"
	"os"
	"runtime/debug"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/harena-go/arena/arenavet"
	"github.com/harena-go/arena/arenavet/internal/flow/record"
	"github.com/harena-go/arena/arenavet/internal/guard"
)

// neverReuse is the flag -reuse.
func neverReuse(s string) error {
	if s != "never" && s != "" {
		return errors.New("want never")
	}
	record.NeverReuse = s == "never"
	return nil
}

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // it doesn't live long
	}
	flag.Var(guard.Flag{}, "stats", "write how many functions were analyzed, and which were given up")
	flag.Func("reuse", "never: no Pool of the program reuses memory, also where a package doesn't see it made",
		neverReuse)
	multichecker.Main(arenavet.All...)
}
