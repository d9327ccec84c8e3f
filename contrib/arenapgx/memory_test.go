package arenapgx

import (
	"bytes"
	"fmt"
	"net/netip"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// A mixed has a field of each type that is read directly.
type mixed struct {
	I   int64
	J   *int32
	K   pgtype.Int4
	F   float64
	B   bool
	S   string
	T   *string
	X   []byte
	U   [16]byte
	At  time.Time
	Day *time.Time
	N   pgtype.Numeric
	M   float64
	L   []int64
	Ss  []string
	D   doc
}

const selectMixed = `select i::int8 as i, i::int4 as j, case when mod(i, 2) = 0 then i end as k, i / 3.0::float8 as f,
	mod(i, 3) = 0 as b, 'text ' || i as s, case when mod(i, 2) = 0 then repeat('x', mod(i, 50)) end as t,
	('\x' || lpad(to_hex(i), 8, '0'))::bytea as x, md5(i::text)::uuid as u,
	'2024-07-29 12:00'::timestamptz + i * interval '1 hour' as at,
	case when mod(i, 5) > 0 then '2024-02-29'::date end as day, round(i / 7.0, 4) as n, i * 0.01 as m,
	array[i, i + 1]::int8[] as l, array['a' || i, 'b'] as ss, '{"a":1,"b":["x"]}'::jsonb as d
	from generate_series(1, %d) i`

// TestRowsLeaveNothingOnTheHeap counts allocations: 2,000 rows make as many as one row.
func TestRowsLeaveNothingOnTheHeap(t *testing.T) {
	conn := connect(t)
	a := arena.NewArena()
	read := map[string]func(pgx.Rows) (int, error){
		"Collect": func(rows pgx.Rows) (int, error) {
			all, err := Collect[mixed](a, rows)
			return len(all), err
		},
		"CollectAddr": func(rows pgx.Rows) (int, error) {
			all, err := CollectAddr[mixed](a, rows)
			return len(all), err
		},
		"Each": func(rows pgx.Rows) (n int, err error) {
			for _, err = range Each[mixed](a, rows) {
				n++
			}
			return n, err
		},
	}
	for name, f := range read {
		allocations := func(n int) float64 {
			return testing.AllocsPerRun(5, func() {
				a.Reset()
				rows := query(t, conn, pgx.QueryExecModeCacheStatement, fmt.Sprintf(selectMixed, n))
				if got, err := f(rows); got != n || err != nil {
					t.Fatal(name, got, err)
				}
			})
		}
		one := allocations(1)
		// The connection allocates a buffer now and then.
		if many := allocations(2000); many > one+30 {
			t.Errorf("%s: %v allocations for 2,000 rows, %v for one", name, many, one)
		}
	}
}

// TestEachUsesTheMemoryOfOneRow reads many rows in an arena that has room for few.
func TestEachUsesTheMemoryOfOneRow(t *testing.T) {
	conn := connect(t)
	a := arena.NewArena(arena.WithLimit(64 << 10))
	n := 0
	for m, err := range Each[mixed](a, query(t, conn, pgx.QueryExecModeCacheStatement, fmt.Sprintf(selectMixed, 5000))) {
		if err != nil {
			t.Fatal(err)
		}
		n++
		if m.I != int64(n) || m.S != fmt.Sprint("text ", n) || (m.T == nil) == (n%2 == 0) || m.Ss[0] != fmt.Sprint("a", n) {
			t.Fatalf("row %d is %+v", n, m)
		}
	}
	if n != 5000 {
		t.Errorf("%d rows", n)
	}
}

// TestNothingRefersToTheConnection reads other rows through the same buffers, collects garbage, and compares.
func TestNothingRefersToTheConnection(t *testing.T) {
	conn := connect(t)
	type other struct {
		mixed
		Any  any
		Map  map[string]any
		Addr netip.Addr
		Two  [][]int32
	}
	sql := fmt.Sprintf(selectMixed, 300)
	sql = strings.Replace(sql, "select", `select '{"k":[1,"v"]}'::json as any, '{"a":"b"}'::jsonb as map,
		'::1'::inet as addr, '{{1},{2}}'::int4[] as two,`, 1)
	for format, mode := range modes {
		want, err := pgx.CollectRows(query(t, conn, mode, sql), pgx.RowToStructByName[other])
		if err != nil {
			t.Fatal(err)
		}
		for kind, a := range arenas() {
			got, err := Collect[other](a, query(t, conn, mode, sql), batch(kind))
			if err != nil {
				t.Fatal(err)
			}
			exec(t, conn, "select repeat('#', 200), i, i, i, repeat('#', 1000) from generate_series(1, 1000) i")
			for range 3 {
				runtime.GC()
				_ = bytes.Repeat([]byte{0xdb}, 1<<20)
			}
			if !testkit.Same(got, want) {
				t.Errorf("%s, %s arena: the rows have changed", format, kind)
			}
			runtime.KeepAlive(a)
		}
	}
}

// TestCommonTypesAreRead: if pgx names its plans differently everything works, but nothing is faster than pgx.
func TestCommonTypesAreRead(t *testing.T) {
	check := func(oid uint32, format int16, columns ...column) {
		t.Helper()
		for _, c := range columns {
			if c.op == viaPgx {
				t.Errorf("OID %d in format %d is not read into a %v", oid, format, c.typ)
			}
		}
	}
	for oid, columns := range map[uint32]func(m *maker) []column{
		pgtype.Int2OID: ints, pgtype.Int4OID: ints, pgtype.Int8OID: ints,
		pgtype.Float4OID:      of[float32, float64, pgtype.Float4, *float64],
		pgtype.Float8OID:      of[float64, float32, pgtype.Float8, *float64],
		pgtype.BoolOID:        of[bool, *bool, pgtype.Bool, *bool],
		pgtype.TextOID:        of[string, *status, []byte, pgtype.Text],
		pgtype.VarcharOID:     of[string, *status, []byte, pgtype.Text],
		pgtype.ByteaOID:       of[[]byte, blob, *[]byte, []byte],
		pgtype.UUIDOID:        of[[16]byte, *[16]byte, pgtype.UUID, string],
		pgtype.DateOID:        of[time.Time, *time.Time, time.Time, time.Time],
		pgtype.TimestampOID:   of[time.Time, *time.Time, time.Time, time.Time],
		pgtype.TimestamptzOID: of[time.Time, *time.Time, time.Time, time.Time],
		pgtype.NumericOID:     of[float64, *int64, string, pgtype.Numeric],
		pgtype.Int8ArrayOID:   of[[]int64, []*int32, numbers, []pgtype.Int8],
		pgtype.TextArrayOID:   of[[]string, tags, []*string, []status],
	} {
		m := maker{types: pgtype.NewMap(), oid: oid, format: pgtype.BinaryFormatCode}
		check(oid, m.format, columns(&m)...)
	}
	for oid, columns := range map[uint32]func(m *maker) []column{
		pgtype.Int8OID: of[int64, *int32, int16, uint], pgtype.Float8OID: of[float64, *float64, float64, float64],
		pgtype.JSONOID: of[doc, *doc, map[string]any, string], pgtype.JSONBOID: of[doc, *doc, any, []byte],
		pgtype.TextOID: of[string, *string, status, pgtype.Text], 999999: of[string, *string, status, []byte],
		pgtype.BoolOID: of[bool, *bool, bool, bool],
	} {
		m := maker{types: pgtype.NewMap(), oid: oid, format: pgtype.TextFormatCode}
		check(oid, m.format, columns(&m)...)
	}
}

type numbers []int64

func ints(m *maker) []column {
	return append(of[int64, int32, *int16, pgtype.Int8](m), of[uint8, amount, *uint64, int](m)...)
}

func of[A, B, C, D any](m *maker) []column {
	return []column{columnFor[A](m), columnFor[B](m), columnFor[C](m), columnFor[D](m)}
}

func columnFor[T any](m *maker) column {
	f := []pgconn.FieldDescription{{Name: "v", DataTypeOID: m.oid, Format: m.format}}
	return makePlan[box[T]](f, m.types, 0).columns[0]
}

// TestTypesOfAConnection: an enum that each connection has loaded, under another pointer, doesn't need another plan.
func TestTypesOfAConnection(t *testing.T) {
	exec(t, connect(t), createTypes)
	for range 3 {
		conn := connect(t)
		for _, name := range []string{"mood", "_mood"} {
			typ, err := conn.LoadType(t.Context(), name)
			if err != nil {
				t.Fatal(err)
			}
			conn.TypeMap().RegisterType(typ)
		}
		into[status](t, conn, "select 'happy'::mood as v")
		into[[]status](t, conn, "select '{happy,sad}'::mood[] as v")
	}
	seen := 0
	for _, p := range plans.Of(boxType[status]()) {
		if p.names[0].DataTypeOID > 16000 {
			seen++
		}
	}
	if seen > 2 { // one for each format
		t.Errorf("%d plans", seen)
	}
}

// TestPlansAreBounded: the number of column names isn't limited.
func TestPlansAreBounded(t *testing.T) {
	type narrow struct{ V int }
	const maxPlans = 64
	for i := range 10 * maxPlans {
		fields := []pgconn.FieldDescription{{Name: fmt.Sprint("c", i)}}
		r := &replay{types: pgtype.NewMap(), rows: [][][]byte{{nil}}, fields: fields}
		if _, err := Collect[narrow](nil, r); err == nil {
			t.Fatal("no error")
		}
	}
	if n := len(plans.Of(typeOf[narrow]())); n != maxPlans {
		t.Errorf("%d plans", n)
	}
}
