// Package wire measures decoding messages in the protobuf wire format to Go values.
package wire

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/harena-go/arena/bench/program"
	"github.com/harena-go/arena/bench/suite"
)

const name = "wire"

// The groups of rows, which begin the rows' names.
const (
	Decode  = "decode"
	Build   = "build"
	Read    = "read"
	Mallocs = "allocs"
)

// The inputs.
const (
	Traces      = "traces"
	Logs        = "logs"
	Metrics     = "metrics"
	Span        = "span"
	Small       = "small"
	Descriptor  = "descriptor"
	Wide        = "wide"
	FewEntries  = "maps-5"
	ManyEntries = "maps-40"
	RemoteWrite = "remote-write"
	Pods        = "pods"
	Export      = "export"
)

var titles = map[string]string{
	Decode: "decode", Build: "build and marshal", Read: "decode and read all fields",
	Mallocs: "heap allocations, decode",
	Traces:  "OTLP traces", Logs: "OTLP logs", Metrics: "OTLP metrics", Span: "OTLP traces of one span",
	Small:      "one OTLP attribute",
	Descriptor: "FileDescriptorSet", Wide: "100 scalar fields", FewEntries: "maps of 5 entries",
	ManyEntries: "maps of 40 entries",
	RemoteWrite: "Prometheus remote write", Pods: "Kubernetes PodList",
	Export: "512 OTLP spans",
}

// Suite measures decoders of protobuf.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "Protobuf",
		About: "One goroutine decodes the same message again and again, to a new value each time, and drops it. The " +
			"time is that of the processors, so that what the collector does beside is in it. The official runtime, " +
			"vtprotobuf and \"harena\" fill the structs that protoc-gen-go generates, which are read by fields; " +
			"hyperpb has messages of its own, which are read by reflection. Remote write and PodList are structs of " +
			"gogo/protobuf. \"harena\" is arenaproto with an arena that is reset after each message, \"harena-heap\" " +
			"the same without an arena. The last row builds messages and writes them: on the heap, in slabs of a " +
			"sync.Pool by hand, and in arenas of a Pool without and with reuse.",
		Peers: []string{suite.Protobuf, suite.Gogo, suite.VTProto, suite.VTProtoPool, suite.Hyperpb,
			suite.HyperpbProfiled, suite.SyncPool, suite.FirstGear, suite.Harena, suite.HarenaOnHeap},
		Rounds:  5,
		Plot:    suite.Bars,
		Build:   decoders.Build,
		Run:     run,
		Seconds: suite.Takes(0.1, 4.1),
	}
}

// decoders is the program of directory decoders, with the versions that its own module requires.
var decoders = program.Go{
	Name:    "bench-wire",
	Dir:     "wire/decoders",
	Env:     []string{"GOWORK=off"},
	Failure: "the program with its decoders can't be built",
	Sources: &program.Generated{
		Name:  "wire",
		From:  []string{"wire/decoders/gen/*.go", "wire/decoders/go.mod", "wire/decoders/go.sum"},
		Into:  "wire/decoders/messages",
		Write: generate,
	},
}

// generate writes the messages with their methods to dir.
func generate(dir string) error {
	c := exec.Command("go", "run", "./gen", dir)
	c.Dir, c.Env = filepath.Join(program.Source(), "wire", "decoders"), append(os.Environ(), "GOWORK=off")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// A line is the program's output for a row.
type line struct {
	Row      string
	Bytes    int
	Value    float64
	Checksum uint64
}

func run(peer string, c suite.Config) (out suite.Output, err error) {
	args := []string{"-peer", peer, "-rows", c.Rows, "-turn", c.Turn().String()}
	if c.Quick {
		args = append(args, "-small")
	}
	lines, err := program.Lines[line](c.Program, args...)
	if err != nil {
		return out, err
	}
	for _, l := range lines {
		group, input, _ := strings.Cut(l.Row, "-")
		if titles[group] == "" || titles[input] == "" {
			return out, fmt.Errorf("wire: no row %q", l.Row)
		}
		r := suite.Result{Suite: name, Row: l.Row, Group: group,
			Title: fmt.Sprintf("%s, %s, %d B", titles[group], titles[input], l.Bytes),
			Peer:  peer, Unit: suite.Seconds, Values: []float64{l.Value}, Remark: rowRemarks[[2]string{peer, group}]}
		if group == Mallocs {
			r.Unit = suite.Count
		}
		out.Results = append(out.Results, r)
		if group == Read {
			out.Checksum += fmt.Sprintf("%s %d;", input, l.Checksum)
		}
	}
	for _, text := range remarks[peer] {
		out.Remarks = append(out.Remarks, suite.Remark{Peer: peer, Text: text})
	}
	return out, nil
}

// remarks are caveats about peers.
var remarks = map[string][]string{
	suite.VTProto:         {noUTF8},
	suite.VTProtoPool:     {noUTF8, "the program has to give each message back by hand"},
	suite.Hyperpb:         {ownMessages},
	suite.HyperpbProfiled: {ownMessages},
}

const (
	noUTF8      = "doesn't check that strings are UTF-8"
	ownMessages = "messages of its own, which can't be changed, and are read by reflection only"
)

// rowRemarks are caveats about groups of rows.
var rowRemarks = map[[2]string]string{
	{suite.Hyperpb, Read}:         "by reflection, with the descriptors of the fields at hand",
	{suite.HyperpbProfiled, Read}: "by reflection, with the descriptors of the fields at hand",
}
