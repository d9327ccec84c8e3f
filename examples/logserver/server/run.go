// Package server is a log server: requests bring log records, whose memory is an arena's.
//
// To copy: the line with arenahttp.Handler for any handler, and [Totals], which shows how to keep parts of a request.
// The tests show how to check that nothing else is kept: their pool erases its arenas.
package server

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

// Limits limit the resources of requests.
type Limits struct {
	Body   int64         // bytes of a body
	Budget int           // bytes in the arena of a request: its body, and everything made from it
	Memory int           // bytes of all lent arenas
	Grace  time.Duration // for requests in flight at the end
}

// Main is the program: it serves until it gets a signal.
func Main() {
	addr := flag.String("addr", "localhost:8080", "the `address` to listen on")
	var l Limits
	flag.Int64Var(&l.Body, "body", 1<<20, "the most `bytes` that the body of a request may have")
	flag.IntVar(&l.Budget, "budget", 4<<20, "the most `bytes` that a request may take")
	flag.IntVar(&l.Memory, "memory", 256<<20, "the most `bytes` that all requests together may take")
	flag.DurationVar(&l.Grace, "grace", 10*time.Second, "the `time` that requests have to end")
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

// run serves until ctx ends, and then completes the requests that it has begun to read.
func run(ctx context.Context, listener net.Listener, l Limits, out io.Writer) error {
	if l.Budget >= l.Memory {
		listener.Close()
		return fmt.Errorf("the budget of a request, %d bytes, must be less than all memory, %d bytes",
			l.Budget, l.Memory)
	}
	// With arena.WithReuse() requests reuse memory at once. The tests use it: nothing is kept of a request here.
	pool := arena.NewPool(arena.WithName("requests"), arena.WithLimit(l.Budget), arena.WithPoolLimit(l.Memory))
	web := &http.Server{
		Handler: New(pool, l).Handler(),
		// A slow client holds its arena for a long time.
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
	end, cancel := context.WithTimeout(context.Background(), l.Grace) // not from ctx, which has ended
	defer cancel()
	err := web.Shutdown(end)
	if err != nil {
		err = errors.Join(err, web.Close()) // the rest lose their connections
	}
	fmt.Fprintln(out, pool.Stats()) // 0 live, if all have ended
	return err
}
