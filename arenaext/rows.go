package arenaext

import (
	"cmp"
	"iter"
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
)

// This file holds the loops over the rows of a database. It must not depend on how a column is read.

// A RowSource is the result of a query.
type RowSource interface {
	Next() bool
	Err() error
	Close() error
}

// A RowReader reads rows of a result.
type RowReader interface {
	// Prepare is called before the first row, when its columns are known.
	Prepare()

	// Row reads the current row to p, which is zero.
	Row(p unsafe.Pointer) error
}

// firstRows is the number of rows with room at first. Unused room returns to the arena.
const firstRows = 16

// CollectRows returns all rows, and closes them.
func CollectRows[T any](a *arena.Arena, s RowSource, r RowReader) ([]T, error) {
	defer s.Close()
	all := []T{}
	for s.Next() {
		if len(all) == cap(all) {
			if len(all) == 0 {
				r.Prepare()
			}
			all = arena.Grow(a, all, max(firstRows, len(all)))
		}
		all = all[:len(all)+1]
		if err := r.Row(unsafe.Pointer(&all[len(all)-1])); err != nil {
			return nil, err
		}
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	if len(all) < cap(all) {
		p := unsafe.Pointer(unsafe.SliceData(all))
		all = all[:len(all):arena.KeyOf(reflect.TypeFor[T]()).For(a).Trim(p, len(all), cap(all))]
	}
	return all, nil
}

// CollectRowAddrs returns pointers to all rows, and closes them.
func CollectRowAddrs[T any](a *arena.Arena, s RowSource, r RowReader) ([]*T, error) {
	defer s.Close()
	all := []*T{}
	typed := arena.For[T](a)
	for s.Next() {
		if len(all) == 0 {
			r.Prepare()
		}
		p := typed.New()
		if err := r.Row(unsafe.Pointer(p)); err != nil {
			return nil, err
		}
		all = arena.Append(a, all, p)
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	return all, nil
}

// OneRow returns the first row, and closes the result. none is the error if there is no row, and more, if it isn't nil,
// the error if there are several.
func OneRow[T any](a *arena.Arena, s RowSource, r RowReader, none, more error) (zero T, err error) {
	defer s.Close()
	if !s.Next() {
		if err := s.Err(); err != nil {
			return zero, err
		}
		return zero, none
	}
	r.Prepare()
	p := arena.New[T](a)
	if err := r.Row(unsafe.Pointer(p)); err != nil {
		return zero, err
	}
	if more != nil && s.Next() {
		return zero, more
	}
	if err := cmp.Or(s.Close(), s.Err()); err != nil {
		return zero, err
	}
	return *p, nil
}

// EachRow returns the rows one after the other, each in the memory of the one before, and closes the result. reader
// returns a reader to an arena, which is a child if a is self-contained: there a Rewind releases KeepAlive values only
// if there are no older values. Checked arenas and race builds don't reuse memory at once, so they find uses of a row
// after its turn.
func EachRow[T any](a *arena.Arena, s RowSource, reader func(a *arena.Arena) RowReader) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		defer s.Close()
		in := a
		if a.SelfContained() {
			in = a.Child()
			defer in.Free()
		}
		r := reader(in)
		var row, body arena.Mark
		for first := true; s.Next(); first = false {
			if first {
				r.Prepare()
				row, body = in.Mark(), a.Mark()
			} else {
				in.Rewind(row)
				a.Rewind(body)
			}
			p := arena.New[T](in)
			if err := r.Row(unsafe.Pointer(p)); err != nil {
				yield(nil, err)
				return
			}
			if !yield(p, nil) {
				return
			}
		}
		if err := s.Err(); err != nil {
			yield(nil, err)
		}
	}
}
