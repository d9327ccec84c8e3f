package arenasql

import (
	"database/sql"
	"iter"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenaext"
)

// Collect returns all rows, in an arena, and closes them.
func Collect[T any](a *arena.Arena, rows *sql.Rows, mode ...Mode) ([]T, error) {
	s := newScanner[T](a, rows, mode).lend()
	defer batches.Put(s.batch)
	return arenaext.CollectRows[T](s.arena, rows, s)
}

// CollectAddr returns pointers to all rows, and does else what [Collect] does.
func CollectAddr[T any](a *arena.Arena, rows *sql.Rows, mode ...Mode) ([]*T, error) {
	s := newScanner[T](a, rows, mode).lend()
	defer batches.Put(s.batch)
	return arenaext.CollectRowAddrs[T](s.arena, rows, s)
}

// CollectOne returns the first row, and closes the rows, as [sql.Row.Scan] does: without a row the error is
// sql.ErrNoRows. The T is a copy, and what it points to is in the arena. With an error it is zero.
func CollectOne[T any](a *arena.Arena, rows *sql.Rows, mode ...Mode) (T, error) {
	s := newScanner[T](a, rows, mode).lend()
	defer batches.Put(s.batch)
	return arenaext.OneRow[T](s.arena, rows, s, sql.ErrNoRows, nil)
}

// Each returns the rows one after the other, in the memory of one: before each row the arena is rewound to where it was
// at the first. So a row, and what the body of the loop allocated from the arena, is dead when the next row is read;
// in a Pool without reuse it stays valid. An error ends the loop, with a nil row. The rows are closed at the end, also
// after break.
func Each[T any](a *arena.Arena, rows *sql.Rows, mode ...Mode) iter.Seq2[*T, error] {
	return arenaext.EachRow[T](a, rows, func(a *arena.Arena) arenaext.RowReader { return newScanner[T](a, rows, mode) })
}
