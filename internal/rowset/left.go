package rowset

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/layout"
)

// A Left has the columns of the current row that are left to the package that the rows come from. It scans them into
// their fields. A self-contained arena must not point to what that package allocates: there it scans them into memory
// of the heap. Strings and bytes are then copied into the arena, and other values stay alive beside the fields.
type Left struct {
	arena   *arena.Arena
	skip    any // the target of columns that aren't left
	targets []any
	copies  []copied
}

type copied struct{ to, from reflect.Value }

// NewLeft returns a Left for rows in a. skip is a target that takes a value and forgets it.
func NewLeft(a *arena.Arena, skip any) Left { return Left{arena: a, skip: skip} }

// Add leaves one of n columns, whose field is the t at p. Scan finds the field zero, whatever was stored there before.
func (l *Left) Add(column, n int, t reflect.Type, p unsafe.Pointer) {
	if l.targets == nil {
		l.targets = make([]any, n)
		l.Clear()
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
func (l *Left) Scan(scan func(targets ...any) error) error {
	err := scan(l.targets...)
	for _, c := range l.copies {
		if err == nil {
			l.copy(c.to, c.from)
		}
	}
	l.Clear()
	return err
}

// copy copies what from points to. Zero values keep nothing alive.
func (l *Left) copy(to, from reflect.Value) {
	switch v := from.Elem(); {
	case v.IsZero():
	case v.Kind() == reflect.String:
		to.SetString(l.arena.AllocString(v.String()))
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
		to.SetBytes(append(Bytes(l.arena, v.Len())[:0], v.Bytes()...))
	default:
		to.Set(v)
		l.arena.KeepAlive(from.Interface())
	}
}

// Clear forgets all columns.
func (l *Left) Clear() {
	for i := range l.targets {
		l.targets[i] = l.skip
	}
	clear(l.copies)
	l.copies = l.copies[:0]
}
