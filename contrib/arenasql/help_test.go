package arenasql

import (
	"database/sql"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/harena-go/arena/internal/tests/testkit/postgres"
	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"
)

func TestMain(m *testing.M) { os.Exit(postgres.Main(m)) }

// open opens a database for a test. It has one connection, which keeps an in-memory SQLite database alive.
func open(t testing.TB, driver, name string) *sql.DB {
	t.Helper()
	db, err := sql.Open(driver, name)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

// arenas returns an arena of each kind; nil is the Go heap.
func arenas() map[string]*arena.Arena {
	return map[string]*arena.Arena{
		"default": arena.NewArena(), "self-contained": arena.NewArena(arena.WithNoScan()),
		"checked": arena.NewArena(arena.WithChecks(arena.CheckObjects)), "heap": nil, "batch": nil,
	}
}

// batch returns the mode of an arena of arenas.
func batch(kind string) Mode {
	if kind == "batch" {
		return Batch
	}
	return 0
}

// A box is a struct with one field, for the column v.
type box[T any] struct{ V T }

// scanned does what Collect does with Scan alone, for one row of one column.
func scanned[T any](rows *sql.Rows) ([]box[T], error) {
	defer rows.Close()
	all := []box[T]{}
	for rows.Next() {
		var b box[T]
		if err := rows.Scan(&b.V); err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return all, rows.Err()
}

// into compares Collect with Scan, for a query with the column v and a type of its field.
func into[T any](t *testing.T, db *sql.DB, query string) {
	t.Helper()
	ask := func() *sql.Rows {
		rows, err := db.QueryContext(t.Context(), query)
		if err != nil {
			t.Fatal(query, err)
		}
		return rows
	}
	want, wantErr := scanned[T](ask())
	for kind, a := range arenas() {
		got, err := Collect[box[T]](a, ask(), batch(kind))
		if err != nil && wantErr != nil && strings.Contains(err.Error(), "cannot scan NULL") {
			continue // pgx has several texts for that
		}
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || reflect.TypeOf(err) != reflect.TypeOf(wantErr) {
			t.Errorf("%s into %T, %s arena: error %v, database/sql's is %v", query, *new(T), kind, err, wantErr)
		}
		if !testkit.Same(got, want) {
			t.Errorf("%s, %s arena:\n got %#v\nwant %#v", query, kind, got, want)
		}
		a.Free()
	}
}

type (
	status string
	amount int32
	size   uint16
	flag   bool
	ratio  float32
	blob   []byte
	loud   string
)

func (l *loud) Scan(v any) error {
	if v == nil {
		return fmt.Errorf("loud: nothing")
	}
	*l = loud(strings.ToUpper(fmt.Sprint(v)))
	return nil
}

// targets compares Collect with Scan for a query with one column, v, and all types.
var targets = []func(*testing.T, *sql.DB, string){
	into[int8], into[int16], into[int32], into[int64], into[int], into[uint8], into[uint16], into[uint32], into[uint64],
	into[uint], into[float32], into[float64], into[bool], into[string], into[[]byte], into[time.Time], into[any],
	into[status], into[amount], into[size], into[flag], into[ratio], into[blob], into[loud], into[[16]byte], into[[]int],
	into[*int8], into[*uint64], into[**int64], into[*float32], into[*bool], into[*string], into[*status], into[*[]byte],
	into[*blob], into[*time.Time], into[*any], into[*loud], into[time.Duration], into[complex128],
	into[sql.NullInt16], into[sql.NullInt32], into[sql.NullInt64], into[sql.NullByte], into[sql.NullFloat64],
	into[sql.NullBool], into[sql.NullString], into[sql.NullTime], into[sql.Null[int8]], into[sql.Null[status]],
	into[sql.Null[[]byte]], into[sql.Null[*string]], into[sql.Null[any]], into[sql.Null[float32]], into[sql.Null[loud]],
	into[*sql.NullString], into[**loud], into[form], into[*form], into[**form], into[sql.Null[blob]], into[*sql.Null[blob]],
	into[sql.Null[form]], into[sql.Null[bool]], into[sql.Null[time.Time]], into[sql.Null[sql.NullString]],
	into[**sql.NullString], into[**[]byte], into[**blob],
}

// A form is a struct that scans itself.
type form struct{ Text, Kind string }

func (f *form) Scan(v any) error {
	f.Text, f.Kind = fmt.Sprintf("%s", v), fmt.Sprintf("%T", v)
	return nil
}
