package server

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// batches is the number of different bodies. Together they are larger than the caches near a core, like the traffic of
// a real server.
const batches = 1000

var (
	services = []string{"cart", "checkout", "catalogue", "search", "payment", "accounts", "shipping", "recommendations"}
	routes   = []string{"/", "/items", "/items/{id}", "/search", "/basket", "/orders/{id}/lines", "/login", "/healthz"}
	regions  = []string{"eu-west-1", "eu-central-1", "us-east-1", "ap-south-1"}
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

// bodies makes up n requests: batches of 10 to 30 records of one host, half of them JSON lines and half logfmt. The
// same n always gives the same bytes.
func bodies(n int) [][]byte {
	r := rand.New(rand.NewPCG(5, 2026))
	all := make([][]byte, min(n, batches))
	for i := range all {
		host := fmt.Sprintf("web-%02d.%s.internal", r.IntN(40), pick(r, regions))
		here := []string{pick(r, services), pick(r, services)}
		var lines strings.Builder
		for range 10 + r.IntN(21) {
			write(&lines, i%2 == 0, record(r, host, here))
		}
		all[i] = []byte(lines.String())
	}
	return all
}

func pick(r *rand.Rand, from []string) string { return from[r.IntN(len(from))] }

// record makes up the members of a record, names and values in turn.
func record(r *rand.Rand, host string, services []string) []string {
	level, status := "info", 200
	switch n := r.IntN(20); {
	case n == 0:
		level, status = "error", 500+r.IntN(5)
	case n < 3:
		level, status = "warn", 400+r.IntN(30)
	case n < 6:
		level = "debug"
	}
	took := time.Duration(1<<r.IntN(22)+r.IntN(1000)) * time.Microsecond
	members := []string{"level", level, "service", pick(r, services),
		"msg", fmt.Sprintf(pick(r, messages), r.IntN(10_000)), "took", took.String(), "host", host,
		"route", pick(r, routes), "status", fmt.Sprint(status),
		"trace", fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64()), "span", fmt.Sprintf("%016x", r.Uint64())}
	for _, name := range []string{"user", "order", "retry", "region"} {
		if r.IntN(2) == 0 {
			members = append(members, name, fmt.Sprint(r.IntN(100_000)))
		}
	}
	return members
}

// write writes a record as a line.
func write(out *strings.Builder, isJSON bool, members []string) {
	open, separator, equal, end := "", " ", "=", "\n"
	if isJSON {
		open, separator, equal, end = "{", ",", ":", "}\n"
	}
	for i := 0; i < len(members); i += 2 {
		key, value := members[i], members[i+1]
		if isJSON {
			key = quote(key)
		}
		if isJSON || strings.ContainsAny(value, " \"\n") {
			value = quote(value)
		}
		out.WriteString(open + key + equal + value)
		open = separator
	}
	out.WriteString(end)
}

// quote returns s in JSON syntax, which logfmt also accepts.
func quote(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(b)
}
