// Package pgx has what programs call of the package of that name.
package pgx

import "context"

type Conn struct{}

func (*Conn) Query(ctx context.Context, sql string, args ...any) (Rows, error) { return nil, nil }
func (*Conn) Exec(ctx context.Context, sql string, args ...any) (struct{}, error) {
	return struct{}{}, nil
}

type Tx interface {
	QueryRow(ctx context.Context, sql string, args ...any) Row
}

type Row interface{ Scan(dest ...any) error }

type Rows interface {
	Row
	Close()
}
