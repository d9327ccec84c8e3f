// Decoders measures decoders of the protobuf wire format, one in each run, and prints a line of JSON for each row. It
// is a module of its own, so that the program that starts it doesn't need the decoders' dependencies.
//
//	decoders -peer NAME [-rows PREFIX] [-turn DURATION] [-small]
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/harena-go/arena/bench/measure"
)

// A line is the measurement of a row.
type line struct {
	Row      string
	Bytes    int     // of the input
	Value    float64 // seconds of the processors for a message, or heap allocations
	Checksum uint64  // of all fields, where they are read
}

func main() {
	peer := flag.String("peer", official, "the decoder")
	rows := flag.String("rows", "", "what the names of the rows begin with")
	turn := flag.Duration("turn", 100*time.Millisecond, "how long a row is measured")
	small := flag.Bool("small", false, "small inputs")
	flag.Parse()
	if err := run(*peer, *rows, *turn, inputs(*small)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(peer, prefix string, turn time.Duration, inputs []input) error {
	if decoders[peer] == nil {
		return fmt.Errorf("there is no decoder %q", peer)
	}
	out := json.NewEncoder(os.Stdout)
	for _, in := range inputs {
		do := decoders[peer](in)
		if do == nil {
			continue
		}
		lines, err := rows(in, do, prefix, turn)
		if err != nil {
			return fmt.Errorf("%s: %w", in.name, err)
		}
		for _, l := range lines {
			if err := out.Encode(l); err != nil {
				return err
			}
		}
	}
	return nil
}

// rows measures a decoder with an input: decoding alone, decoding and reading all fields, and allocations.
func rows(in input, do decoder, prefix string, turn time.Duration) (lines []line, err error) {
	decode := func() error {
		_, err := do(in.data)
		return err
	}
	for range 5 { // plans are made, pools are filled
		if err := decode(); err != nil {
			return nil, err
		}
	}
	add := func(row string, f func(func() error, time.Duration) (float64, error), do func() error) {
		if row += "-" + in.name; err != nil || !strings.HasPrefix(row, prefix) {
			return
		}
		var v float64
		v, err = f(do, turn)
		lines = append(lines, line{Row: row, Bytes: len(in.data), Value: v})
	}
	verb := "decode"
	if in.slabs != nil {
		verb = "build"
	}
	add(verb, measure.PerCall, decode)
	if m, _ := do(in.data); m != nil {
		sum := uint64(0)
		add("read", measure.PerCall, func() error {
			m, err := do(in.data)
			if err == nil {
				sum = m.Checksum()
			}
			return err
		})
		for i := range lines {
			if strings.HasPrefix(lines[i].Row, "read") {
				lines[i].Checksum = sum
			}
		}
	}
	add("allocs", measure.AllocsPerCall, decode)
	return lines, err
}
