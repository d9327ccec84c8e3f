// Requests decodes many log lines into structs, one after the other, once on the Go heap and once in an arena that is
// reset after each, and prints the work of the GC. Both use the same code: a nil *arena.Arena is the Go heap.
//
//	go run ./examples/requests [-n requests]
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"strconv"
	"time"

	"github.com/harena-go/arena"
)

// A request is the content of a line, such as method=GET path=/orders/17 status=200 took=3.5ms tag=eu tag=beta.
type request struct {
	Method string
	Path   []string // without the slashes
	Status int
	Took   time.Duration
	Tags   []string
	Other  *field // fields without a place above, last one first
}

type field struct {
	Key, Value string
	Next       *field
}

// decode returns the request that line describes. All of it is in a, or on the Go heap if a is nil; nothing points to
// line, which the caller may overwrite.
func decode(a *arena.Arena, line []byte) (*request, error) {
	r := arena.New[request](a)
	for part := range bytes.FieldsSeq(line) {
		key, rest, ok := bytes.Cut(part, []byte("="))
		if !ok {
			return nil, fmt.Errorf("no = in %q", part)
		}
		value := a.AllocBytesToString(rest)
		var err error
		switch string(key) {
		case "method":
			r.Method = value
		case "path":
			for element := range bytes.SplitSeq(bytes.Trim(rest, "/"), []byte("/")) {
				r.Path = arena.Append(a, r.Path, a.AllocBytesToString(element))
			}
		case "status":
			r.Status, err = strconv.Atoi(value)
		case "took":
			r.Took, err = time.ParseDuration(value)
		case "tag":
			r.Tags = arena.Append(a, r.Tags, value)
		default:
			r.Other = arena.NewOf(a, field{a.AllocBytesToString(key), value, r.Other})
		}
		if err != nil {
			return nil, err
		}
	}
	return r, nil
}

// serve decodes n lines, and resets the arena after each. It returns the sum of the requests' times: plain values may
// leave the arena.
func serve(a *arena.Arena, lines [][]byte, n int) (sum time.Duration, err error) {
	for i := range n {
		r, err := decode(a, lines[i%len(lines)])
		if err != nil {
			return sum, err
		}
		sum += r.Took
		a.Reset() // r is dead from here on
	}
	return sum, nil
}

// sample returns some lines.
func sample() (lines [][]byte) {
	for i := range 1000 {
		const format = "method=GET path=/shop/orders/%d status=%d took=%dus tag=eu tag=beta user=u%d agent=x"
		lines = append(lines, fmt.Appendf(nil, format,
			i, 200+i%7*50, 100+i, i%91))
	}
	return lines
}

func run(out io.Writer, n int) error {
	for _, a := range []*arena.Arena{nil, arena.NewArena(arena.WithName("arena"))} {
		var before, after runtime.MemStats
		lines := sample()
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		sum, err := serve(a, lines, n)
		if err != nil {
			return err
		}
		runtime.ReadMemStats(&after)
		fmt.Fprintf(out, "%-6s %8v %10d allocations %5d GC cycles; the sum is %v\n", cmp.Or(a.Stats().Name, "heap"),
			time.Since(start).Round(time.Millisecond), after.Mallocs-before.Mallocs, after.NumGC-before.NumGC, sum)
	}
	return nil
}

func main() {
	n := flag.Int("n", 1_000_000, "the `number` of requests")
	flag.Parse()
	if err := run(os.Stdout, *n); err != nil {
		log.Fatal(err)
	}
}
