package plain

import (
	"context"
	"database/sql"
	"encoding/json"
	"strings"
)

type sqlite struct{ db *sql.DB }

// columnsWithText has the items as text.
var columnsWithText = strings.Replace(columns, "items", "items as text", 1)

// SQLite returns the orders in an SQLite database, which keeps items as text.
func SQLite(db *sql.DB) Store { return sqlite{db} }

func (s sqlite) Add(ctx context.Context, o *Order) error {
	items, err := json.Marshal(o.Items)
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
	defer rows.Close()
	orders := []Order{}
	for rows.Next() {
		var o Order
		var items []byte
		err := rows.Scan(&o.ID, &o.Customer, &o.Street, &o.City, &o.Status, &o.Note, &items, &o.Total, &o.Created)
		if err == nil {
			err = json.Unmarshal(items, &o.Items)
		}
		if err != nil {
			return nil, err
		}
		orders = append(orders, o)
	}
	return orders, rows.Err()
}
