// Package json measures reading JSON to Go values, and writing it.
package json

import (
	"fmt"
	"os"

	"github.com/harena-go/arena/bench/json/work"
	"github.com/harena-go/arena/bench/program"
	"github.com/harena-go/arena/bench/suite"
)

const name = "json"

// Suite measures decoders and encoders of JSON.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "JSON",
		About: "One goroutine reads one text after the other to a new value, or writes a value, and drops it. The " +
			"time is that of the processors, so that what the collector does beside is in it. Types are made from " +
			"the texts by reflection, the same for all. The texts are those that are usual in comparisons of JSON " +
			"libraries, a line of a log, an order, and an object of 60 members; four of them are wanted. Four more " +
			"are what servers get, with types as programs have them, with maps; they are read with 32 MB of live " +
			"heap beside. \"harena\" is package arenajson with an arena that is reset after each text, " +
			"\"harena-batch\" has no arena and the option Batch, \"harena-heap\" neither. In the rows of a handler " +
			"the text comes from a reader: all " +
			"read it to a buffer that they use again, and \"harena-reference\" to the arena, where the strings stay. " +
			"Values are written to a buffer that is used again.",
		Peers: []string{suite.StandardJSON, suite.V2JSON, suite.NewerJSON, suite.NewerV2JSON, suite.GoccyJSON,
			suite.SonicJSON, suite.Harena, suite.HarenaReference, suite.HarenaBatch, suite.HarenaOnHeap},
		Rounds:  5,
		Plot:    suite.Bars,
		Run:     run,
		Seconds: suite.Takes(0.1, 6.1),
	}
}

func run(peer string, c suite.Config) (out suite.Output, err error) {
	texts, err := work.Texts(c.Quick)
	if err != nil {
		return out, err
	}
	rows := work.Rows(texts)
	lines, err := measure(peer, c, texts, rows)
	if err != nil {
		return out, err
	}
	for _, line := range lines {
		for _, r := range rows {
			if r.Name == line.Row {
				out.Results = append(out.Results, result(r, peer, line.Value))
			}
		}
	}
	if len(out.Results) != len(lines) {
		return out, fmt.Errorf("json: %d of %d lines are of rows that there are", len(out.Results), len(lines))
	}
	out.Checksum = fmt.Sprint(len(texts)) // the tests compare the values
	for _, text := range remarks[peer] {
		out.Remarks = append(out.Remarks, suite.Remark{Peer: peer, Text: text})
	}
	return out, nil
}

func result(r work.Row, peer string, value float64) suite.Result {
	unit := suite.Seconds
	if r.Allocs {
		unit = suite.Count
	}
	return suite.Result{Suite: name, Row: r.Name, Group: r.Group, Title: r.Title, Peer: peer, Unit: unit,
		Values: []float64{value}, Remark: rowRemarks[[2]string{peer, r.Group}]}
}

// remarks are caveats about peers.
var remarks = map[string][]string{
	suite.SonicJSON: {"in its standard mode, which checks what is skipped and invalid UTF-8, and copies strings"},
}

// rowRemarks are caveats about groups of rows.
var rowRemarks = map[[2]string]string{
	{suite.Harena, work.ToAny}:         "Object, a slice of members in their order",
	{suite.HarenaReference, work.Body}: "Arena.ReadAll with the body's length known, and ReferenceInput",
}

func measure(peer string, c suite.Config, texts []work.Text, rows []work.Row) ([]work.Line, error) {
	if args := programArgs(peer); args != nil {
		return elsewhere(c, peer, args, texts)
	}
	p, err := newPeer(peer)
	if err != nil {
		return nil, err
	}
	return work.Measure(p, rows, c.Wants, c.Turn())
}

// elsewhere measures a peer with its own program.
func elsewhere(c suite.Config, peer string, args []string, texts []work.Text) ([]work.Line, error) {
	if c.Program == "" {
		return nil, fmt.Errorf("the program with %s was not built", peer)
	}
	dir, err := os.MkdirTemp("", "harena-bench-json")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := work.Save(texts, dir); err != nil {
		return nil, err
	}
	args = append(args, "-texts", dir, "-rows", c.Rows, "-turn", c.Turn().String())
	return program.Lines[work.Line](c.Program, args...)
}

// programArgs returns the arguments that make a peer's program measure it; nil for a peer that is part of this program.
func programArgs(peer string) []string {
	p := map[string]string{suite.NewerJSON: "v1", suite.NewerV2JSON: "v2"}[peer]
	if p == "" {
		return nil
	}
	return []string{"-peer", p}
}
