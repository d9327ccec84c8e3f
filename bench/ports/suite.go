// Package ports measures two programs that were written in plain Go and then given an arena: the honest middle
// of what arenas gain, where lexers, copying and escaping take their time on all sides. The originals and the
// ports are examples, and pass the same tests there.
package ports

import (
	"bytes"
	_ "embed"
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
	markdown "github.com/harena-go/arena/examples/markdown/original"
	markdownIn "github.com/harena-go/arena/examples/markdown/ported"
	script "github.com/harena-go/arena/examples/script/original"
	scriptIn "github.com/harena-go/arena/examples/script/ported"
)

const name = "ports"

// The groups of rows.
const (
	Script   = "script"
	Markdown = "markdown"
)

// Suite compares the originals with their ports.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "Two programs, ported",
		About: "An interpreter of a small language parses and runs a script of 30 lines, and a renderer makes HTML " +
			"of a page of 7 KB, one goroutine, one after the other; nothing else is live. Both are programs in plain " +
			"Go (\"heap\"), and the same with an arena as a field and a parameter, as docs/porting.md says: " +
			"\"harena-heap\" is the port with a nil arena, which should cost what the original does, \"harena\" gets " +
			"an arena from a pool for each, \"harena-self-contained\" one of a pool with WithNoScan. The time is " +
			"that of the processors, the collector's included. Where the linker puts functions moves a row by 2 or " +
			"3%.",
		Peers:  []string{suite.Heap, suite.HarenaOnHeap, suite.Harena, suite.SelfContained},
		Rounds: 6,
		Plot:   suite.Bars,
		Run:    run,
		Seconds: func(c suite.Config) float64 {
			if c.Quick {
				return 0.2
			}
			return 3
		},
	}
}

// A unit does a piece of work and appends its answer to out.
type unit func(out *bytes.Buffer) error

// units returns the programs of a peer.
func units(peer string) (map[string]unit, error) {
	pool := arena.NewPool(arena.WithReuse())
	switch peer {
	case suite.Heap:
		return map[string]unit{
			Script: func(out *bytes.Buffer) error {
				p, err := script.Parse(source)
				if err != nil {
					return err
				}
				v, err := p.Run(nil, out)
				out.WriteString(script.Format(v))
				return err
			},
			Markdown: func(out *bytes.Buffer) error { markdown.Convert(page, out); return nil },
		}, nil
	case suite.HarenaOnHeap:
		return map[string]unit{
			Script:   func(out *bytes.Buffer) error { return runIn(nil, out) },
			Markdown: func(out *bytes.Buffer) error { markdownIn.ConvertIn(nil, page, out); return nil },
		}, nil
	case suite.Harena:
	case suite.SelfContained:
		pool = arena.NewPool(arena.WithReuse(), arena.WithNoScan())
	default:
		return nil, fmt.Errorf("the suite ports knows no peer %q", peer)
	}
	return map[string]unit{
		Script: func(out *bytes.Buffer) error {
			return pool.Do(func(a *arena.Arena) error { return runIn(a, out) })
		},
		Markdown: func(out *bytes.Buffer) error {
			return pool.Do(func(a *arena.Arena) error { markdownIn.ConvertIn(a, page, out); return nil })
		},
	}, nil
}

func runIn(a *arena.Arena, out *bytes.Buffer) error {
	p, err := scriptIn.ParseIn(a, source)
	if err != nil {
		return err
	}
	v, err := p.RunIn(a, nil, out)
	out.WriteString(scriptIn.Format(v))
	return err
}

func run(peer string, c suite.Config) (out suite.Output, err error) {
	all, err := units(peer)
	if err != nil {
		return out, err
	}
	sum := fnv.New64a()
	for _, group := range []string{Script, Markdown} {
		if !c.Wants(group) {
			continue
		}
		rows, answer, err := measured(all[group], n(c))
		if err != nil {
			return out, err
		}
		sum.Write(answer)
		for _, r := range rows {
			r.Suite, r.Group, r.Peer, r.Row = name, group, peer, group+"-"+r.Row
			out.Results = append(out.Results, r)
		}
	}
	if c.Rows == "" {
		out.Checksum = fmt.Sprintf("%x", sum.Sum64())
	}
	return out, nil
}

// n is how many units are measured: about half a second of each program.
func n(c suite.Config) int {
	if c.Quick {
		return 100
	}
	return 4000
}

// measured does n units and returns what one of them costs, and its answer.
func measured(do unit, n int) (rows []suite.Result, answer []byte, err error) {
	var out bytes.Buffer
	for range max(n/20, 1) { // until pools have learned
		out.Reset()
		if err := do(&out); err != nil {
			return nil, nil, err
		}
	}
	r := measure.Start()
	for range n {
		out.Reset()
		if err := do(&out); err != nil {
			return nil, nil, err
		}
	}
	s := r.Stop()
	each := func(row, title string, unit suite.Unit, total float64) {
		rows = append(rows, suite.Result{Row: row, Title: title, Unit: unit, Values: []float64{total / float64(n)}})
	}
	each("cpu", "CPU time", suite.Seconds, s.CPU)
	each("gc-cpu", "GC CPU time", suite.Seconds, s.GCCPU)
	each("mallocs", "heap allocations", suite.Count, float64(s.Mallocs))
	return rows, out.Bytes(), nil
}

// source is a script that makes a little of everything.
//
//go:embed testdata/rooms.script
var source string

//go:embed testdata/page.md
var part string

// page is some such texts, with headings of their own.
var page = func() string {
	var b strings.Builder
	for i := range 4 {
		b.WriteString(strings.ReplaceAll(part, "{n}", fmt.Sprint(i+1)))
	}
	return b.String()
}()
