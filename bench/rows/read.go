package rows

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/contrib/arenapgx"
	"github.com/harena-go/arena/contrib/arenasql"
	"github.com/jackc/pgx/v5"
	_ "github.com/jackc/pgx/v5/stdlib"
)

// An order is a row.
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

// The table is the same for each peer. It is temporary, so that it belongs to the connection.
const create = `create temporary table orders as select i::int8 as id, mod(i * 7919, 1000)::int4 as customer,
	'customer' || i || '@example.com' as email, (array['pending', 'paid', 'shipped'])[mod(i, 3) + 1] as status,
	case when mod(i, 2) = 0 then 'leave it at the door of number ' || i end as note, (i * 1.25)::float8 as total,
	mod(i, 3) > 0 as paid, '2024-01-01'::timestamptz + i * interval '1 minute' as created,
	case when mod(i, 4) = 0 then '2024-02-01'::timestamptz + i * interval '1 hour' end as shipped
	from generate_series(1, 10000) i`

const ask = "select * from orders limit $1"

// A read queries n rows. It returns the sum of all fields of the rows that it kept if sum is set.
type read func(n int, sum bool) (uint64, error)

// reader connects to the server, and returns a peer's read.
func reader(ctx context.Context, peer, url string) (read, error) {
	switch peer {
	case suite.DatabaseSQL, suite.HarenaSQL:
		return bySQL(ctx, peer, url)
	}
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, create); err != nil {
		return nil, err
	}
	a := arena.NewArena()
	switch peer {
	case suite.BytesAlone:
		return func(n int, _ bool) (uint64, error) {
			rows, _ := conn.Query(ctx, ask, n)
			for rows.Next() {
				if len(rows.RawValues()) != 9 {
					return 0, fmt.Errorf("a row has %d values", len(rows.RawValues()))
				}
			}
			return 0, rows.Err()
		}, nil
	case suite.Pgx:
		return func(n int, sum bool) (uint64, error) {
			rows, _ := conn.Query(ctx, ask, n)
			return total(n, sum)(pgx.CollectRows(rows, pgx.RowToStructByName[order]))
		}, nil
	case suite.PgxScan:
		return func(n int, sum bool) (uint64, error) {
			rows, _ := conn.Query(ctx, ask, n)
			return total(n, sum)(scan(rows))
		}, nil
	case suite.Harena:
		return func(n int, sum bool) (uint64, error) {
			a.Reset()
			rows, _ := conn.Query(ctx, ask, n)
			return total(n, sum)(arenapgx.Collect[order](a, rows))
		}, nil
	case suite.HarenaEach:
		return func(n int, sum bool) (s uint64, err error) {
			a.Reset()
			rows, _ := conn.Query(ctx, ask, n)
			for o, err := range arenapgx.Each[order](a, rows) {
				if err != nil {
					return 0, err
				}
				if sum {
					s += o.sum()
				}
			}
			return s, nil
		}, nil
	}
	return nil, fmt.Errorf("the suite rows knows no peer %q", peer)
}

func bySQL(ctx context.Context, peer, url string) (read, error) {
	db, err := sql.Open("pgx", url)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // the table is that of a connection
	if _, err := db.ExecContext(ctx, create); err != nil {
		return nil, err
	}
	a := arena.NewArena()
	return func(n int, sum bool) (uint64, error) {
		rows, err := db.QueryContext(ctx, ask, n)
		if err != nil {
			return 0, err
		}
		if peer == suite.DatabaseSQL {
			defer rows.Close()
			return total(n, sum)(scan(rows))
		}
		a.Reset()
		return total(n, sum)(arenasql.Collect[order](a, rows))
	}, nil
}

// scan reads rows by hand.
func scan(rows interface {
	Next() bool
	Scan(...any) error
	Err() error
}) (all []order, err error) {
	for rows.Next() {
		var o order
		if err := rows.Scan(&o.ID, &o.Customer, &o.Email, &o.Status, &o.Note, &o.Total, &o.Paid, &o.Created,
			&o.Shipped); err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, rows.Err()
}

// total returns a function that checks that there are n orders, and adds them up if wanted is set.
func total(n int, wanted bool) func([]order, error) (uint64, error) {
	return func(all []order, err error) (sum uint64, _ error) {
		if err == nil && len(all) != n {
			err = fmt.Errorf("%d rows instead of %d", len(all), n)
		}
		if wanted {
			for i := range all {
				sum += all[i].sum()
			}
		}
		return sum, err
	}
}

func (o *order) sum() uint64 {
	s := uint64(o.ID)*3 + uint64(o.Customer)*5 + uint64(o.Total*4)*7 + uint64(o.Created.Unix())*11
	for _, text := range []*string{&o.Email, &o.Status, o.Note} {
		if text != nil {
			for _, c := range []byte(*text) {
				s = s*31 + uint64(c)
			}
		}
	}
	if o.Shipped != nil {
		s += uint64(o.Shipped.Unix()) * 13
	}
	if o.Paid {
		s++
	}
	return s
}
