package arenasql

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit/postgres"
	"github.com/jackc/pgx/v5/stdlib"
)

type base struct{ ID int64 }

type row struct {
	base
	Base     string `db:"name,omitempty"`
	Total    *float64
	Ignored  int `db:"-"`
	Two_Part string
	hidden   int
}

func ask(t testing.TB, db *sql.DB, query string, args ...any) *sql.Rows {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query, args...)
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestColumnsFindTheirFields as in pgx, or the error names one that doesn't.
func TestColumnsFindTheirFields(t *testing.T) {
	db := open(t, "sqlite", ":memory:")
	for _, c := range []struct {
		columns, want string // the row, or the error
		mode          Mode
	}{
		{"1 as id, 'a' as name, 2.5 as total, 'b' as two_part", "{{1} a 2.5 0 b 0}", 0},
		{"1 as ID, 'a' as NAME, 2.5 as to_tal, 'b' as twopart", "{{1} a 2.5 0 b 0}", 0},
		{"'a' as name, 1 as id, 'b' as two_part, null as total", "{{1} a <nil> 0 b 0}", 0},
		{"1 as id, 'a' as na_me, 2 as total, 'b' as two_part", "no column for the field name of arenasql.row", 0},
		{"1 as id, 'a' as name", "no column for the field Total", 0},
		{"1 as id, 'a' as name", "{{1} a <nil> 0  0}", Lax},
		{"1 as id, 2 as ignored", "arenasql.row has no field for the column ignored", Lax},
		{"1 as id, 2 as hidden", "has no field for the column hidden", Lax},
		{"1, 'a', 2.5, 'b'", "{{1} a 2.5 0 b 0}", ByPos},
		{"1, 'a', 2.5, 'b', 5", "there are 5 columns, and arenasql.row has 4 fields", ByPos},
		{"1, 'a'", "sql: expected 2 destination arguments in Scan, not 4", ByPos},
		{"'x' as id", `sql: Scan error on column index 0, name "id": converting driver.Value type string ("x")`, Lax},
		{"null as id", `sql: Scan error on column index 0, name "id": converting NULL to int64 is unsupported`, Lax},
	} {
		v, err := CollectOne[row](arena.NewArena(), ask(t, db, "select "+c.columns), c.mode)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(v)
			if v.Total != nil {
				got = strings.Replace(got, fmt.Sprint(v.Total), fmt.Sprint(*v.Total), 1)
			}
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.columns, got, c.want)
		}
	}
	_, err := CollectOne[box[*sql.RawBytes]](nil, ask(t, db, "select 'x' as v"))
	if want := "arenasql: a row can't be kept in a sql.RawBytes, the type of the field V of "; err == nil ||
		!strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestRowsEnd: after an early end, an error or a panic the connection is free, and so is the arena.
func TestRowsEnd(t *testing.T) {
	db := open(t, "sqlite", ":memory:")
	const many = "with recursive n(v) as (select 1 union all select v + 1 from n where v < 1000) select v from n"
	a := arena.NewArena(arena.WithLimit(64 << 10))
	for what, f := range map[string]func() error{
		"break": func() error {
			for r, err := range Each[box[int]](a, ask(t, db, many)) {
				if r.V == 10 {
					return err
				}
			}
			return errors.New("not found")
		},
		"one": func() error {
			one, err := CollectOne[int](a, ask(t, db, many))
			if one != 1 {
				t.Error(one)
			}
			return err
		},
		"none": func() error {
			if _, err := CollectOne[int](a, ask(t, db, "select 1 where false")); err != sql.ErrNoRows {
				t.Error(err)
			}
			return nil
		},
		"addresses": func() error {
			all, err := CollectAddr[box[int16]](a, ask(t, db, many))
			if len(all) != 1000 || all[999].V != 1000 {
				t.Error(len(all))
			}
			return err
		},
		"a value that doesn't fit": func() error {
			if all, err := Collect[box[int8]](a, ask(t, db, many)); err == nil || all != nil {
				t.Error(len(all), err)
			}
			return nil
		},
		"each": func() error {
			n := 0
			for r, err := range Each[box[string]](a, ask(t, db, "select v || hex(zeroblob(1000)) as v from ("+many+")")) {
				if n++; err != nil || !strings.HasPrefix(r.V, fmt.Sprint(n, "0000")) {
					return fmt.Errorf("row %d is %.9s, %w", n, r.V, err)
				}
			}
			return nil
		},
		"panic": func() error {
			defer func() {
				if _, ok := recover().(*arena.LimitError); !ok {
					t.Error("no LimitError")
				}
			}()
			_, err := Collect[box[string]](a, ask(t, db, "select hex(zeroblob(1000)) as v from ("+many+")"))
			return err
		},
	} {
		if err := f(); err != nil || db.Stats().InUse != 0 {
			t.Errorf("%s: error %v, %d connections in use", what, err, db.Stats().InUse)
		}
		a.Reset()
	}
}

// TestErrorsInTheMiddle: a query that fails, is cancelled, or loses its connection, after some rows.
func TestErrorsInTheMiddle(t *testing.T) {
	db := open(t, "pgx", postgres.URL(t))
	a := arena.NewArena()
	for _, query := range []string{
		"select 1/(1000-i) as v from generate_series(1, 2000) i",
		"select case when i <> 5000 or pg_terminate_backend(pg_backend_pid()) then i end as v" +
			" from generate_series(1, 9000) i",
	} {
		_, wantErr := scanned[int](ask(t, db, query))
		got, err := Collect[box[int]](a, ask(t, db, query))
		if err == nil || got != nil || fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Errorf("%s: %d rows, error %v, database/sql's is %v", query, len(got), err, wantErr)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rows, err := db.QueryContext(ctx, "select i as v, repeat('x', 1000) as w from generate_series(1, 1000000) i")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err = range Each[struct {
		V int
		W string
	}](a, rows) {
		if n++; n == 10 {
			cancel()
		}
	}
	if !errors.Is(err, context.Canceled) || n >= 1000000 {
		t.Errorf("%d rows, then error %v", n, err)
	}
	if v, err := CollectOne[string](a, ask(t, db, "select 'still there'")); v != "still there" || err != nil {
		t.Error(v, err)
	}
}

// TestReadingAllocatesNothing beyond what the driver allocates: counted with a driver that allocates once for a row.
func TestReadingAllocatesNothing(t *testing.T) {
	db := open(t, "sqlite", ":memory:")
	type wide struct {
		A int
		B *int32
		C string
		D *string
		E sql.NullString
		F []byte
		G float64
	}
	const query = "with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)" +
		" select i as a, i as b, 'x' || i as c, 'y' || i as d, 'z' as e, x'00ff' as f, i * 0.5 as g from n"
	a := arena.NewArena()
	alone := testing.AllocsPerRun(3, func() {
		rows := ask(t, db, query, 2000)
		dest := []any{skip{}, skip{}, skip{}, skip{}, skip{}, skip{}, skip{}}
		for rows.Next() {
			if err := rows.Scan(dest...); err != nil {
				t.Fatal(err)
			}
		}
	})
	ours := testing.AllocsPerRun(3, func() {
		a.Reset()
		if all, err := Collect[wide](a, ask(t, db, query, 2000)); len(all) != 2000 || err != nil {
			t.Fatal(err)
		}
	})
	if ours > alone+50 {
		t.Errorf("%v allocations for 2,000 rows, %v by database/sql and the driver", ours, alone)
	}
}

// TestPgxAllocatesNothing for texts, bytes and JSON: with Go 1.27 it passes the server's bytes. For jsonb it allocates
// once for each value.
func TestPgxAllocatesNothing(t *testing.T) {
	if raw := rawColumns(ask(t, open(t, "pgx", postgres.URL(t)), "select 'x'::text as v")); raw == nil {
		if _, ok := reflect.TypeFor[*stdlib.Rows]().MethodByName("ScanColumn"); ok {
			t.Error("database/sql doesn't lead to the driver's rows any more")
		}
		t.Skip("the driver has values only")
	}
	db := open(t, "pgx", postgres.URL(t))
	type texts struct {
		A string
		B *string
		C sql.NullString
		D []byte
		E json.RawMessage
	}
	const query = "select 'x' || i as a, case when i % 2 = 0 then 'y' || i end as b, case when i % 3 = 0 then '' end as c," +
		" decode('00ff', 'hex') as d, '{\"a\":1}'::json as e from generate_series(1, $1) i"
	a := arena.NewArena()
	read := func(n int) float64 {
		return testing.AllocsPerRun(3, func() {
			a.Reset()
			all, err := Collect[texts](a, ask(t, db, query, n))
			if err != nil || len(all) != n {
				t.Fatal(len(all), err)
			}
			for i := range all {
				v := &all[i]
				if k := i + 1; v.A != fmt.Sprint("x", k) || (v.B != nil) != (k%2 == 0) || v.C.Valid != (k%3 == 0) ||
					string(v.D) != "\x00\xff" || string(v.E) != `{"a":1}` {
					t.Fatalf("row %d: %+v", i, v)
				}
			}
		})
	}
	own := testing.AllocsPerRun(3, func() {
		for i := range 2000 {
			_ = fmt.Sprint("x", i) // allocated by the test
		}
	})
	if few, many := read(10), read(2000); many-few > own+100 {
		t.Errorf("%v allocations for 2,000 rows, %v by this test, and %v for 10 rows", many, own, few)
	}
}

// TestTimesKeepTheirLocation in an arena that must not point to the heap: only KeepAlive keeps the location.
func TestTimesKeepTheirLocation(t *testing.T) {
	a := arena.NewArena(arena.WithNoScan())
	var location weak.Pointer[time.Location]
	v, err := func() ([]box[time.Time], error) {
		l := time.FixedZone("somewhere", 5400)
		location = weak.Make(l)
		db := sql.OpenDB(fixed(time.Date(2024, 7, 29, 12, 0, 0, 0, l)))
		defer db.Close()
		return Collect[box[time.Time]](a, ask(t, db, ""))
	}()
	for range 3 {
		runtime.GC()
	}
	if err != nil || location.Value() == nil || v[0].V.Location() != location.Value() {
		t.Error("the location is gone", err)
	}
	runtime.KeepAlive(a)
}

// TestPlansAreBounded: the number of column names isn't limited.
func TestPlansAreBounded(t *testing.T) {
	db := open(t, "sqlite", ":memory:")
	type narrow struct{ V int }
	const maxPlans = 64
	for i := range 2 * maxPlans {
		if _, err := Collect[narrow](nil, ask(t, db, fmt.Sprintf("select 1 as c%d", i))); err == nil {
			t.Fatal("no error")
		}
	}
	if n := len(plans.Of(reflect.TypeFor[narrow]())); n != maxPlans {
		t.Errorf("%d plans", n)
	}
}
