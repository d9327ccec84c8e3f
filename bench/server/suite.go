package server

import (
	"encoding/json"
	"fmt"
	"os/exec"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
)

const (
	overHTTPName  = "server"
	inProcessName = "server-in-process"

	connections     = 100
	backgroundSize  = 5_000_000 // objects
	quickBackground = 100_000
	maxWarmup       = 20_000
)

// OverHTTP is the server behind net/http. The requests come from another
// process, for which command makes the command: it must call Load with the
// setting and the address.
func OverHTTP(command func(setting, address string) (*exec.Cmd, error)) suite.Suite {
	return suite.Suite{
		Name:  overHTTPName,
		Title: "Server: log batches over HTTP",
		About: "net/http as it comes, 100 connections over the loopback interface, requests from another process on " +
			"the same cores; " + live,
		Peers:  []string{suite.Heap, suite.SyncPool, suite.Harena, floorHTTP},
		Once:   []string{floorHTTP},
		Rounds: 5,
		Run: func(peer string, c suite.Config) (suite.Output, error) {
			load := setting(c)
			text, err := json.Marshal(load)
			if err != nil {
				return suite.Output{}, err
			}
			return output(overHTTPName, peer, func() (*measure.Sample, error) {
				return RunOverHTTP(peer, load, func(address string) (*exec.Cmd, error) {
					return command(string(text), address)
				})
			})
		},
		Seconds: func(c suite.Config) float64 { return 2 + float64(c.Requests)/7000 },
	}
}

// InProcess is the same without HTTP.
func InProcess() suite.Suite {
	return suite.Suite{
		Name:  inProcessName,
		Title: "Server without HTTP: log batches in 100 goroutines",
		About: "The handlers of the server, called in a loop by 100 goroutines; " + live +
			" In \"harena-sampled\" one arena in 1,024 is checked for what is kept beyond the request (WithCheckRate).",
		Peers: []string{suite.Heap, suite.SyncPool, suite.Harena, sampled, suite.SelfContained, heapWithTable,
			parseOnce},
		Once:   []string{heapWithTable, parseOnce},
		Rounds: 5,
		Run: func(peer string, c suite.Config) (suite.Output, error) {
			return output(inProcessName, peer, func() (*measure.Sample, error) {
				return RunInProcess(peer, setting(c))
			})
		},
		Seconds: func(c suite.Config) float64 { return 2 + float64(c.Requests)/20000 },
	}
}

const live = "a cache of sessions, 5 million heap objects, is live in the process (100,000 in a quick run)."

// setting is how much the servers have to do.
func setting(c suite.Config) Config {
	load := Config{Requests: c.Requests, Warmup: min(c.Requests/5, maxWarmup), Connections: connections,
		Objects: backgroundSize}
	if c.Quick {
		load.Objects = quickBackground
	}
	return load
}

func output(name, peer string, run func() (*measure.Sample, error)) (suite.Output, error) {
	s, err := run()
	if err != nil {
		return suite.Output{}, err
	}
	return suite.Output{
		Results:  s.Rows(name, peer),
		Curves:   []suite.Curve{s.LatencyCurve(name, peer)},
		Checksum: s.Checksum,
		Note:     s.Note,
	}, nil
}

// ParseConfig reads a setting that OverHTTP has passed on.
func ParseConfig(text string) (c Config, err error) {
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return c, fmt.Errorf("this is no setting of the server: %w", err)
	}
	return c, nil
}
