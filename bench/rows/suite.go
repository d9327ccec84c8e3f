// Package rows measures reading the rows of a database into structs of Go.
package rows

import (
	"context"
	"fmt"
	"time"

	"github.com/harena-go/arena/bench/measure"
	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/internal/tests/testkit/postgres"
)

const name = "rows"

// The groups of rows.
const (
	Row     = "row"
	Mallocs = "allocs"
)

// Sizes are the numbers of rows in a query.
var Sizes = []int{1, 100, 10_000}

// Suite compares readers of the rows of PostgreSQL.
func Suite() suite.Suite {
	return suite.Suite{
		Name:  name,
		Title: "Rows of a database",
		About: "One goroutine asks PostgreSQL for orders, by a prepared statement through a Unix socket, and has " +
			"them as a slice of structs with nine fields; two may be NULL. The time is that of the processors in " +
			"this process, the kernel's and the collector's share included, for each row; the server's is not in it. " +
			"\"bytes-alone\" receives the rows and drops them: no reader can be faster. \"harena\" is arenapgx with " +
			"an arena that is reset after each query.",
		Peers: []string{suite.Pgx, suite.PgxScan, suite.DatabaseSQL, suite.BytesAlone, suite.Harena, suite.HarenaEach,
			suite.HarenaSQL},
		Rounds:  5,
		Plot:    suite.Bars,
		Build:   start,
		Run:     run,
		Seconds: suite.Takes(0.3, 3.5),
	}
}

// start starts the server for all peers. It ends with this process.
func start() (url string, err error) {
	url, _, err = postgres.Start()
	return url, err
}

const fullTurn = 500 * time.Millisecond

func run(peer string, c suite.Config) (out suite.Output, err error) {
	turn := fullTurn
	if c.Quick {
		turn = 2 * time.Millisecond
	}
	read, err := reader(context.Background(), peer, c.Program)
	if err != nil {
		return out, err
	}
	for _, n := range Sizes {
		var sum uint64
		do := func() (err error) {
			sum, err = read(n, false)
			return err
		}
		add := func(group, title string, unit suite.Unit, of func(func() error, time.Duration) (float64, error)) error {
			row := fmt.Sprintf("%s-%d", group, n)
			if !c.Wants(row) {
				return nil
			}
			v, err := of(do, turn)
			out.Results = append(out.Results, suite.Result{Suite: name, Row: row, Group: group, Peer: peer, Unit: unit,
				Title: fmt.Sprintf("%s, queries of %d", title, n), Values: []float64{v / float64(n)}})
			return err
		}
		if err := add(Row, "time", suite.Seconds, measure.PerCall); err != nil {
			return out, err
		}
		if err := add(Mallocs, "heap allocations", suite.Count, measure.AllocsPerCall); err != nil {
			return out, err
		}
		if sum, err = read(n, true); err != nil {
			return out, err
		}
		if peer != suite.BytesAlone && c.Rows == "" {
			out.Checksum += fmt.Sprintf("%d %d;", n, sum)
		}
	}
	return out, nil
}
