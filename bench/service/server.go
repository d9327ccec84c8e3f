package service

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path/filepath"

	"github.com/bytedance/sonic"
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/examples/orders/arenas"
	"github.com/harena-go/arena/examples/orders/catalog"
	"github.com/harena-go/arena/examples/orders/load"
	"github.com/harena-go/arena/examples/orders/plain"
	"github.com/harena-go/arena/examples/orders/web"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

// A Setting configures the server's process.
type Setting struct {
	Peer string
	URL  string // of PostgreSQL, or empty
	Dir  string // for the file of SQLite
}

// Serve answers requests until the process is stopped. It writes its address.
func Serve(encoded string) error {
	var s Setting
	if err := json.Unmarshal([]byte(encoded), &s); err != nil {
		return err
	}
	h, err := s.handler(context.Background())
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.Handle("/", h)
	mux.Handle("GET /debug/usage", load.Usage())
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println("listening on", listener.Addr())
	return http.Serve(listener, mux)
}

const orders = 5000 // in the database

func (s Setting) handler(ctx context.Context) (http.Handler, error) {
	if s.URL != "" {
		db, err := pgxpool.New(ctx, s.URL)
		if err != nil {
			return nil, err
		}
		err = catalog.Fill(ctx, stdlib.OpenDBFromPool(db), catalog.Postgres, orders)
		return s.choose(arenas.Postgres(db), plain.Postgres(db), byHand{plain.Postgres(db), db}), err
	}
	file := filepath.Join(s.Dir, "orders.db")
	db, err := sql.Open("sqlite", file+"?_pragma=journal_mode(wal)&_pragma=busy_timeout(5000)")
	if err != nil {
		return nil, err
	}
	err = catalog.Fill(ctx, db, catalog.SQLite, orders)
	return s.choose(arenas.SQLite(db), plain.SQLite(db), plain.SQLite(db)), err
}

func (s Setting) choose(inArena arenas.Store, inPlain, tuned plain.Store) http.Handler {
	limits := []arena.PoolOption{arena.WithLimit(8 << 20), arena.WithPoolLimit(1 << 30)}
	switch s.Peer {
	case suite.FirstGear:
		return arenas.New(inArena, arena.NewPool(limits...))
	case suite.Harena, harena400:
		return arenas.New(inArena, arena.NewPool(append(limits, arena.WithReuse())...))
	case suite.SonicJSON:
		web.Marshal, web.Unmarshal = sonic.ConfigStd.Marshal, sonic.ConfigStd.Unmarshal
		return plain.New(tuned)
	}
	return plain.New(inPlain)
}

// byHand is a store written for speed: it scans rows column by column, and reads their items with sonic.
type byHand struct {
	plain.Store
	db *pgxpool.Pool
}

func (s byHand) Last(ctx context.Context, n int) ([]plain.Order, error) {
	rows, err := s.db.Query(ctx, "select id, customer, street, city, status, note, items, total, created from orders "+
		"order by id desc limit $1", n)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	all := make([]plain.Order, 0, n)
	var items []byte
	for rows.Next() {
		all = append(all, plain.Order{})
		o := &all[len(all)-1]
		err := rows.Scan(&o.ID, &o.Customer, &o.Street, &o.City, &o.Status, &o.Note, &items, &o.Total, &o.Created)
		if err = errors.Join(err, sonic.ConfigStd.Unmarshal(items, &o.Items)); err != nil {
			return nil, err
		}
	}
	return all, rows.Err()
}
