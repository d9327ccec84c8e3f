// Orders is a whole service, twice: on arenas, and with -plain in plain Go. Orders come in as JSON, are kept in a
// database, and are listed, searched and grouped.
//
//	go run ./examples/orders                  # on an SQLite database that goes when the program ends
//	go run ./examples/orders -postgres URL    # on PostgreSQL
//	go run ./examples/orders -reuse           # reuses the memory of each request at its end
//	go run ./examples/orders -bench           # both services, under load in turns
package main

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenadebug"
	"github.com/harena-go/arena/contrib/arenaprometheus"
	"github.com/harena-go/arena/examples/orders/arenas"
	"github.com/harena-go/arena/examples/orders/catalog"
	"github.com/harena-go/arena/examples/orders/load"
	"github.com/harena-go/arena/examples/orders/plain"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	_ "modernc.org/sqlite"
)

var (
	address  = flag.String("addr", "localhost:8080", "where to listen")
	database = flag.String("postgres", "", "the URL of a PostgreSQL database, in place of SQLite")
	inPlain  = flag.Bool("plain", false, "serve in plain Go")
	reuse    = flag.Bool("reuse", false, "reuse the memory of a request at its end, as the tests allow")
	bench    = flag.Bool("bench", false, "compare both services under load")
	requests = flag.Int("n", 2000, "with -bench: requests in a round")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := error(nil)
	if *bench {
		err = load.Compare(ctx, os.Stdout, *database, *requests, fmt.Sprintf("-reuse=%t", *reuse))
	} else {
		err = serve(ctx)
	}
	if err != nil {
		slog.Error("orders", "err", err)
		os.Exit(1)
	}
}

// serve answers requests until the context ends, and then those already received.
func serve(ctx context.Context) error {
	shop, closeStore, err := open(ctx)
	if err != nil {
		return err
	}
	defer closeStore()

	mux := http.NewServeMux()
	mux.Handle("/", shop)
	mux.Handle("GET /metrics", promhttp.Handler())
	mux.Handle("GET /debug/usage", load.Usage())
	if !*inPlain {
		prometheus.MustRegister(arenaprometheus.NewCollector())
		mux.Handle("GET /debug/arena", arenadebug.Handler())
		mux.Handle("GET /debug/arena/", arenadebug.Handler())
	}
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		return err
	}
	fmt.Println("listening on", listener.Addr())

	server := &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		<-ctx.Done()
		last, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		server.Shutdown(last)
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// open opens the database and returns the service on it.
func open(ctx context.Context) (shop http.Handler, closeStore func(), err error) {
	const orders = 5000 // in a new database
	options := []arena.PoolOption{arena.WithName("orders"), arena.WithLimit(8 << 20), arena.WithPoolLimit(1 << 30)}
	if *reuse {
		options = append(options, arena.WithReuse())
	}
	pool := arena.NewPool(options...)
	if *database != "" {
		db, err := pgxpool.New(ctx, *database)
		if err != nil {
			return nil, nil, err
		}
		if err := catalog.Fill(ctx, stdlib.OpenDBFromPool(db), catalog.Postgres, orders); err != nil {
			db.Close()
			return nil, nil, err
		}
		if *inPlain {
			return plain.New(plain.Postgres(db)), db.Close, nil
		}
		return arenas.New(arenas.Postgres(db), pool), db.Close, nil
	}

	dir, err := os.MkdirTemp("", "orders")
	if err != nil {
		return nil, nil, err
	}
	file := filepath.Join(dir, "orders.db")
	db, err := sql.Open("sqlite", file+"?_pragma=journal_mode(wal)&_pragma=busy_timeout(5000)")
	if err == nil {
		err = catalog.Fill(ctx, db, catalog.SQLite, orders)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, nil, err
	}
	closeStore = func() { db.Close(); os.RemoveAll(dir) }
	if *inPlain {
		return plain.New(plain.SQLite(db)), closeStore, nil
	}
	return arenas.New(arenas.SQLite(db), pool), closeStore, nil
}
