//go:build (goexperiment.jsonv2 && go1.27) || go1.28

// Std measures the packages encoding/json and encoding/json/v2 of the toolchain that built it, and prints a line of
// JSON for each row.
//
//	std -peer v1|v2 -texts DIR [-rows PREFIX] [-turn DURATION]
package main

import (
	"bytes"
	"encoding/json"
	jsonv2 "encoding/json/v2"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/harena-go/arena/bench/json/work"
)

func main() {
	peer := flag.String("peer", "v1", "v1 or v2")
	texts := flag.String("texts", "", "where the texts are")
	rows := flag.String("rows", "", "what the names of the rows begin with")
	turn := flag.Duration("turn", 100*time.Millisecond, "how long a row takes")
	flag.Parse()
	if err := run(*peer, *texts, *rows, *turn); err != nil {
		fmt.Fprintln(os.Stderr, "std:", err)
		os.Exit(1)
	}
}

func run(peer, dir, prefix string, turn time.Duration) error {
	libraries := map[string]work.Library{"v1": v1(), "v2": v2()}
	l, ok := libraries[peer]
	if !ok {
		return fmt.Errorf("-peer %q: must be v1 or v2", peer)
	}
	texts, err := work.Load(dir)
	if err != nil {
		return err
	}
	wants := func(name string) bool { return strings.HasPrefix(name, prefix) }
	lines, err := work.Measure(l, work.Rows(texts), wants, turn)
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	for _, line := range lines {
		if err := out.Encode(line); err != nil {
			return err
		}
	}
	return nil
}

func v1() work.Library {
	return work.Library{Unmarshal: json.Unmarshal, NewEncode: func(v any) func() ([]byte, error) {
		b := new(bytes.Buffer)
		e := json.NewEncoder(b)
		return func() ([]byte, error) {
			b.Reset()
			err := e.Encode(v)
			return b.Bytes(), err
		}
	}}
}

func v2() work.Library {
	return work.Library{
		Unmarshal: func(b []byte, v any) error { return jsonv2.Unmarshal(b, v) },
		NewEncode: func(v any) func() ([]byte, error) {
			b := new(bytes.Buffer)
			return func() ([]byte, error) {
				b.Reset()
				err := jsonv2.MarshalWrite(b, v)
				return b.Bytes(), err
			}
		}}
}
