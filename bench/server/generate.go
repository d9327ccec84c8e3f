package server

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"time"
)

// This file makes up batches. The same count always yields the same bytes, in
// each process and on each machine.

// batches is how many different ones there are. Together they are larger than
// the caches near a core, as the traffic of a real server is.
const batches = 1000

// Half of the batches are JSON lines, half are logfmt. They have 10 to 30
// records, 20 on average.
const (
	fewestRecords = 10
	mostRecords   = 30
)

// Batches returns the bodies of n requests.
func Batches(n int) [][]byte {
	rnd := rand.New(rand.NewPCG(5, 2026))
	bodies := make([][]byte, n)
	for i := range bodies {
		g := generator{rnd: rnd, json: i%2 == 0}
		bodies[i] = g.batch(fewestRecords + rnd.IntN(mostRecords-fewestRecords+1))
	}
	return bodies
}

// A generator writes one batch.
type generator struct {
	rnd  *rand.Rand
	json bool
	out  []byte
	more bool // a member was written, so that the next one needs a comma

	host     string
	services []string
	time     time.Time
	trace    string
	span     uint64 // that later records are part of; 0 for none
}

var (
	services = []string{"cart", "checkout", "catalogue", "search", "payment", "accounts", "shipping", "recommendations"}
	routes   = []string{"/", "/items", "/items/{id}", "/search", "/basket", "/orders/{id}/lines", "/login", "/healthz"}
	regions  = []string{"eu-west-1", "eu-central-1", "us-east-1", "ap-south-1"}
	tags     = []string{"retry", "canary", "cached", "slow", "mobile", "throttled", "first-party"}
	messages = []string{
		"request served from upstream %d in time",
		"user %d added an item to the basket",
		"connection to replica %d was reset by the peer, trying the next one",
		"query took longer than the limit of %d ms",
		"cache entry %d expired",
		"could not parse the header \"X-Request-%d\"",
		"panic: index out of range\n\tat handler.go:%d",
		"café №%d: der Preis änderte sich",
	}
)

func pick(rnd *rand.Rand, from []string) string { return from[rnd.IntN(len(from))] }

func (g *generator) batch(records int) []byte {
	g.host = fmt.Sprintf("web-%02d.%s.internal", g.rnd.IntN(40), pick(g.rnd, regions))
	for range 1 + g.rnd.IntN(3) {
		g.services = append(g.services, pick(g.rnd, services))
	}
	g.time = time.Date(2026, 3, 1, 0, 0, g.rnd.IntN(86400*300), 0, time.UTC)
	for range records {
		g.record()
	}
	return g.out
}

func (g *generator) record() {
	rnd := g.rnd
	if g.trace == "" || rnd.IntN(5) == 0 {
		g.trace, g.span = fmt.Sprintf("%016x%016x", rnd.Uint64(), rnd.Uint64()), 0
	}
	g.time = g.time.Add(time.Duration(rnd.IntN(40_000)) * time.Microsecond)
	level, status := "info", 200
	switch rnd.IntN(20) {
	case 0:
		level, status = "error", 500+rnd.IntN(5)
	case 1, 2:
		level, status = "warn", 400+rnd.IntN(30)
	case 3, 4, 5:
		level = "debug"
	}
	g.begin()
	g.text("ts", g.time.Format("2006-01-02T15:04:05.000Z"))
	g.text("level", level)
	g.text("service", pick(rnd, g.services))
	g.text("host", g.host)
	g.text("route", pick(rnd, routes))
	g.number("status", int64(status))
	g.number("us", int64(1)<<rnd.IntN(22)+int64(rnd.IntN(1000)))
	g.text("trace", g.trace)
	if g.span != 0 {
		g.text("parent", fmt.Sprintf("%016x", g.span))
	}
	span := rnd.Uint64() | 1
	g.text("span", fmt.Sprintf("%016x", span))
	if g.span == 0 || rnd.IntN(2) == 0 {
		g.span = span
	}
	g.text("msg", fmt.Sprintf(pick(rnd, messages), rnd.IntN(10_000)))
	g.tags(rnd.IntN(5))
	g.samples(rnd.IntN(9))
	g.labels()
	g.end()
}

// tags writes a list of n texts.
func (g *generator) tags(n int) {
	g.list("tags", n, func() {
		if t := pick(g.rnd, tags); g.json {
			g.out = appendText(g.out, t)
		} else {
			g.out = append(g.out, t...)
		}
	})
}

// samples writes a list of n numbers.
func (g *generator) samples(n int) {
	g.list("samples", n, func() { g.out = strconv.AppendInt(g.out, int64(g.rnd.IntN(1_000_000)), 10) })
}

func (g *generator) list(name string, n int, element func()) {
	if n == 0 {
		return
	}
	g.name(name)
	if g.json {
		g.out = append(g.out, '[')
	}
	for i := range n {
		if i > 0 {
			g.out = append(g.out, ',')
		}
		element()
	}
	if g.json {
		g.out = append(g.out, ']')
	}
}
