// Arenavet finds misuse of package arena.
//
//	arenavet ./...
//	go vet -vettool=$(which arenavet) ./...
//
// The go command calls a vettool for each package with the name of a file that
// ends in .cfg; multichecker tells such calls from those by hand.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/harena-go/arena/arenavet"
)

func main() { multichecker.Main(arenavet.All...) }
