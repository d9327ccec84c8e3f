// Markdown converts texts in a language like Markdown to HTML, each in an arena that is reset for the next.
//
//	go run ./examples/markdown [file ...]
//
// It is an example of porting: package original is plain Go, and package ported the same with an arena. docs/porting.md
// describes the changes; this command shows them:
//
//	diff -u examples/markdown/original examples/markdown/ported
//
// Both pass the same tests; go run ./bench -suites ports compares their costs.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/harena-go/arena"
	markdown "github.com/harena-go/arena/examples/markdown/ported"
)

// limit is the most memory for a text, in addition to its own.
const limit = 64 << 20

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "markdown:", err)
		os.Exit(1)
	}
}

// run converts files, or its input if there are none.
func run(files []string, in io.Reader, out io.Writer) error {
	a := arena.NewArena(arena.WithNoScan(), arena.WithLimit(limit), arena.WithName("markdown"))
	if len(files) == 0 {
		text, err := io.ReadAll(in)
		return errors.Join(err, convert(a, string(text), out))
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err == nil {
			err = convert(a, string(text), out)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// convert writes the HTML of a text, and reclaims the memory for it.
func convert(a *arena.Arena, text string, out io.Writer) (err error) {
	defer a.Reset()
	defer arena.RecoverLimit(&err)
	var html bytes.Buffer
	markdown.ConvertIn(a, text, &html)
	_, err = out.Write(html.Bytes())
	return err
}
