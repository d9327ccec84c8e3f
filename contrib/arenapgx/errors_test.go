package arenapgx

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit/postgres"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

type base struct{ ID int64 }

type row struct {
	base
	Base     string `db:"name,omitempty"`
	Total    float64
	Ignored  int `db:"-"`
	Two_Part string
}

// TestColumnsFindTheFieldsOfPgx compares the fields of columns, and the errors for columns without a field.
func TestColumnsFindTheFieldsOfPgx(t *testing.T) {
	conn := connect(t)
	matches := map[string]match{
		"strict": matched(t, conn, pgx.RowToStructByName[row]),
		"lax":    matched(t, conn, pgx.RowToStructByNameLax[row], Lax),
		"by pos": matched(t, conn, pgx.RowToStructByPos[row], ByPos),
	}
	for mode, m := range matches {
		for _, sql := range []string{
			"1::int8 as id, 'a' as name, 2.5::float8 as total, 'b' as two_part",
			"1::int8 as ID, 'a' as NAME, 2.5::float8 as tot_al, 'b' as twopart",
			"1::int8 as id, 'a' as name", "1::int8 as id, 1 as other", "1 as ignored", "1::int8 as id, 2::int8 as id",
			"1::int8, 'a', 2.5::float8, 'b'", "1::int8, 'a', 2.5::float8, 'b', 5",
			"'x' as id, 'a' as name, 2.5 as total, 'b' as two_part",
			"null::int8 as id, 'a' as name, 2.5::float8 as total, 'b' as two_part", "where false", "",
		} {
			got, want, err, wantErr := m("select " + sql)
			if fmt.Sprint(got, err) != fmt.Sprint(want, wantErr) {
				t.Errorf("%s, select %s: %v, %v; pgx has %v, %v", mode, sql, got, err, want, wantErr)
			}
		}
	}
}

// A match reads a query into an arena, and with pgx.
type match func(sql string) (got, want any, err, wantErr error)

func matched[T any](t *testing.T, conn *pgx.Conn, scan pgx.RowToFunc[T], mode ...Mode) match {
	return func(sql string) (any, any, error, error) {
		want, wantErr := pgx.CollectRows(query(t, conn, pgx.QueryExecModeCacheStatement, sql), scan)
		got, err := Collect[T](arena.NewArena(), query(t, conn, pgx.QueryExecModeCacheStatement, sql), mode...)
		return got, want, err, wantErr
	}
}

// TestOneRow compares CollectOne and similar functions, and a type that isn't a struct.
func TestOneRow(t *testing.T) {
	conn := connect(t)
	a := arena.NewArena()
	for _, sql := range []string{
		"select 1 where false", "select 7", "select generate_series(1, 3)", "select 1/0", "select null::int",
		"select 1, 2", "select 'x'", "nonsense", "select 10/(2-i) from generate_series(1, 3) i",
	} {
		ask := func() pgx.Rows { return query(t, conn, pgx.QueryExecModeCacheStatement, sql) }
		check := func(what string, got, want any, err, wantErr error) {
			t.Helper()
			if wantErr == nil && got != want || fmt.Sprint(err) != fmt.Sprint(wantErr) ||
				errors.Is(err, pgx.ErrNoRows) != errors.Is(wantErr, pgx.ErrNoRows) {
				t.Errorf("%s: %s: %v, %v; pgx has %v, %v", sql, what, got, err, want, wantErr)
			}
		}
		got, err := CollectOne[int](a, ask())
		want, wantErr := pgx.CollectOneRow(ask(), pgx.RowTo[int])
		check("CollectOne", got, want, err, wantErr)
		if err != nil && got != 0 {
			t.Errorf("%s: CollectOne: %d with an error", sql, got)
		}
		got, err = CollectExactlyOne[int](a, ask())
		want, wantErr = pgx.CollectExactlyOneRow(ask(), pgx.RowTo[int])
		check("CollectExactlyOne", got, want, err, wantErr)
		if err != nil && got != 0 {
			t.Errorf("%s: CollectExactlyOne: %d with an error", sql, got)
		}
		all, err := CollectAddr[int](a, ask())
		wants, wantErr := pgx.CollectRows(ask(), pgx.RowTo[int])
		check("CollectAddr", len(all), len(wants), err, wantErr)
		for i := range wants {
			check("CollectAddr", *all[i], wants[i], nil, nil)
		}
	}
}

// TestErrorsInTheMiddle: the error is pgx's, and the arena and, if it is alive, the connection stay usable.
func TestErrorsInTheMiddle(t *testing.T) {
	a := arena.NewArena()
	type number struct{ V int32 }
	for _, sql := range []string{
		"select 1/(1000-i) as v from generate_series(1, 2000) i",
		"select case when i < 5000 then i end as v from generate_series(1, 20000) i",
		"select i::int8 * 10000000 as v from generate_series(1, 1000) i",
		"select case when i <> 5000 or pg_terminate_backend(pg_backend_pid()) then i end as v" +
			" from generate_series(1, 9000) i",
	} {
		for format, mode := range modes {
			conn, other := connect(t), connect(t)
			_, wantErr := pgx.CollectRows(query(t, other, mode, sql), pgx.RowToStructByName[number])
			got, err := Collect[number](a, query(t, conn, mode, sql))
			if err == nil || fmt.Sprint(err) != fmt.Sprint(wantErr) || got != nil {
				t.Errorf("%s, %s: %d rows, error %v, pgx's is %v", sql, format, len(got), err, wantErr)
			}
			if conn.IsClosed() != other.IsClosed() {
				t.Errorf("%s, %s: closed %v, with pgx %v", sql, format, conn.IsClosed(), other.IsClosed())
			}
			if !conn.IsClosed() {
				compare[box[string]](t, conn, "select 'still there' as v")
			}
		}
		a.Reset()
	}
}

// TestCancel: a context that ends in the middle ends the rows.
func TestCancel(t *testing.T) {
	conn := connect(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rows, err := conn.Query(ctx, "select i as v, repeat('x', 1000) as w from generate_series(1, 1000000) i")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	var last error
	for r, err := range Each[struct {
		V int
		W string
	}](arena.NewArena(), rows) {
		if last = err; err == nil {
			n = r.V
		}
		if n == 10 {
			cancel()
		}
	}
	if !errors.Is(last, context.Canceled) || n < 10 || n == 1000000 {
		t.Errorf("%d rows, then error %v", n, last)
	}
}

// TestTypesChange: a column gets another type between two queries, a plan for the old one is there.
func TestTypesChange(t *testing.T) {
	conn := connect(t)
	exec(t, conn, "create temp table changing as select 5::int4 as v")
	for _, typ := range []string{"int4", "text", "float8", "numeric", "int8"} {
		exec(t, conn, "alter table changing alter v type "+typ+" using v::"+typ)
		for _, target := range targets[:18] {
			conn.DeallocateAll(t.Context())
			target(t, conn, "select v from changing")
		}
	}
	exec(t, conn, "alter table changing alter v type int8")
	ask := func() (box[int64], error) {
		return CollectOne[box[int64]](nil, query(t, conn, pgx.QueryExecModeCacheStatement, "select v from changing"))
	}
	if v, err := ask(); v.V != 5 || err != nil {
		t.Error(v, err)
	}
	exec(t, conn, "alter table changing alter v type int4")
	// PostgreSQL refuses the old statement, and pgx drops it.
	if _, err := ask(); err == nil {
		t.Error("the statement was prepared for another type, and there is no error")
	}
	if v, err := ask(); v.V != 5 || err != nil {
		t.Error(v, err)
	}
}

func exec(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatal(err)
	}
}

// TestConnectionsReturn: after an early end, an error or a panic the connection is back in its pool.
func TestConnectionsReturn(t *testing.T) {
	pool, err := pgxpool.New(t.Context(), postgres.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	ask := func(sql string) pgx.Rows {
		rows, err := pool.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	const many = "select i as v from generate_series(1, 1000) i"
	for what, f := range map[string]func(){
		"break": func() {
			for range Each[box[int]](arena.NewArena(), ask(many)) {
				break
			}
		},
		"one":   func() { CollectOne[box[int]](nil, ask(many)) },
		"two":   func() { CollectExactlyOne[box[int]](nil, ask(many)) },
		"error": func() { Collect[box[bool]](nil, ask(many)) },
		"names": func() { Collect[struct{ Other int }](nil, ask(many)) },
		"panic": func() {
			defer func() {
				if _, ok := recover().(*arena.LimitError); !ok {
					t.Error("no LimitError")
				}
			}()
			small := arena.NewArena(arena.WithLimit(1 << 14))
			Collect[box[string]](small, ask("select repeat('x', 100) as v from generate_series(1, 1000)"))
		},
	} {
		f()
		for start := time.Now(); pool.Stat().AcquiredConns() > 0; time.Sleep(time.Millisecond) {
			if time.Since(start) > 10*time.Second {
				t.Fatalf("%s: the connection isn't back", what)
			}
		}
	}
}

// TestBatch reads the results of a batch, one after the other, the first not to its end.
func TestBatch(t *testing.T) {
	conn := connect(t)
	b := new(pgx.Batch)
	b.Queue("select i as v from generate_series(1, 100) i")
	b.Queue("select 'a' as v union all select 'b'")
	b.Queue("select 1/0 as v")
	results := conn.SendBatch(t.Context(), b)
	a := arena.NewArena()
	next := func() pgx.Rows {
		rows, _ := results.Query()
		return rows
	}
	if one, err := CollectOne[box[int]](a, next()); one.V != 1 || err != nil {
		t.Error(one, err)
	}
	if two, err := Collect[box[string]](a, next()); len(two) != 2 || two[1].V != "b" || err != nil {
		t.Error(two, err)
	}
	if _, err := Collect[box[int]](a, next()); err == nil {
		t.Error("no error")
	}
	results.Close()
	compare[box[string]](t, conn, "select 'still there' as v")
}
