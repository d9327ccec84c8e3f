package arenapgx

import (
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// A replay has rows without a server: for values that servers don't send, and for Examples, which run everywhere.
type replay struct {
	types  *pgtype.Map
	fields []pgconn.FieldDescription
	rows   [][][]byte
	next   int
	closed bool
	err    error
}

func (r *replay) Close()                                       { r.closed = true }
func (r *replay) Err() error                                   { return r.err }
func (r *replay) CommandTag() pgconn.CommandTag                { return pgconn.CommandTag{} }
func (r *replay) FieldDescriptions() []pgconn.FieldDescription { return r.fields }
func (r *replay) Values() ([]any, error)                       { panic("not used") }
func (r *replay) RawValues() [][]byte                          { return r.rows[r.next-1] }
func (r *replay) Conn() *pgx.Conn                              { return nil }
func (r *replay) TypeMap() *pgtype.Map                         { return r.types }

func (r *replay) Next() bool {
	if r.closed || r.next == len(r.rows) {
		r.closed = true
		return false
	}
	r.next++
	return true
}

func (r *replay) Scan(dest ...any) error {
	if err := pgx.ScanRow(r.types, r.fields, r.RawValues(), dest...); err != nil {
		r.err, r.closed = err, true
		return err
	}
	return nil
}

// recorded returns a function that returns the rows of a query again and again, without the server.
func recorded(tb testing.TB, conn *pgx.Conn, mode pgx.QueryExecMode, sql string) func() pgx.Rows {
	rows := query(tb, conn, mode, sql)
	r := replay{types: conn.TypeMap()}
	for rows.Next() {
		values := make([][]byte, len(rows.RawValues()))
		for i, v := range rows.RawValues() {
			if v != nil {
				values[i] = append([]byte{}, v...)
			}
		}
		r.rows = append(r.rows, values)
	}
	if rows.Err() != nil {
		return func() pgx.Rows { return query(tb, conn, mode, sql) }
	}
	r.fields = append(r.fields, rows.FieldDescriptions()...)
	return func() pgx.Rows {
		again := r
		return &again
	}
}
