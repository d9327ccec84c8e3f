// Logserver collects log records by HTTP. Each request is read, parsed and answered in an
// arena of its own, which a pool lends and reclaims.
//
//	go run ./examples/logserver [-addr host:port] [-body bytes] [-budget bytes] [-memory bytes]
//
// Records are sent as JSON lines or in logfmt; the answer counts them. A line that can't be parsed
// is answered with 400 and its number, a request that needs more than its budget with 413, and one
// for which all others have left no memory with 503. Try it:
//
//	curl localhost:8080/logs --data-binary $'level=info service=web msg="hello" took=5ms\nlevel=error service=db'
//	curl localhost:8080/logs --data-binary '{"level":"warn","service":"web","msg":"slow","took":"2s","user":{"id":7}}'
//	curl localhost:8080/logs --data-binary 'level=loud service=web'
//	yes 'level=info service=web' | head -c 1000000 | curl localhost:8080/logs --data-binary @-
//	curl localhost:8080/stats
//	curl localhost:8080/debug/arena?format=text
//
// Ctrl-C ends it, when the requests that it has begun are answered.
//
// What to copy: the line with arenahttp.Handler for any handler, and [totals], which shows how to
// keep something of a request. The tests show how to see that nothing else is kept: their pool
// erases its arenas.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/harena-go/arena"
)

type limits struct {
	body   int64         // bytes of a body
	budget int           // bytes in the arena of a request: its body, and all that is made of it
	memory int           // bytes of all arenas that are lent
	grace  time.Duration // for requests in flight at the end
}

func main() {
	addr := flag.String("addr", "localhost:8080", "the `address` to listen on")
	l := limits{}
	flag.Int64Var(&l.body, "body", 1<<20, "the most `bytes` that the body of a request may have")
	flag.IntVar(&l.budget, "budget", 4<<20, "the most `bytes` that a request may take")
	flag.IntVar(&l.memory, "memory", 256<<20, "the most `bytes` that all requests together may take")
	flag.DurationVar(&l.grace, "grace", 10*time.Second, "the `time` that requests have to end")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	listener, err := net.Listen("tcp", *addr)
	if err == nil {
		err = run(ctx, listener, l, os.Stdout)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run serves until ctx ends, and then those requests to their end that it has begun to read.
func run(ctx context.Context, listener net.Listener, l limits, out io.Writer) error {
	if l.budget >= l.memory {
		listener.Close()
		return fmt.Errorf("the budget of a request, %d bytes, must be less than all memory, %d bytes",
			l.budget, l.memory)
	}
	// With arena.WithReuse() requests reuse memory at once. The tests use it: nothing is kept of a request here.
	pool := arena.NewPool(arena.WithName("requests"), arena.WithLimit(l.budget), arena.WithPoolLimit(l.memory))
	web := &http.Server{
		Handler: newServer(pool, l).handler(),
		// A client that is slow holds its arena all the while.
		ReadTimeout:  10 * time.Second,
		WriteTimeout: 20 * time.Second,
	}
	served := make(chan error, 1)
	go func() { served <- web.Serve(listener) }()
	fmt.Fprintf(out, "listening on http://%s\n", listener.Addr())
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}

	fmt.Fprintln(out, "shutting down")
	end, cancel := context.WithTimeout(context.Background(), l.grace) // not from ctx, which has ended
	defer cancel()
	err := web.Shutdown(end)
	if err != nil {
		err = errors.Join(err, web.Close()) // the rest lose their connections
	}
	fmt.Fprintln(out, pool.Stats()) // 0 live, if all have ended
	return err
}
