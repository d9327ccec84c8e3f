package arenas

import (
	"context"
	"database/sql"
	"strings"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/contrib/arenasql"
)

type sqlite struct{ db *sql.DB }

// columnsWithText has the items as text.
var columnsWithText = strings.Replace(columns, "items", "items as text", 1)

// SQLite returns the orders in an SQLite database, which keeps items as text.
func SQLite(db *sql.DB) Store { return sqlite{db} }

func (s sqlite) Add(ctx context.Context, o *Order) error {
	items, err := arenajson.Marshal(arena.FromContext(ctx), o.Items)
	if err != nil {
		return err
	}
	return s.db.QueryRowContext(ctx, `insert into orders (customer, street, city, status, note, items, total)
		values (?, ?, ?, ?, ?, ?, ?) returning id, created`,
		o.Customer, o.Street, o.City, o.Status, o.Note, string(items), o.Total).Scan(&o.ID, &o.Created)
}

func (s sqlite) Get(ctx context.Context, id int64) (*Order, error) {
	orders, err := s.query(ctx, columnsWithText+" where id = ?", id)
	if err == nil && len(orders) == 0 {
		err = errNotFound
	}
	if err != nil {
		return nil, err
	}
	return &orders[0], nil
}

func (s sqlite) Last(ctx context.Context, n int) ([]Order, error) {
	return s.query(ctx, columnsWithText+" order by id desc limit ?", n)
}

func (s sqlite) query(ctx context.Context, query string, args ...any) ([]Order, error) {
	rows, err := s.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	a := arena.FromContext(ctx)
	all, err := arenasql.Collect[row](a, rows, arenasql.Lax)
	orders := arena.MakeSlice[Order](a, 0, len(all))
	for i := range all {
		if err := arenajson.Unmarshal(a, all[i].Text, &all[i].Items); err != nil {
			return nil, err
		}
		orders = append(orders, all[i].Order)
	}
	return orders, err
}

// A row is an order whose items are still text.
type row struct {
	Order
	Text []byte `db:"text"`
}
