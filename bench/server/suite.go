// Package server measures a service that suits arenas: examples/logserver takes batches of log records, parses each
// into structs with strings, slices and links, counts them, answers, and forgets everything else. Meanwhile millions of
// other objects are live in the same process.
//
// It is measured behind net/http, with the load from another process, and without sockets, by a hundred goroutines.
package server

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
	logserver "github.com/harena-go/arena/examples/logserver/server"
)

const (
	overHTTPName  = "server"
	inProcessName = "server-in-process"

	sampled  = "harena-sampled"  // one arena in 1,024 is checked for escapes
	observed = "harena-observed" // one arena in 256 is observed

	connections     = 100
	backgroundSize  = 5_000_000 // objects
	quickBackground = 100_000
	maxWarmup       = 20_000
	maxBody         = 1 << 20
)

// pools are the options of the peers that have a Pool.
var pools = map[string][]arena.PoolOption{
	suite.FirstGear:     nil,
	suite.Harena:        nil,
	suite.SelfContained: {arena.WithNoScan()},
	sampled:             {arena.WithCheckRate(1024)},
	observed:            {arena.WithObserveRate(256)},
}

// handler returns the service of a peer.
func handler(peer string) (http.Handler, error) {
	limits := logserver.Limits{Body: maxBody}
	options, ok := pools[peer]
	switch {
	case peer == suite.Heap:
		return logserver.New(nil, limits).Handler(), nil
	case peer == suite.SyncPool:
		return onKits(), nil
	case ok:
		if peer != suite.FirstGear {
			options = append(options, arena.WithReuse(), arena.OnEscape(func(e arena.Escape) { panic(e.String()) }))
		}
		return logserver.New(arena.NewPool(options...), limits).Handler(), nil
	}
	return nil, fmt.Errorf("the server has no peer %q", peer)
}

// A Config is the amount of work.
type Config struct {
	Requests    int // measured
	Warmup      int // first, not counted
	Connections int // in-process: goroutines
	Objects     int // live in the background
}

const live = "a cache of sessions, 5 million heap objects, is live in the process (100,000 in a quick run)."

// OverHTTP is the server behind net/http. The requests come from another process: command returns its command, which
// must call Load with the setting and the address.
func OverHTTP(command func(setting, address string) (*exec.Cmd, error)) suite.Suite {
	return suite.Suite{
		Name:  overHTTPName,
		Title: "Server: log batches over HTTP",
		About: "net/http as it comes, 100 connections over the loopback interface, requests from another process on " +
			"the same cores; " + live,
		Peers:  []string{suite.Heap, suite.SyncPool, suite.FirstGear, suite.Harena, suite.SelfContained},
		Rounds: 5,
		Run: func(peer string, c suite.Config) (suite.Output, error) {
			load := setting(c)
			text, err := json.Marshal(load)
			if err != nil {
				return suite.Output{}, err
			}
			return output(overHTTPName, peer, func() (*measure.Sample, error) {
				return load.overHTTP(peer, func(address string) (*exec.Cmd, error) {
					return command(string(text), address)
				})
			})
		},
		Seconds: func(c suite.Config) float64 { return 2 + float64(c.Requests)/10_000 },
	}
}

// InProcess is the same without sockets.
func InProcess() suite.Suite {
	return suite.Suite{
		Name:  inProcessName,
		Title: "Server without sockets: log batches in 100 goroutines",
		About: "The handler of the server, called in a loop by 100 goroutines; " + live +
			" In \"harena-sampled\" one arena in 1,024 is checked for what is kept of the request (WithCheckRate), " +
			"in \"harena-observed\" one in 256 is observed (WithObserveRate).",
		Peers: []string{suite.Heap, suite.SyncPool, suite.FirstGear, suite.Harena, sampled, observed,
			suite.SelfContained},
		Rounds: 5,
		Run: func(peer string, c suite.Config) (suite.Output, error) {
			return output(inProcessName, peer, func() (*measure.Sample, error) {
				return setting(c).inProcess(peer)
			})
		},
		Seconds: func(c suite.Config) float64 { return 2 + float64(c.Requests)/15_000 },
	}
}

// setting returns the amount of work for the servers.
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

// ParseConfig reads a setting passed on by OverHTTP.
func ParseConfig(text string) (c Config, err error) {
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return c, fmt.Errorf("this is no setting of the server: %w", err)
	}
	return c, nil
}
