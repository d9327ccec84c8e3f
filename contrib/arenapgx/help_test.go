package arenapgx

import (
	"context"
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
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

func TestMain(m *testing.M) { os.Exit(postgres.Main(m)) }

// connect returns a connection to PostgreSQL.
func connect(t testing.TB) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), postgres.URL(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

// modes are the ways to query, by the format of the result.
var modes = map[string]pgx.QueryExecMode{
	"binary": pgx.QueryExecModeCacheStatement, "text": pgx.QueryExecModeSimpleProtocol,
}

func query(t testing.TB, conn *pgx.Conn, mode pgx.QueryExecMode, sql string) pgx.Rows {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql, mode)
	if err != nil && rows.Err() == nil {
		t.Fatal(err)
	}
	return rows
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

// compare reads a query with pgx and into each arena, and compares values and errors. All but one of the arenas get the
// rows that the server has sent before, as most of the time is the server's.
func compare[T any](t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	for format, mode := range modes {
		want, wantErr := pgx.CollectRows(query(t, conn, mode, sql), pgx.RowToStructByName[T])
		again := recorded(t, conn, mode, sql)
		for kind, a := range arenas() {
			ask := again
			if kind == "default" {
				ask = func() pgx.Rows { return query(t, conn, mode, sql) }
			}
			got, err := Collect[T](a, ask(), batch(kind))
			if fmt.Sprint(err) != fmt.Sprint(wantErr) || reflect.TypeOf(err) != reflect.TypeOf(wantErr) {
				t.Errorf("%s into %T, %s, %s arena: error %v, pgx's is %v", sql, *new(T), format, kind, err, wantErr)
			}
			if !testkit.Same(got, want) {
				t.Errorf("%s in %s format, %s arena:\n got %#v\nwant %#v", sql, format, kind, got, want)
			}
			a.Free()
		}
	}
}

// A box is a struct with one field, for the column v.
type box[T any] struct{ V T }

// A status is a defined type without methods, and loud is one with a method that pgx calls.
type (
	status string
	amount int32
	blob   []byte
	tags   []string
	loud   string
	id     [16]byte
	doc    struct {
		A int               `json:"a"`
		B []string          `json:"b"`
		C map[string]any    `json:"c"`
		D *doc              `json:"d"`
		E any               `json:"e"`
		F map[string]string `json:"f"`
	}
)

func (l *loud) Scan(v any) error {
	if v == nil {
		return fmt.Errorf("loud: nothing")
	}
	*l = loud(strings.ToUpper(fmt.Sprint(v)))
	return nil
}

// targets compares a query with one column, v, for all types.
var targets = []func(*testing.T, *pgx.Conn, string){
	into[int8], into[int16], into[int32], into[int64], into[int], into[uint8], into[uint16], into[uint32],
	into[uint64], into[uint], into[float32], into[float64], into[bool], into[string], into[[]byte], into[[16]byte],
	into[time.Time], into[any], into[status], into[amount], into[blob], into[tags], into[loud], into[id],
	into[time.Duration], into[doc], into[*int32], into[*int64], into[**int64], into[*string], into[*bool],
	into[*float64], into[*[]byte], into[*time.Time], into[*status], into[*loud], into[*doc], into[*[]int64],
	into[sql.NullInt16], into[sql.NullInt32], into[sql.NullInt64], into[sql.NullByte], into[sql.NullFloat64],
	into[sql.NullBool], into[sql.NullString], into[sql.NullTime], into[sql.Null[int32]], into[sql.Null[uint16]],
	into[sql.Null[float32]], into[sql.Null[string]], into[sql.Null[status]], into[sql.Null[[]byte]],
	into[sql.Null[time.Time]], into[sql.Null[any]], into[sql.RawBytes], into[pgtype.Int2], into[pgtype.Int4],
	into[pgtype.Int8], into[pgtype.Float4], into[pgtype.Float8], into[pgtype.Bool], into[pgtype.Text],
	into[pgtype.UUID], into[pgtype.Numeric], into[pgtype.Date], into[pgtype.Timestamp], into[pgtype.Timestamptz],
	into[pgtype.Interval], into[pgtype.Range[pgtype.Int4]], into[pgtype.Array[int64]],
	into[pgtype.FlatArray[string]], into[*pgtype.Text], into[*pgtype.Numeric], into[pgtype.UndecodedBytes],
	into[[]int16], into[[]int32], into[[]int64], into[[]uint32], into[[]float32], into[[]float64], into[[]bool],
	into[[]string], into[[]*string], into[[][]byte], into[[]time.Time], into[[][16]byte], into[[]status],
	into[[]loud], into[[]pgtype.Numeric], into[[]pgtype.Text], into[[][]int64], into[[3]int64], into[[]any],
	into[[]sql.NullString], into[map[string]any], into[**loud], into[**status], into[form], into[*form], into[**form],
	into[***form], into[[]*form], into[sql.Null[blob]], into[*sql.Null[blob]], into[sql.Null[tags]], into[sql.Null[id]],
	into[sql.Null[loud]], into[sql.Null[form]], into[sql.Null[*string]], into[sql.Null[bool]], into[sql.Null[float64]],
	into[sql.Null[int8]], into[sql.Null[amount]], into[sql.Null[doc]], into[sql.Null[sql.RawBytes]],
	into[*sql.NullInt16], into[**sql.NullString], into[**doc], into[**[]byte], into[**blob], into[**time.Time],
}

// A form is a struct that scans itself.
type form struct{ Text, Kind string }

func (f *form) Scan(v any) error {
	f.Text, f.Kind = fmt.Sprintf("%s", v), fmt.Sprintf("%T", v)
	return nil
}

func into[T any](t *testing.T, conn *pgx.Conn, sql string) {
	if strings.Contains(sql, "(null)") && hopeless[T](t, conn, sql) {
		return
	}
	compare[box[T]](t, conn, sql)
}

// hopeless reports whether pgx can't scan a column into a T. If the column has a NULL pgx then tries all types of the
// server, in random order, so its error varies.
func hopeless[T any](t *testing.T, conn *pgx.Conn, sql string) bool {
	for _, mode := range modes {
		rows := query(t, conn, mode, sql)
		rows.Next()
		f := rows.FieldDescriptions()[0]
		rows.Close()
		scan := conn.TypeMap().PlanScan(f.DataTypeOID, f.Format, new(T))
		if fmt.Sprintf("%T", scan) == "*pgtype.scanPlanFail" {
			return true
		}
	}
	return false
}

func typeOf[T any]() reflect.Type  { return reflect.TypeFor[T]() }
func boxType[T any]() reflect.Type { return typeOf[box[T]]() }
