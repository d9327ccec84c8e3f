// Markdown makes HTML of texts in a language like Markdown, each in an arena that is reset for the
// next.
//
//	go run ./examples/markdown [file ...]
//
// It is here for how it came about: package original is plain Go, and package ported the same with
// an arena. What that took is on docs/porting.md, and to be seen with
//
//	diff -u examples/markdown/original examples/markdown/ported
//
// Both pass the same tests; go run ./bench -suites ports compares what they cost.
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

// limit is how much memory a text may take, beside its own.
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

// convert writes the HTML of a text, and reclaims what that needed.
func convert(a *arena.Arena, text string, out io.Writer) (err error) {
	defer a.Reset()
	defer arena.RecoverLimit(&err)
	var html bytes.Buffer
	markdown.ConvertIn(a, text, &html)
	_, err = out.Write(html.Bytes())
	return err
}
