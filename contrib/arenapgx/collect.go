package arenapgx

import (
	"iter"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
	"github.com/jackc/pgx/v5"
)

// Collect returns all rows, in an arena, and closes them. It does what pgx.CollectRows does with
// pgx.RowToStructByName, or in a mode with the function that the mode stands for.
func Collect[T any](a *arena.Arena, rows pgx.Rows, mode ...Mode) ([]T, error) {
	s := newScanner[T](a, rows, mode).lend()
	defer batches.Put(s.batch)
	return arenaext.CollectRows[T](s.arena, source{rows}, s)
}

// CollectAddr returns pointers to all rows, and does else what [Collect] does.
func CollectAddr[T any](a *arena.Arena, rows pgx.Rows, mode ...Mode) ([]*T, error) {
	s := newScanner[T](a, rows, mode).lend()
	defer batches.Put(s.batch)
	return arenaext.CollectRowAddrs[T](s.arena, source{rows}, s)
}

// CollectOne returns the first row, and closes the rows. It does what pgx.CollectOneRow does: without a row the error
// is pgx.ErrNoRows. The T is a copy, and what it points to is in the arena. With an error it is zero.
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

// Each returns the rows one after the other, in the memory of one: before each row the arena is rewound to where it was
// at the first. So a row, and what the body of the loop allocated from the arena, is dead when the next row is read;
// in a Pool without reuse it stays valid. An error ends the loop, with a nil row. The rows are closed at the end, also
// after break.
func Each[T any](a *arena.Arena, rows pgx.Rows, mode ...Mode) iter.Seq2[*T, error] {
	return arenaext.EachRow[T](a, source{rows}, func(a *arena.Arena) arenaext.RowReader {
		return newScanner[T](a, rows, mode)
	})
}

// A source gives the rows of pgx a Close as that of other packages.
type source struct{ pgx.Rows }

func (s source) Close() error {
	s.Rows.Close()
	return nil
}
