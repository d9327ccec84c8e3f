package arenapgx

import (
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// An order is a row of the suite rows of bench.
type order struct {
	ID       int64
	Customer int32
	Email    string
	Status   string
	Note     *string
	Total    float64
	Paid     bool
	Created  time.Time
	Shipped  *time.Time
}

const selectOrders = `select i::int8 as id, mod(i * 7919, 1000)::int4 as customer,
	'customer' || i || '@example.com' as email, (array['pending', 'paid', 'shipped'])[mod(i, 3) + 1] as status,
	case when mod(i, 2) = 0 then 'leave it at the door of number ' || i end as note, (i * 1.25)::float8 as total,
	mod(i, 3) > 0 as paid, '2024-01-01'::timestamptz + i * interval '1 minute' as created,
	case when mod(i, 4) = 0 then '2024-02-01'::timestamptz + i * interval '1 hour' end as shipped
	from generate_series(1, %d) i`

// BenchmarkCollect compares reading with pgx's, for rows in memory and for the server's.
func BenchmarkCollect(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1000} {
		sql := fmt.Sprintf(selectOrders, n)
		conn := connect(b)
		for from, ask := range map[string]func() pgx.Rows{
			"memory": recorded(b, conn, pgx.QueryExecModeCacheStatement, sql),
			"server": func() pgx.Rows { return query(b, conn, pgx.QueryExecModeCacheStatement, sql) },
		} {
			for name, collect := range map[string]func(pgx.Rows) ([]order, error){
				"pgx":   func(r pgx.Rows) ([]order, error) { return pgx.CollectRows(r, pgx.RowToStructByName[order]) },
				"nil":   func(r pgx.Rows) ([]order, error) { return Collect[order](nil, r) },
				"batch": func(r pgx.Rows) ([]order, error) { return Collect[order](nil, r, Batch) },
			} {
				b.Run(fmt.Sprintf("%s/rows=%d/%s", from, n, name), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						if all, err := collect(ask()); len(all) != n || err != nil {
							b.Fatal(len(all), err)
						}
					}
				})
			}
		}
	}
}
