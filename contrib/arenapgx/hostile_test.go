package arenapgx

import (
	"database/sql"
	"fmt"
	"testing"
	"time"

	"github.com/harena-go/arena/internal/tests/testkit"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// oids are server types: all that are read directly, and others.
var oids = []uint32{
	pgtype.BoolOID, pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.Float4OID, pgtype.Float8OID, pgtype.TextOID,
	pgtype.VarcharOID, pgtype.ByteaOID, pgtype.UUIDOID, pgtype.DateOID, pgtype.TimestampOID, pgtype.TimestamptzOID,
	pgtype.NumericOID, pgtype.JSONOID, pgtype.JSONBOID, pgtype.Int2ArrayOID, pgtype.Int8ArrayOID, pgtype.TextArrayOID,
	pgtype.Float8ArrayOID, pgtype.TimestamptzArrayOID, pgtype.ByteaArrayOID, pgtype.InetOID, pgtype.IntervalOID,
	pgtype.Int4rangeOID,
}

// hostiles compares the results of reading any bytes.
var hostiles = []func(*testing.T, *replay){
	replayed[int8], replayed[int16], replayed[int32], replayed[int64], replayed[uint], replayed[uint64], replayed[float32],
	replayed[float64], replayed[bool], replayed[string], replayed[[]byte], replayed[[16]byte], replayed[time.Time],
	replayed[*int64], replayed[*string], replayed[*status], replayed[sql.NullInt32], replayed[sql.NullFloat64],
	replayed[sql.NullString], replayed[sql.NullTime], replayed[sql.Null[[]byte]], replayed[pgtype.Text],
	replayed[pgtype.Int4], replayed[pgtype.Float8], replayed[pgtype.UUID], replayed[pgtype.Numeric],
	replayed[[]int16], replayed[[]int64], replayed[[]*int64], replayed[[]string], replayed[[]pgtype.Text],
	replayed[[]float64], replayed[[]time.Time], replayed[[][]byte], replayed[doc], replayed[*doc],
}

// replayed reads a row with pgx and into each arena.
func replayed[T any](t *testing.T, r *replay) {
	t.Helper()
	start := *r
	want, wantErr := pgx.CollectRows(r, pgx.RowToStructByName[box[T]])
	for kind, a := range arenas() {
		*r = start
		got, err := Collect[box[T]](a, r, batch(kind))
		if fmt.Sprint(err) != fmt.Sprint(wantErr) || !r.closed || !testkit.Same(got, want) {
			t.Errorf("OID %d, format %d, % x into %T, %s arena:\n got %#v, %v\nwant %#v, %v",
				r.fields[0].DataTypeOID, r.fields[0].Format, r.rows[0][0], *new(T), kind, got, err, want, wantErr)
		}
		a.Free()
	}
	*r = start
}

// FuzzBytes reads any bytes as a value of any type. Values and errors must be pgx's.
func FuzzBytes(f *testing.F) {
	types := pgtype.NewMap()
	for i, oid := range oids {
		for _, v := range []any{
			int64(-5), 2.5, "text", []byte{0, 1}, true, time.Unix(1e9, 5e6), []int64{1, 2}, []string{"a", ""},
			[]float64{0.5, -1234.5678}, map[string]any{"a": 1}, [16]byte{1: 2},
		} {
			for format := range int16(2) {
				if b, err := types.Encode(oid, format, v, nil); err == nil {
					f.Add(uint8(i), format == 1, b)
				}
			}
		}
	}
	// -10^-32 with 100 digits behind the point, and an array that claims to be long.
	f.Add(uint8(13), true, []byte{0, 1, 0xff, 0xf8, 0x40, 0, 0, 100, 0, 1})
	f.Add(uint8(17), true, []byte{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 127, 255, 255, 255, 0, 0, 0, 1})
	// An array with a byte too many, and a time long before the calendar of PostgreSQL.
	f.Add(uint8(17), true, []byte{
		0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 20, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 5, 9,
	})
	f.Add(uint8(12), true, []byte{0xfb, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, which uint8, binary bool, src []byte) {
		oid := oids[int(which)%len(oids)]
		if oid == pgtype.NumericOID && binary && len(src) >= 8 && (src[2]+1 > 1 || src[6] > 0) {
			t.Skip("pgx takes seconds for thousands of digits")
		}
		r := &replay{types: types, rows: [][][]byte{{src}}, fields: []pgconn.FieldDescription{
			{Name: "v", DataTypeOID: oid},
		}}
		if binary {
			r.fields[0].Format = pgtype.BinaryFormatCode
		}
		for _, compare := range hostiles {
			compare(t, r)
		}
	})
}

// TestRowsOfAnotherLength: the server sends more or fewer values than it has announced.
func TestRowsOfAnotherLength(t *testing.T) {
	for _, values := range [][][]byte{{}, {[]byte("1"), []byte("2")}} {
		r := &replay{types: pgtype.NewMap(), rows: [][][]byte{values}, fields: []pgconn.FieldDescription{
			{Name: "v", DataTypeOID: pgtype.Int4OID},
		}}
		_, err := Collect[box[int]](nil, r)
		want := fmt.Sprintf("number of field descriptions must equal number of values, got 1 and %d", len(values))
		if fmt.Sprint(err) != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
