package arenapgx

import (
	"fmt"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit/arenakit"
	"github.com/jackc/pgx/v5"
)

// TestKeeps: see docs/promises.md.
func TestKeeps(t *testing.T) {
	arenakit.Keeps(t, "pgx", map[string]arenakit.Use{
		"the text of a query": func(s string) func() string {
			wrong, reads := wrongRows(t, connect(t)), 0
			return func() string {
				if reads++; reads > 1 && wrong > 0 {
					return fmt.Sprint(wrong, " rows of other queries")
				}
				return s
			}
		},
		"an argument of a query": func(s string) func() string {
			var asked []pgx.Rows
			for range 2 {
				rows, err := connect(t).Query(t.Context(), "select $1::text", s)
				if err != nil {
					t.Fatal(err)
				}
				asked = append(asked, rows)
			}
			reads := 0
			return func() (got string) { // of the first before the memory is reused, and then of the second
				rows := asked[min(reads, 1)]
				if reads++; rows.Next() {
					rows.Scan(&got)
				}
				return got
			}
		},
	})
}

// wrongRows counts queries that return the row of another, if all texts have the same memory. It stops at the first.
func wrongRows(t *testing.T, conn *pgx.Conn) (wrong int) {
	a := arena.NewArena()
	a.AllocString("select 0000")
	m := a.Mark()
	for i := 1000; i < 9000 && wrong == 0; i++ { // one in fifty is wrong
		a.Rewind(m)
		text := a.Sprintf("select %d", i)
		if got, err := CollectOne[int](nil, query(t, conn, pgx.QueryExecModeCacheStatement, text)); err == nil && got != i {
			wrong++
		}
	}
	return wrong
}
