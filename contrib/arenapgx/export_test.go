package arenapgx

import (
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// Customers are the rows of select id, name, email from customers, for Examples.
func Customers() pgx.Rows {
	r := &replay{types: pgtype.NewMap(), fields: []pgconn.FieldDescription{
		{Name: "id", DataTypeOID: pgtype.Int8OID}, {Name: "name", DataTypeOID: pgtype.TextOID},
		{Name: "email", DataTypeOID: pgtype.TextOID},
	}}
	for _, row := range []string{"1 Ada ada@example.com", "2 Grace"} {
		values := make([][]byte, 3) // nil is NULL
		for i, v := range strings.Fields(row) {
			values[i] = []byte(v)
		}
		r.rows = append(r.rows, values)
	}
	return r
}
