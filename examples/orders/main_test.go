package main

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenatest"
	"github.com/harena-go/arena/examples/orders/arenas"
	"github.com/harena-go/arena/examples/orders/catalog"
	"github.com/harena-go/arena/examples/orders/plain"
	"github.com/harena-go/arena/internal/tests/testkit/postgres"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
)

// TestMain is the program itself if ORDERS_MAIN is set, so that TestBench need not build it.
func TestMain(m *testing.M) {
	if os.Getenv("ORDERS_MAIN") != "" {
		main()
		return
	}
	os.Exit(postgres.Main(m))
}

const filled = 300 // orders in the databases of the tests

// stores are the two services on one kind of database.
type stores struct {
	plain  plain.Store
	arenas arenas.Store
}

// onSQLite returns stores on two databases with equal content.
func onSQLite(t *testing.T) stores {
	var dbs [2]*sql.DB
	for i := range dbs {
		db, err := sql.Open("sqlite", filepath.Join(t.TempDir(), "orders.db")+"?_pragma=busy_timeout(5000)")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close() })
		if err := catalog.Fill(t.Context(), db, catalog.SQLite, filled); err != nil {
			t.Fatal(err)
		}
		dbs[i] = db
	}
	return stores{plain.SQLite(dbs[0]), arenas.SQLite(dbs[1])}
}

// onPostgres returns stores on two schemas with equal content. dial makes the connections, if it isn't nil.
func onPostgres(t *testing.T, dial func(context.Context, string, string) (net.Conn, error)) stores {
	address := postgres.URL(t)
	var dbs [2]*pgxpool.Pool
	for i := range dbs {
		config, err := pgxpool.ParseConfig(address)
		if err != nil {
			t.Fatal(err)
		}
		schema := fmt.Sprintf("orders_%d_%d", time.Now().UnixNano(), i)
		config.ConnConfig.RuntimeParams["search_path"] = schema
		if dial != nil {
			config.ConnConfig.DialFunc = dial
		}
		db, err := pgxpool.NewWithConfig(t.Context(), config)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(db.Close)
		std := stdlib.OpenDBFromPool(db)
		if _, err := std.ExecContext(t.Context(), "create schema "+schema); err != nil {
			t.Fatal(err)
		}
		if err := catalog.Fill(t.Context(), std, catalog.Postgres, filled); err != nil {
			t.Fatal(err)
		}
		dbs[i] = db
	}
	return stores{plain.Postgres(dbs[0]), arenas.Postgres(dbs[1])}
}

// ask returns the status and the body of an answer; times differ and are left out.
func ask(h http.Handler, method, path, body string) (int, string) {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, created.ReplaceAllString(w.Body.String(), `"created":""`)
}

var created = regexp.MustCompile(`"created":"[^"]*"`)

const tea = `{"customer":"Zoe <z@example.org>","street":"1 Quay","city":"Øster","note":"a \"note\"",` +
	`"items":[{"product":"tea","count":2,"price":350},{"product":"pot","count":1,"price":1999}]}`

// TestSame sends both services the same requests, in order. Nothing of a request may be kept in its arena.
func TestSame(t *testing.T) {
	for name, open := range map[string]func(*testing.T) stores{
		"sqlite":   onSQLite,
		"postgres": func(t *testing.T) stores { return onPostgres(t, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			inPlain, onArenas := plain.New(s.plain), arenas.New(s.arenas, arenatest.NewPool(t, arena.WithLimit(8<<20)))
			arenatest.Hold(t, onArenas)
			for _, r := range []struct {
				ask, body string
				status    int
			}{
				{"GET /orders", "", 200},
				{"GET /orders?last=1000", "", 200},
				{"GET /orders?last=0", "", 200},
				{"GET /orders/7", "", 200},
				{"GET /orders/123456", "", 404},
				{"GET /orders/seven", "", 404},
				{"GET /customers", "", 200},
				{"GET /products?q=TEAPOT", "", 200},
				{"GET /products?q=unicorn", "", 200},
				{"GET /customers/" + url.PathEscape("Zoe <z@example.org>") + "/last", "", 404},
				{"POST /orders", tea, 201},
				{"GET /orders/301", "", 200},
				{"GET /customers/" + url.PathEscape("Zoe <z@example.org>") + "/last", "", 200},
				{"POST /orders", strings.Replace(tea, "350", "351", 1), 201},
				{"GET /customers/" + url.PathEscape("Zoe <z@example.org>") + "/last", "", 200},
				{"GET /orders?last=2", "", 200},
				{"POST /orders", `{"customer":"Zoe","items":[]}`, 422},
				{"POST /orders", `{"customer":"Zoe","items":[{"product":"tea","count":0}]}`, 422},
				{"POST /orders", `{"customer":"Zoe","items":[{"count":"two"}]}`, 422},
				{"POST /orders", `{"customer":"Zoe",}`, 400},
				{"POST /orders", `{"customer":"Zoe"} {}`, 400},
				{"POST /orders", `{"customer":"` + strings.Repeat("x", 9<<20) + `"}`, 413},
				{"DELETE /orders/7", "", 405},
			} {
				method, path, _ := strings.Cut(r.ask, " ")
				status, want := ask(inPlain, method, path, r.body)
				if status != r.status {
					t.Errorf("plain %s: %d %.300s, want %d", r.ask, status, want, r.status)
				}
				status, got := ask(onArenas, method, path, r.body)
				if status != r.status || status < 400 && !sameJSON(got, want) {
					t.Errorf("arenas %s: %d\n%.300s\nwant %d\n%.300s", r.ask, status, got, r.status, want)
				}
			}
		})
	}
}

// sameJSON compares two texts. One of them escapes HTML's special characters.
func sameJSON(got, want string) bool {
	return got == strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(want)
}

// TestDatabaseStops cuts the connections to the database during requests, and restores them later.
func TestDatabaseStops(t *testing.T) {
	line := &cable{conns: map[net.Conn]bool{}}
	s := onPostgres(t, line.dial)
	h := arenas.New(s.arenas, arenatest.NewPool(t, arena.WithLimit(8<<20)))
	arenatest.Hold(t, h)
	var seen [600]int
	var mu sync.Mutex
	round := func() {
		var group sync.WaitGroup
		for i := range 40 {
			group.Go(func() {
				status, _ := ask(h, "GET", fmt.Sprint("/orders?last=", 20+i*5), "")
				mu.Lock()
				seen[status]++
				mu.Unlock()
				if i == 20 {
					line.cut()
				}
			})
		}
		group.Wait()
	}
	for range 5 {
		round()
		line.set(true)
		round()
		line.set(false)
	}
	if status, text := ask(h, "GET", "/orders?last=5", ""); status != 200 {
		t.Errorf("the database is back: %d %s", status, text)
	}
	if seen[200] == 0 || seen[500] == 0 || seen[200]+seen[500] != 400 {
		t.Errorf("%d answers of 200, %d of 500, of 400", seen[200], seen[500])
	}
}

// A cable makes connections that can be cut.
type cable struct {
	mu    sync.Mutex
	down  bool
	conns map[net.Conn]bool
}

func (c *cable) dial(ctx context.Context, network, address string) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return nil, io.ErrClosedPipe
	}
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	if err == nil {
		c.conns[conn] = true
	}
	return conn, err
}

func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for conn := range c.conns {
		conn.Close()
	}
	clear(c.conns)
}

func (c *cable) set(down bool) {
	c.mu.Lock()
	c.down = down
	c.mu.Unlock()
	c.cut()
}

// TestClientsGo: clients leave at any time.
func TestClientsGo(t *testing.T) {
	pool := arenatest.NewPool(t, arena.WithName("orders"))
	h := arenas.New(onSQLite(t).arenas, pool)
	arenatest.Hold(t, h)
	server := httptest.NewServer(h)
	defer server.Close()
	var group sync.WaitGroup
	for i := range 60 {
		group.Go(func() {
			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(i)*500*time.Microsecond)
			defer cancel()
			method, path, body := "GET", "/orders?last=300", ""
			if i%2 == 0 {
				method, path, body = "POST", "/orders", tea
			}
			r, err := http.NewRequestWithContext(ctx, method, server.URL+path, strings.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Content-Type", "application/json")
			if answer, err := server.Client().Do(r); err == nil {
				io.CopyN(io.Discard, answer.Body, 1000)
				answer.Body.Close()
			}
		})
	}
	group.Wait()
	if status, _ := ask(h, "GET", "/orders?last=5", ""); status != 200 {
		t.Errorf("after all have gone: %d", status)
	}
}

// TestDifference limits the difference between the service on arenas and the one in plain Go.
func TestDifference(t *testing.T) {
	lines, differ := 0, 0
	count := func(file string) []string {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(text)), "\n")
	}
	for _, name := range []string{"shop.go", "postgres.go", "sqlite.go"} {
		ours := count("arenas/" + name)
		theirs := count("plain/" + name)
		lines += len(ours)
		differ += len(ours) - common(ours, theirs)
	}
	for _, name := range []string{"main.go", "catalog/catalog.go"} {
		lines += len(count(name))
	}
	t.Logf("%d of %d lines differ", differ, lines)
	if differ*10 > lines {
		t.Errorf("%d of %d lines differ", differ, lines)
	}
}

// common returns the length of the longest common subsequence.
func common(a, b []string) int {
	row := make([]int, len(b)+1)
	for _, x := range a {
		diagonal := 0
		for j, y := range b {
			above := row[j+1]
			if x == y {
				row[j+1] = diagonal + 1
			} else {
				row[j+1] = max(above, row[j])
			}
			diagonal = above
		}
	}
	return row[len(b)]
}

// TestBench runs the comparison in its shortest form, with both services as processes that are stopped at the end.
func TestBench(t *testing.T) {
	t.Setenv("ORDERS_MAIN", "1") // for the servers that it starts, too
	var out, log bytes.Buffer
	c := exec.Command(os.Args[0], "-bench", "-n", "8")
	c.Stdout, c.Stderr = &out, &log
	if err := c.Run(); err != nil || log.Len() > 0 {
		t.Fatalf("%v\n%s\n%s", err, &log, &out)
	}
	if n := strings.Count(out.String(), "less CPU on arenas"); n != 6 {
		t.Errorf("%d comparisons of 6\n%s", n, &out)
	}
}
