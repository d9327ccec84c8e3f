// Package ports measures a program that was written in plain Go and then given an arena: a typical gain, since lexers,
// copying and escaping take their time on all sides. The original and the port are examples/markdown, and pass the same
// tests there.
package ports

import (
	"bytes"
	_ "embed"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/examples/markdown/original"
	ported "github.com/harena-go/arena/examples/markdown/ported"
)

const name = "ports"

// Suite compares the original with its port.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "A program, ported",
		About: "A renderer makes HTML of a page of 7 KB, one goroutine, one page after the other; nothing else is " +
			"live. It is a program in plain Go (\"heap\"), and the same with an arena as a field and a parameter, " +
			"as docs/porting.md says: \"harena-heap\" is the port with a nil arena, which should cost what the " +
			"original does, \"harena\" gets an arena from a pool for each page, \"harena-self-contained\" one of a " +
			"pool with WithNoScan. The time is that of the processors, the collector's included. Where the linker " +
			"puts functions moves a row by 2 or 3%.",
		Peers:   []string{suite.Heap, suite.HarenaOnHeap, suite.Harena, suite.SelfContained},
		Rounds:  6,
		Run:     run,
		Seconds: suite.Takes(0.1, 1),
	}
}

// renderer returns a function that renders the page with a peer.
func renderer(peer string) (func(out *bytes.Buffer) error, error) {
	pool := arena.NewPool(arena.WithReuse())
	switch peer {
	case suite.Heap:
		return func(out *bytes.Buffer) error { markdown.Convert(page, out); return nil }, nil
	case suite.HarenaOnHeap:
		return func(out *bytes.Buffer) error { ported.ConvertIn(nil, page, out); return nil }, nil
	case suite.Harena:
	case suite.SelfContained:
		pool = arena.NewPool(arena.WithReuse(), arena.WithNoScan())
	default:
		return nil, fmt.Errorf("the suite ports knows no peer %q", peer)
	}
	return func(out *bytes.Buffer) error {
		return pool.Do(func(a *arena.Arena) error { ported.ConvertIn(a, page, out); return nil })
	}, nil
}

func run(peer string, c suite.Config) (out suite.Output, err error) {
	render, err := renderer(peer)
	if err != nil {
		return out, err
	}
	n := 4000
	if c.Quick {
		n = 100
	}
	var html bytes.Buffer
	pages := func(n int) (err error) {
		for i := 0; i < n && err == nil; i++ {
			html.Reset()
			err = render(&html)
		}
		return err
	}
	if err := pages(n / 20); err != nil { // the pool learns
		return out, err
	}
	r := measure.Start()
	err = pages(n)
	s := r.Stop()
	row := func(row, title string, unit suite.Unit, total float64) {
		if row = "markdown-" + row; c.Wants(row) {
			out.Results = append(out.Results, suite.Result{Suite: name, Row: row, Title: title, Peer: peer, Unit: unit,
				Values: []float64{total / float64(n)}})
		}
	}
	row("cpu", "CPU time of a page", suite.Seconds, s.CPU)
	row("gc-cpu", "GC CPU time", suite.Seconds, s.GCCPU)
	row("mallocs", "heap allocations", suite.Count, float64(s.Mallocs))
	out.Checksum = fmt.Sprintf("%x", crc32.ChecksumIEEE(html.Bytes()))
	return out, err
}

//go:embed testdata/page.md
var part string

// page is several of these texts, with headings of their own.
var page = func() string {
	var b strings.Builder
	for i := range 4 {
		b.WriteString(strings.ReplaceAll(part, "{n}", fmt.Sprint(i+1)))
	}
	return b.String()
}()
