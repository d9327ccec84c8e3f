package arenapgx

import (
	"iter"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/jackc/pgx/v5"
)

// Collect returns all rows, in an arena, and closes them. It does what pgx.CollectRows does with
// pgx.RowToStructByName, or in a mode with the function that the mode stands for.
func Collect[T any](a *arena.Arena, rows pgx.Rows, mode ...Mode) ([]T, error) {
	defer rows.Close()
	s := newScanner[T](a, rows, mode)
	all := []T{}
	for rows.Next() {
		if len(all) == cap(all) {
			all = arena.Grow(a, all, max(firstRows, len(all)))
		}
		all = all[:len(all)+1]
		if err := s.row(unsafe.Pointer(&all[len(all)-1])); err != nil {
			return nil, err
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return trim(a, all), nil
}

// firstRows is for how many rows there is room at first. What isn't used returns to the arena.
const firstRows = 16

// trim returns the room behind a slice to the arena if nothing was allocated since.
func trim[T any](a *arena.Arena, s []T) []T {
	if len(s) == cap(s) {
		return s
	}
	p := unsafe.Pointer(unsafe.SliceData(s))
	return s[:len(s):keyOf[T]().For(a).Trim(p, len(s), cap(s))]
}

// CollectAddr returns pointers to all rows, and does else what [Collect] does.
func CollectAddr[T any](a *arena.Arena, rows pgx.Rows, mode ...Mode) ([]*T, error) {
	defer rows.Close()
	s := newScanner[T](a, rows, mode)
	all := []*T{}
	typed := arena.For[T](a)
	for rows.Next() {
		p := typed.New()
		if err := s.row(unsafe.Pointer(p)); err != nil {
			return nil, err
		}
		all = arena.Append(a, all, p)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return all, nil
}

// CollectOne returns the first row, and closes the rows. It does what pgx.CollectOneRow does: without a row the error
// is pgx.ErrNoRows. The T is a copy, and what it points to is in the arena.
func CollectOne[T any](a *arena.Arena, rows pgx.Rows, mode ...Mode) (T, error) {
	return one[T](a, rows, mode, false)
}

// CollectExactlyOne returns the only row. It does what pgx.CollectExactlyOneRow does: if there are more rows the error
// is pgx.ErrTooManyRows.
func CollectExactlyOne[T any](a *arena.Arena, rows pgx.Rows, mode ...Mode) (T, error) {
	return one[T](a, rows, mode, true)
}

func one[T any](a *arena.Arena, rows pgx.Rows, mode []Mode, exactly bool) (zero T, err error) {
	defer rows.Close()
	s := newScanner[T](a, rows, mode)
	if !rows.Next() {
		if err := rows.Err(); err != nil {
			return zero, err
		}
		return zero, pgx.ErrNoRows
	}
	p := arena.New[T](a)
	if err := s.row(unsafe.Pointer(p)); err != nil {
		return zero, err
	}
	if exactly && rows.Next() {
		return zero, pgx.ErrTooManyRows
	}
	rows.Close()
	return *p, rows.Err()
}

// Each returns the rows one after the other, in the memory of one: before each row the arena is rewound to where it was
// when the loop began. So a row, and what the body of the loop allocated from the arena, is dead when the next row
// is read. An error ends the loop, with a nil row. The rows are closed at the end, also after break.
func Each[T any](a *arena.Arena, rows pgx.Rows, mode ...Mode) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		defer rows.Close()
		s := newScanner[T](a, rows, mode)
		var p *T
		var mark arena.Mark
		for first := true; rows.Next(); first = false {
			switch {
			case a == nil:
				p = new(T)
			case first:
				s.prepare()
				p = arena.New[T](a)
				mark = a.Mark()
			default:
				a.Rewind(mark)
				var zero T
				*p = zero
			}
			if err := s.row(unsafe.Pointer(p)); err != nil {
				yield(nil, err)
				return
			}
			if !yield(p, nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, err)
		}
	}
}
