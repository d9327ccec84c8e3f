package arenapgx

import (
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// This file tests that the plan of one connection isn't used for another that scans differently.

// A picky codec is one of pgtype, but scans some types in its own way.
type picky struct {
	pgtype.Int8Codec
	double bool
}

func (c picky) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	next := c.Int8Codec.PlanScan(m, oid, format, target)
	if c.double && next != nil {
		return doubling{next}
	}
	return next
}

func (c picky) DecodeDatabaseSQLValue(m *pgtype.Map, oid uint32, format int16, src []byte) (driver.Value, error) {
	v, err := c.Int8Codec.DecodeDatabaseSQLValue(m, oid, format, src)
	if n, ok := v.(int64); ok && c.double {
		v = 2 * n
	}
	return v, err
}

// A doubling plan scans a number twice as large.
type doubling struct{ next pgtype.ScanPlan }

func (p doubling) Scan(src []byte, dst any) error {
	err := p.next.Scan(src, dst)
	if v, ok := dst.(*int64); ok {
		*v *= 2
	}
	return err
}

// A pickyPointer is a codec with a pointer, whose target may change.
type pickyPointer struct{ *picky }

// A pickyList is a codec that can't be compared.
type pickyList struct {
	picky
	_ []int
}

// registrations change the types of a connection as programs do. Adjacent ones register types of one Go type with
// other contents.
var registrations = [][]func(*pgtype.Map){
	{func(*pgtype.Map) {}},
	each(pgtype.Int8OID, pgtype.Codec(picky{}), picky{double: true}),
	each(pgtype.Int8OID, pgtype.Codec(&picky{}), &picky{double: true}),
	each(pgtype.Int8OID, pgtype.Codec(pickyPointer{&picky{}}), pickyPointer{&picky{double: true}}),
	each(pgtype.Int8OID, pgtype.Codec(pickyList{}), pickyList{picky: picky{double: true}}),
	each(pgtype.Int8OID, pgtype.Codec(&pgtype.TextFormatOnlyCodec{Codec: picky{}}), &pgtype.TextFormatOnlyCodec{Codec: picky{double: true}}),
	each(pgtype.Int8OID, pgtype.Codec(pgtype.TextCodec{})),
	each(pgtype.Int8ArrayOID,
		pgtype.Codec(&pgtype.ArrayCodec{ElementType: &pgtype.Type{Name: "int8", OID: pgtype.Int8OID, Codec: picky{}}}),
		&pgtype.ArrayCodec{ElementType: &pgtype.Type{Name: "int8", OID: pgtype.Int8OID, Codec: picky{double: true}}},
		&pgtype.ArrayCodec{ElementType: &pgtype.Type{Name: "int4", OID: pgtype.Int4OID, Codec: pgtype.Int4Codec{}}}),
	each(pgtype.TimestamptzOID, pgtype.Codec(&pgtype.TimestamptzCodec{}),
		&pgtype.TimestamptzCodec{ScanLocation: time.UTC}, &pgtype.TimestamptzCodec{ScanLocation: time.FixedZone("x", 60)}),
	each(pgtype.TimestampOID, pgtype.Codec(&pgtype.TimestampCodec{}),
		&pgtype.TimestampCodec{ScanLocation: time.UTC}, &pgtype.TimestampCodec{ScanLocation: time.FixedZone("x", 60)}),
	each(pgtype.JSONOID, pgtype.Codec(&pgtype.JSONCodec{Unmarshal: json.Unmarshal}),
		&pgtype.JSONCodec{Unmarshal: refuse("a")}, &pgtype.JSONCodec{Unmarshal: refuse("b")}),
	each(pgtype.JSONBOID, pgtype.Codec(&pgtype.JSONBCodec{Unmarshal: json.Unmarshal}),
		&pgtype.JSONBCodec{Unmarshal: refuse("a")}, &pgtype.JSONBCodec{Unmarshal: refuse("b")}),
	{wrapping(1), wrapping(2)},
}

// each registers one of several codecs for a type.
func each(oid uint32, codecs ...pgtype.Codec) (all []func(*pgtype.Map)) {
	for _, c := range codecs {
		all = append(all, func(m *pgtype.Map) {
			m.RegisterType(&pgtype.Type{Name: fmt.Sprint("type", oid), OID: oid, Codec: c})
		})
	}
	return all
}

func refuse(why string) func([]byte, any) error {
	return func([]byte, any) error { return fmt.Errorf("no JSON: %s", why) }
}

// wrapping adds a function that wraps targets. The functions differ only in their captured variables.
func wrapping(n int64) func(*pgtype.Map) {
	return func(m *pgtype.Map) {
		m.TryWrapScanPlanFuncs = append([]pgtype.TryWrapScanPlanFunc{
			func(target any) (pgtype.WrappedScanPlanNextSetter, any, bool) {
				a, ok := target.(*amount)
				return &adding{n: n}, (*int32)(a), ok
			}}, m.TryWrapScanPlanFuncs...)
	}
}

type adding struct {
	next pgtype.ScanPlan
	n    int64
}

func (p *adding) SetNext(next pgtype.ScanPlan) { p.next = next }

func (p *adding) Scan(src []byte, dst any) error {
	err := p.next.Scan(src, (*int32)(dst.(*amount)))
	*dst.(*amount) += amount(p.n)
	return err
}

// TestConnectionsInTurn compares with pgx, for connections whose types have the same Go types and other contents.
func TestConnectionsInTurn(t *testing.T) {
	var maps []*pgtype.Map
	for _, row := range registrations {
		for _, register := range row {
			m := pgtype.NewMap()
			register(m)
			maps = append(maps, m)
		}
	}
	encoded := map[uint32]any{
		pgtype.Int8OID: int64(21), pgtype.Int8ArrayOID: []int64{21, 22}, pgtype.TimestamptzOID: time.Unix(1e9, 0),
		pgtype.TimestampOID: time.Unix(1e9, 0).UTC(), pgtype.JSONOID: `{"a":1}`, pgtype.JSONBOID: `{"a":1}`,
		pgtype.TextOID: "21", pgtype.Int4OID: int32(21), pgtype.TimestamptzArrayOID: []time.Time{time.Unix(1e9, 0)},
	}
	for range 2 {
		for i, m := range maps {
			for oid, v := range encoded {
				for format := range int16(2) {
					src, err := pgtype.NewMap().Encode(oid, format, v, nil)
					if err != nil {
						t.Fatal(oid, err)
					}
					r := &replay{types: m, rows: [][][]byte{{src}}, fields: []pgconn.FieldDescription{
						{Name: "v", DataTypeOID: oid, Format: format},
					}}
					t.Run(fmt.Sprintf("map %d, OID %d, format %d", i, oid, format), func(t *testing.T) {
						for _, compare := range hostiles {
							compare(t, r)
						}
						replayed[amount](t, r)
						replayed[[]amount](t, r)
						replayed[sql.NullInt64](t, r)
						replayed[[]sql.NullInt64](t, r)
					})
				}
			}
		}
	}
}
