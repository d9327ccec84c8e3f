package arenas

import (
	"context"
	"errors"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/contrib/arenapgx"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

const columns = "select id, customer, street, city, status, note, items, total, created from orders"

type postgres struct{ pool *pgxpool.Pool }

// Postgres returns the orders in a PostgreSQL database.
func Postgres(pool *pgxpool.Pool) Store { return postgres{pool} }

func (p postgres) Add(ctx context.Context, o *Order) error {
	items, err := arenajson.Marshal(arena.FromContext(ctx), o.Items)
	if err != nil {
		return err
	}
	return p.pool.QueryRow(ctx, `insert into orders (customer, street, city, status, note, items, total)
		values ($1, $2, $3, $4, $5, $6, $7) returning id, created`,
		o.Customer, o.Street, o.City, o.Status, o.Note, items, o.Total).Scan(&o.ID, &o.Created)
}

func (p postgres) Get(ctx context.Context, id int64) (*Order, error) {
	rows, _ := p.pool.Query(ctx, columns+" where id = $1", id)
	a := arena.FromContext(ctx)
	o := arena.New[Order](a)
	var err error
	*o, err = arenapgx.CollectOne[Order](a, rows)
	if errors.Is(err, pgx.ErrNoRows) {
		err = errNotFound
	}
	return o, err
}

func (p postgres) Last(ctx context.Context, n int) ([]Order, error) {
	rows, _ := p.pool.Query(ctx, columns+" order by id desc limit $1", n)
	return arenapgx.Collect[Order](arena.FromContext(ctx), rows)
}
