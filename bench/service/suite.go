// Package service measures a whole web service, examples/orders: HTTP, JSON and a database.
package service

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/examples/orders/load"
	"github.com/harena-go/arena/internal/tests/testkit/postgres"
)

const (
	name = "service"

	heap400   = "heap-gogc-400"
	harena400 = "harena-gogc-400"

	clients = 8
)

// Suite is the service over HTTP. command makes the command for the server's process, which must call Serve.
func Suite(command func(setting string) (*exec.Cmd, error)) suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "A web service: orders in PostgreSQL, over HTTP",
		About: "examples/orders: net/http, JSON, a pool of connections to PostgreSQL, or to SQLite where there is no " +
			"PostgreSQL (see the note), 5,000 orders in the database, 20,000 products in memory. The CPU is that of " +
			"the service's process, by getrusage; the load and the database are other processes, except for SQLite. " +
			"\"sonic\" is the service as one tunes it in plain Go: sonic for JSON, and rows scanned column by " +
			"column. The peers with gogc-400 collect a quarter as often.",
		Peers:  []string{suite.Heap, heap400, suite.SonicJSON, suite.FirstGear, suite.Harena, harena400},
		Rounds: 5,
		Run: func(peer string, c suite.Config) (suite.Output, error) {
			return run(peer, c, command)
		},
		Seconds: suite.Takes(6, 16),
	}
}

func run(peer string, c suite.Config, command func(string) (*exec.Cmd, error)) (out suite.Output, err error) {
	dir, err := os.MkdirTemp("", "service")
	if err != nil {
		return out, err
	}
	defer os.RemoveAll(dir)
	url, stop, err := postgres.Start()
	out.Note = "PostgreSQL"
	if errors.Is(err, postgres.ErrNone) {
		out.Note, url, stop, err = "SQLite", "", func() {}, nil
	}
	if err != nil {
		return out, err
	}
	defer stop()

	setting, err := json.Marshal(Setting{Peer: peer, URL: url, Dir: dir})
	if err != nil {
		return out, err
	}
	process, err := command(string(setting))
	if err != nil {
		return out, err
	}
	if strings.HasSuffix(peer, "400") {
		process.Env = append(os.Environ(), "GOGC=400")
	}
	server, err := load.Serve(peer, process)
	if err != nil {
		return out, err
	}
	defer server.Stop()

	n := 4000
	if c.Quick {
		n = 80
	}
	for _, e := range load.Endpoints {
		if !c.Wants(e.Row) {
			continue
		}
		requests := max(n/e.Share, clients)
		if _, err := server.Run(e, clients, requests/2); err != nil { // warms up
			return out, err
		}
		s, err := server.Run(e, clients, requests)
		if err != nil {
			return out, err
		}
		add := func(row, what string, unit suite.Unit, value float64) {
			out.Results = append(out.Results, suite.Result{Suite: name, Row: e.Row + row, Title: e.Name + what,
				Group: e.Name, Peer: peer, Unit: unit, Values: []float64{value}})
		}
		add("", ", CPU", suite.Seconds, s.CPU.Seconds()/float64(s.Requests))
		add("-p99", ", 99th percentile", suite.Seconds, s.Latency(0.99).Seconds())
		add("-heap", ", bytes of the Go heap", suite.Bytes, float64(s.Heap)/float64(s.Requests))
		add("-rss", ", resident memory after it", suite.Bytes, float64(s.RSS))
	}
	if len(out.Results) == 0 {
		return out, fmt.Errorf("there is no row %q", c.Rows)
	}
	return out, nil
}
