package arenapgx

import (
	"iter"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"github.com/jackc/pgx/v5"
)

// Collect returns all rows, allocated from an arena, and closes them. It does what pgx.CollectRows does with
// pgx.RowToStructByName, or with the function that the mode names.
func Collect[T any](a *arena.Arena, rows pgx.Rows, mode ...Mode) ([]T, error) {
	s := newScanner[T](a, rows, mode).lend()
	defer batches.Put(s.batch)
	return arenaext.CollectRows[T](s.arena, source{rows}, s)
}

// CollectAddr is [Collect] with pointers to the rows.
func CollectAddr[T any](a *arena.Arena, rows pgx.Rows, mode ...Mode) ([]*T, error) {
	s := newScanner[T](a, rows, mode).lend()
	defer batches.Put(s.batch)
	return arenaext.CollectRowAddrs[T](s.arena, source{rows}, s)
}

// CollectOne returns the first row, and closes the rows. It does what pgx.CollectOneRow does: without a row the error
// is pgx.ErrNoRows. The T is a copy, whose pointers lead to the arena. It is zero if there is an error.
func CollectOne[T any](a *arena.Arena, rows pgx.Rows, mode ...Mode) (T, error) {
	s := newScanner[T](a, rows, mode).lend()
	defer batches.Put(s.batch)
	return arenaext.OneRow[T](s.arena, source{rows}, s, pgx.ErrNoRows, nil)
}

// CollectExactlyOne returns the only row. It does what pgx.CollectExactlyOneRow does: if there are more rows the error
// is pgx.ErrTooManyRows.
func CollectExactlyOne[T any](a *arena.Arena, rows pgx.Rows, mode ...Mode) (T, error) {
	s := newScanner[T](a, rows, mode).lend()
	defer batches.Put(s.batch)
	return arenaext.OneRow[T](s.arena, source{rows}, s, pgx.ErrNoRows, pgx.ErrTooManyRows)
}

// Each returns the rows one after the other, in the memory of one: before each further row the arena is rewound. So
// reading the next row ends the life of the row, and of the loop body's allocations from the arena; in a Pool without
// reuse they stay valid. An error ends the loop, with a nil row. The rows are closed at the end, also after break.
func Each[T any](a *arena.Arena, rows pgx.Rows, mode ...Mode) iter.Seq2[*T, error] {
	return arenaext.EachRow[T](a, source{rows}, func(a *arena.Arena) arenaext.RowReader {
		return newScanner[T](a, rows, mode)
	})
}

// A source is pgx's rows with a Close that returns an error.
type source struct{ pgx.Rows }

func (s source) Close() error {
	s.Rows.Close()
	return nil
}
