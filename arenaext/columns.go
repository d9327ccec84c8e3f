package arenaext

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/layout"
)

// DriverColumns are the columns of the current row that are left to the driver, which scans them into their fields. A
// self-contained arena must not point to the driver's memory: with one, columns are scanned into memory of the heap.
// Then strings and bytes are copied into the arena, and KeepAlive keeps other values alive.
type DriverColumns struct {
	arena   *arena.Arena
	skip    any // the target of columns that aren't left
	targets []any
	copies  []copied
}

type copied struct{ to, from reflect.Value }

// NewDriverColumns returns an empty DriverColumns for rows in a. skip is a target that drops its value.
func NewDriverColumns(a *arena.Arena, skip any) DriverColumns {
	return DriverColumns{arena: a, skip: skip}
}

// Add leaves one of n columns to the driver: its field is the t at p. Add clears the field.
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

// Scan reads the columns by scan, which is the Scan of the rows.
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

// copy copies the value at from. Zero values need no KeepAlive.
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

// clear removes all columns.
func (l *DriverColumns) clear() {
	for i := range l.targets {
		l.targets[i] = l.skip
	}
	clear(l.copies)
	l.copies = l.copies[:0]
}
