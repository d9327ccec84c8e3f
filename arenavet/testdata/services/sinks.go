package services

import (
	"context"

	"github.com/harena-go/arena"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/prometheus/client_golang/prometheus"
)

// A database keeps the text of a query as the key of its statement cache, and a metric keeps the values of its labels.
type sinkStore struct {
	conn     *pgx.Conn
	pool     *pgxpool.Pool
	requests *prometheus.CounterVec
}

var sinkLives = arena.NewPool(arena.WithReuse())

func (s *sinkStore) BadConnQuery(ctx context.Context, table string) error {
	return sinkLives.Do(func(a *arena.Arena) error {
		rows, err := s.conn.Query(ctx, a.Sprintf("select * from %s", table))
		if err == nil {
			rows.Close()
		}
		return err
	})
}

func (s *sinkStore) BadPoolQuery(ctx context.Context, table string) error {
	return sinkLives.Do(func(a *arena.Arena) error {
		_, err := s.pool.Query(ctx, arena.Concat(a, "select * from ", table))
		return err
	})
}

func (s *sinkStore) BadTxQuery(ctx context.Context, tx pgx.Tx, table string) (n int, err error) {
	err = sinkLives.Do(func(a *arena.Arena) error {
		return tx.QueryRow(ctx, a.Sprintf("select count(*) from %s", table)).Scan(&n)
	})
	return n, err
}

func (s *sinkStore) BadLabelValue(route string) error {
	return sinkLives.Do(func(a *arena.Arena) error {
		s.requests.WithLabelValues(a.ToUpper(route), "200").Inc()
		return nil
	})
}

func (s *sinkStore) BadLabelMap(route string) error {
	return sinkLives.Do(func(a *arena.Arena) error {
		s.requests.With(prometheus.Labels{"route": a.ToUpper(route)}).Inc()
		return nil
	})
}

func (s *sinkStore) OKQueryArguments(ctx context.Context, name string) error {
	return sinkLives.Do(func(a *arena.Arena) error {
		_, err := s.conn.Query(ctx, "select * from orders where name = $1", a.ToUpper(name))
		if err != nil {
			return err
		}
		_, err = s.conn.Exec(ctx, a.Sprintf("vacuum %s", name))
		return err
	})
}

func (s *sinkStore) OKQueryCopies(ctx context.Context, name string) error {
	return sinkLives.Do(func(a *arena.Arena) error {
		_, err := s.pool.Query(ctx, arena.Clone(a.Sprintf("select * from %s", name)))
		s.requests.WithLabelValues(arena.Clone(a.ToUpper(name)), "200").Inc()
		return err
	})
}
