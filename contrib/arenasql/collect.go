package arenasql

import (
	"database/sql"
	"iter"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
)

// Collect returns all rows, allocated from an arena, and closes them.
func Collect[T any](a *arena.Arena, rows *sql.Rows, mode ...Mode) ([]T, error) {
	s := newScanner[T](a, rows, mode).lend()
	defer batches.Put(s.batch)
	return arenaext.CollectRows[T](s.arena, rows, s)
}

// CollectAddr is [Collect] with pointers to the rows.
func CollectAddr[T any](a *arena.Arena, rows *sql.Rows, mode ...Mode) ([]*T, error) {
	s := newScanner[T](a, rows, mode).lend()
	defer batches.Put(s.batch)
	return arenaext.CollectRowAddrs[T](s.arena, rows, s)
}

// CollectOne returns the first row, and closes the rows, as [sql.Row.Scan] does: without a row the error is
// sql.ErrNoRows. The T is a copy, whose pointers lead to the arena. It is zero if there is an error.
func CollectOne[T any](a *arena.Arena, rows *sql.Rows, mode ...Mode) (T, error) {
	s := newScanner[T](a, rows, mode).lend()
	defer batches.Put(s.batch)
	return arenaext.OneRow[T](s.arena, rows, s, sql.ErrNoRows, nil)
}

// Each returns the rows one after the other, in the memory of one: before each further row the arena is rewound. So
// reading the next row ends the life of the row, and of the loop body's allocations from the arena; in a Pool without
// reuse they stay valid. An error ends the loop, with a nil row. The rows are closed at the end, also after break.
func Each[T any](a *arena.Arena, rows *sql.Rows, mode ...Mode) iter.Seq2[*T, error] {
	return arenaext.EachRow[T](a, rows, func(a *arena.Arena) arenaext.RowReader { return newScanner[T](a, rows, mode) })
}
