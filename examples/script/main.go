// Script runs programs in a small language, each in an arena that is reset for the next.
//
//	go run ./examples/script [-budget bytes] [file ...]
//
// It was written in plain Go and then ported: port.patch gave the interpreter its arena. To see the
// plain one, undo the patch in a copy:
//
//	cp -r examples/script/ported /tmp/script && patch -R -d /tmp/script -p1 < examples/script/port.patch
//
// An interpreter in an arena frees nothing while a script runs, so a script has a budget.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/harena-go/arena"
	script "github.com/harena-go/arena/examples/script/ported"
)

func main() {
	budget := flag.Int("budget", 64<<20, "the most `bytes` that a script may take")
	flag.Parse()
	if err := run(*budget, flag.Args(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "script:", err)
		os.Exit(1)
	}
}

// run runs files, or its input if there are none.
func run(budget int, files []string, in io.Reader, out io.Writer) error {
	a := arena.NewArena(arena.WithNoScan(), arena.WithLimit(budget), arena.WithName("script"))
	if len(files) == 0 {
		text, err := io.ReadAll(in)
		return errors.Join(err, one(a, string(text), out))
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err == nil {
			err = one(a, string(text), out)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// one runs a script, prints its result, and reclaims its memory.
func one(a *arena.Arena, source string, out io.Writer) (err error) {
	defer a.Reset()
	defer arena.RecoverLimit(&err)
	p, err := script.ParseIn(a, source)
	if err != nil {
		return err
	}
	v, err := p.RunIn(a, nil, out)
	if err == nil && v != nil {
		_, err = fmt.Fprintln(out, script.Format(v))
	}
	return err
}
