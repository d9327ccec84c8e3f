package arenapgx

import (
	"runtime"
	"testing"

	"github.com/harena-go/arena"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
)

// numbered returns rows with the columns id and name.
func numbered(n int) *replay {
	r := &replay{types: pgtype.NewMap(), fields: []pgconn.FieldDescription{
		{Name: "id", DataTypeOID: pgtype.Int8OID}, {Name: "name", DataTypeOID: pgtype.Int4OID},
	}}
	for i := range n {
		digit := []byte{'0' + byte(i%10)}
		r.rows = append(r.rows, [][]byte{digit, digit})
	}
	return r
}

type plainRow struct{ ID, Name int }

type textRow struct {
	ID   int
	Name string
}

// TestEachFindsOldRows: a row that is used after its turn is found, with pointers or without, in each kind of arena.
func TestEachFindsOldRows(t *testing.T) {
	for _, opts := range [][]arena.PoolOption{nil, {arena.WithNoScan()}} {
		if n := reports(oldRow[plainRow], opts...); n == 0 {
			t.Errorf("a plain row isn't found, %d options", len(opts))
		}
		if n := reports(oldRow[textRow], opts...); n == 0 {
			t.Errorf("a row isn't found, %d options", len(opts))
		}
		if n := reports(everyRow[textRow], opts...); n > 0 {
			t.Errorf("%d reports of right code, %d options", n, len(opts))
		}
	}
}

// oldRow keeps the second of some rows.
func oldRow[T any](a *arena.Arena, check func()) {
	var best *T
	n := 0
	for row, err := range Each[T](a, numbered(9)) {
		if err != nil {
			panic(err)
		}
		if n++; n == 2 {
			best = row
		}
	}
	check()
	runtime.KeepAlive(best)
}

// everyRow uses each row in its turn.
func everyRow[T any](a *arena.Arena, check func()) {
	for row, err := range Each[T](a, numbered(9)) {
		if err != nil {
			panic(err)
		}
		runtime.KeepAlive(row)
	}
	check()
}

// reports counts the escapes found while f uses a checked arena.
func reports(f func(a *arena.Arena, check func()), opts ...arena.PoolOption) (n int) {
	pool := arena.NewPool(append([]arena.PoolOption{arena.WithReuse()}, append(opts, arena.WithCheckRate(1), arena.OnEscape(func(arena.Escape) { n++ }))...)...)
	a := pool.Get()
	f(a, arena.FindEscapes)
	pool.Put(a)
	return n
}
