// Generate writes generated.txt of package std: the flows of the standard library's functions from arguments to results
// and stores, as the analyses in package flow find them in the source.
//
//	go generate ./internal/flow/std
package main

import (
	"log"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/harena-go/arena/arenavet/internal/flow"
	"github.com/harena-go/arena/arenavet/internal/flow/std/library"
)

func main() {
	table, err := library.Table(flow.Flows, library.Packages...)
	if err != nil {
		log.Fatal(err)
	}
	others, err := library.Others()
	if err != nil {
		log.Fatal(err)
	}
	kept, err := library.Table(flow.Kept, others...)
	if err != nil {
		log.Fatal(err)
	}
	maps.Copy(table, kept)
	var lines []string
	for name, text := range table {
		lines = append(lines, name+"\t"+text)
	}
	slices.Sort(lines)
	version := strings.Join(strings.SplitN(runtime.Version(), ".", 3)[:2], ".")
	text := version + "\n" + strings.Join(lines, "\n") + "\n"
	if err := os.WriteFile("generated.txt", []byte(text), 0o666); err != nil {
		log.Fatal(err)
	}
}
