package arenaext

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/layout"
)

// DriverColumns are the columns of the current row that are left to the driver. It scans them into their fields. A
// self-contained arena must not point to what a driver allocates: there it scans them into memory of the heap. Strings
// and bytes are then copied into the arena, and other values stay alive beside the fields.
type DriverColumns struct {
	arena   *arena.Arena
	skip    any // the target of columns that aren't left
	targets []any
	copies  []copied
}

type copied struct{ to, from reflect.Value }

// NewDriverColumns is for rows in a. skip is a target that takes a value and forgets it.
func NewDriverColumns(a *arena.Arena, skip any) DriverColumns {
	return DriverColumns{arena: a, skip: skip}
}

// Add leaves one of n columns to the driver: its field is the t at p. Scan finds the field zero, whatever it was.
func (l *DriverColumns) Add(column, n int, t reflect.Type, p unsafe.Pointer) {
	if l.targets == nil {
		l.targets = make([]any, n)
		l.clear()
	}
	v := reflect.NewAt(t, p)
	v.Elem().SetZero()
	if l.arena.SelfContained() && layout.HasPointers(t) {
		from := reflect.New(t)
		l.copies = append(l.copies, copied{v.Elem(), from})
		v = from
	}
	l.targets[column] = v.Interface()
}

// Scan lets scan, the Scan of the rows, read the columns.
func (l *DriverColumns) Scan(scan func(targets ...any) error) error {
	err := scan(l.targets...)
	for _, c := range l.copies {
		if err == nil {
			l.copy(c.to, c.from)
		}
	}
	l.clear()
	return err
}

// copy copies what from points to. Zero values keep nothing alive.
func (l *DriverColumns) copy(to, from reflect.Value) {
	switch v := from.Elem(); {
	case v.IsZero():
	case v.Kind() == reflect.String:
		to.SetString(l.arena.AllocString(v.String()))
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		to.SetBytes(arena.CopySlice(l.arena, v.Bytes()))
	default:
		to.Set(v)
		l.arena.KeepAlive(from.Interface())
	}
}

// clear forgets all columns.
func (l *DriverColumns) clear() {
	for i := range l.targets {
		l.targets[i] = l.skip
	}
	clear(l.copies)
	l.copies = l.copies[:0]
}
