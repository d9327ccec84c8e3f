package arenasql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena/internal/tests/testkit/postgres"
)

// TestSQLite compares with Scan, for values of all types of SQLite.
func TestSQLite(t *testing.T) {
	db := open(t, "sqlite", ":memory:")
	if _, err := db.Exec(`create table one (yes boolean, moment timestamp, day date);
		insert into one values (true, '2024-02-29 12:34:56.789+02:00', '2024-02-29')`); err != nil {
		t.Fatal(err)
	}
	for _, expr := range strings.Split(`null; 0; 1; 2; -1; 127; 128; 255; 256; 65536; 9223372036854775807; 16777217;
		-9223372036854775808; 0.0; -0.5; 1e300; 0.1; 9e999; ''; 'a'; '12'; '-12'; '+12'; '1_000'; '1.5'; '1e3'; 'true'; 't';
		'0x10'; 'NaN'; 'grüße'; x''; x'00ff'; x'3132'; '2024-02-29'; yes; moment; day`, ";") {
		for _, target := range targets {
			target(t, db, "select "+strings.TrimSpace(expr)+" as v from one")
		}
	}
}

// TestPostgreSQL compares with Scan, for PostgreSQL with the driver of pgx.
func TestPostgreSQL(t *testing.T) {
	db := open(t, "pgx", postgres.URL(t))
	for _, expr := range strings.Split(`null; 1::int2; 70000; 5000000000; 1.5::float4; 0.1::float8; 'NaN'::float8;
		'-0'::float8; true; 'text'; 'infinity'::date; now()::date; '2024-07-29 12:34:56.789'::timestamp;
		'2024-07-29 12:34:56.789+05:30'::timestamptz; '\x00ff'::bytea; 12.340::numeric; '1 day'::interval; '{1,2}'::int[];
		'0123abcd-4567-89ef-0123-456789abcdef'::uuid; '{"a":1}'::jsonb; '10.0.0.1'::inet`, ";") {
		for _, target := range targets {
			target(t, db, "select "+strings.TrimSpace(expr)+" as v")
		}
	}
}

// An answer is a driver that answers each query with the rows that it returns.
type answer func() driver.Rows

func (a answer) Connect(context.Context) (driver.Conn, error) { return a, nil }
func (a answer) Driver() driver.Driver                        { return nil }
func (a answer) Prepare(string) (driver.Stmt, error)          { return a, nil }
func (a answer) Close() error                                 { return nil }
func (a answer) Begin() (driver.Tx, error)                    { return nil, errors.New("no transactions") }
func (a answer) NumInput() int                                { return 0 }
func (a answer) Exec([]driver.Value) (driver.Result, error)   { return nil, errors.New("only queries") }
func (a answer) Query([]driver.Value) (driver.Rows, error)    { return a(), nil }

// fixed answers with one row of one value.
func fixed(v driver.Value) answer { return func() driver.Rows { return &fixedRows{v: v} } }

// fixedRows are its rows. They overwrite their memory after the row, as drivers may.
type fixedRows struct {
	v     driver.Value
	given []byte
	done  bool
}

func (r *fixedRows) Columns() []string { return []string{"v"} }

func (r *fixedRows) Close() error {
	clear(r.given)
	return nil
}

func (r *fixedRows) Next(dest []driver.Value) error {
	clear(r.given)
	if r.done {
		return io.EOF
	}
	r.done = true
	dest[0] = r.v
	if b, ok := r.v.([]byte); ok && b != nil {
		r.given = append([]byte{}, b...)
		dest[0] = r.given
	}
	return nil
}

// TestAnyDriver compares with Scan, for values of other drivers, including invalid ones.
func TestAnyDriver(t *testing.T) {
	type own string
	for _, v := range []driver.Value{
		nil, []byte(nil), []byte{}, []byte("12"), []byte("-1"), []byte("+1"), []byte("1.5"), []byte("true"),
		[]byte("x\x00"), "", "300", "-0", "1e2", " 1", "inf", int64(0), int64(1), int64(-1), int64(math.MaxInt64),
		int64(1<<53 + 1), int64(1<<54 + 1<<30 + 1), 0.0, math.Copysign(0, -1), 1.0, 0.1, 16777217.0,
		1 + 1.0/(1<<24) + 1.0/(1<<50), math.MaxFloat64, math.NaN(), math.Inf(1), true, false, time.Unix(0, 5),
		time.Date(2024, 1, 2, 3, 4, 5, 6, time.FixedZone("x", 3600)), time.Time{}, uint64(math.MaxUint64), int32(7),
		float32(0.1), own("own"), struct{}{}, []int{1},
	} {
		db := sql.OpenDB(fixed(v))
		for _, target := range targets {
			target(t, db, fmt.Sprintf("%T %v", v, v))
		}
		db.Close()
	}
}

// TestRandomValues compares with Scan, for random numbers and texts, as the types that drivers return.
func TestRandomValues(t *testing.T) {
	seed := rand.Uint64()
	t.Log("seed", seed)
	r := rand.New(rand.NewPCG(seed, 0))
	for range 100 {
		i := int64(r.Uint64()) >> r.IntN(64)
		x := math.Float64frombits(r.Uint64())
		digits := []byte("+-.eE_0123456789")
		s := make([]byte, r.IntN(8))
		for i := range s {
			s[i] = digits[r.IntN(len(digits))]
		}
		for _, v := range []driver.Value{
			string(s), s, i, x, float64(float32(x)), time.Unix(i>>20, i).UTC(), fmt.Sprint(i), []byte(fmt.Sprint(x)),
		} {
			db := sql.OpenDB(fixed(v))
			for _, target := range targets {
				target(t, db, fmt.Sprintf("%T %v", v, v))
			}
			db.Close()
		}
	}
}
