package arenasql

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"io"
	"testing"

	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
)

// A repeater is a driver whose only row is the text of the statement, or its argument.
type repeater struct {
	answer
	text string
	args int
}

func (r repeater) Connect(context.Context) (driver.Conn, error) { return r, nil }
func (r repeater) NumInput() int                                { return r.args }
func (r repeater) Columns() []string                            { return []string{"v"} }

func (r repeater) Prepare(text string) (driver.Stmt, error) {
	r.text = text
	return r, nil
}

func (r repeater) Query(args []driver.Value) (driver.Rows, error) {
	return &repeated{repeater: r, values: append(args, r.text)[:1]}, nil
}

type repeated struct {
	repeater
	values []driver.Value
}

func (r *repeated) Next(dest []driver.Value) error {
	if len(r.values) == 0 {
		return io.EOF
	}
	dest[0], r.values = r.values[0], nil
	return nil
}

// TestKeeps: see docs/promises.md.
func TestKeeps(t *testing.T) {
	arenakit.Keeps(t, "database/sql", map[string]arenakit.Use{
		"the text of a prepared statement": func(s string) func() string {
			db := sql.OpenDB(repeater{})
			db.SetMaxIdleConns(-1) // each query has a new connection, on which the statement is prepared again
			stmt, err := db.Prepare(s)
			if err != nil {
				t.Fatal(err)
			}
			return func() string {
				var got string
				if err := stmt.QueryRow().Scan(&got); err != nil {
					t.Fatal(err)
				}
				return got
			}
		},
		"an argument of a query": func(s string) func() string {
			db := sql.OpenDB(repeater{args: 1})
			all := [2]*sql.Rows{ask(t, db, "", s), ask(t, db, "", s)}
			reads := 0
			return func() string {
				got, rows := "", all[min(reads, 1)]
				reads++
				if !rows.Next() {
					return "read twice"
				}
				if err := rows.Scan(&got); err != nil {
					t.Fatal(err)
				}
				return got
			}
		},
	})
}
