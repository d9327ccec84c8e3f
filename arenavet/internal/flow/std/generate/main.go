// Generate writes generated.go of package std: what functions of the standard library
// return of what they are given, and where they keep it, as the analysis in package
// flow finds it in their source.
//
//	go generate ./internal/flow/std
package main

import (
	"bytes"
	"fmt"
	"go/format"
	"log"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/harena-go/arena/arenavet/internal/flow/std/library"
)

func main() {
	table, err := library.Table(library.Packages...)
	if err != nil {
		log.Fatal(err)
	}
	minor := strings.Join(strings.SplitN(runtime.Version(), ".", 3)[:2], ".")
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated from the source of %s by go generate; DO NOT EDIT.\n\npackage std\n\n", minor)
	fmt.Fprintf(&b, "// GeneratedBy is the version of Go that the table is of.\nconst GeneratedBy = %q\n\n", minor)
	fmt.Fprintf(&b, "// generated is the table of Flows.\nvar generated = map[string]string{\n")
	for _, name := range slices.Sorted(maps.Keys(table)) {
		fmt.Fprintf(&b, "%q: %q,\n", name, table[name])
	}
	b.WriteString("}\n")
	text, err := format.Source(b.Bytes())
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("generated.go", text, 0o666); err != nil {
		log.Fatal(err)
	}
}
