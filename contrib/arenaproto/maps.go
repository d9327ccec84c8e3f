package arenaproto

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"github.com/harena-go/arena/contrib/arenaproto/internal/smallmap"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// This file holds how entries go to Go maps. Those of at most eight entries are made in the arena, others
// by the runtime, on the Go heap; their strings, bytes and messages are in the arena anyway. A
// self-contained arena has all of them on the heap, and keeps them alive, since they may grow.
//
// An entry is a message of two fields, and read as one: to a struct of a key and a value,
// the cell, from which it goes to the map.

// A mapPlan says how entries of a map are decoded.
type mapPlan struct {
	typ   reflect.Type
	cell  plan             // of the struct of a key and a value
	value *op              // in the cell
	store storer           // stores entries; nil if reflect has to
	small *smallmap.Layout // in an arena; nil if that can't be
	cells sync.Pool        // of *mapCell
}

// A mapCell is where an entry is read to.
type mapCell struct {
	p        unsafe.Pointer
	key, val reflect.Value
	all      reflect.Value
}

// fillMap plans a map.
func (b *builder) fillMap(f *op, fd protoreflect.FieldDescriptor, t reflect.Type) string {
	if t.Kind() != reflect.Map {
		return "its type is " + t.String()
	}
	m := newMapPlan(t)
	key, val := &op{num: 1, field: "key"}, m.value
	if why := fillScalar(key, fd.MapKey(), t.Key(), false); why != "" {
		return "of its keys: " + why
	}
	v := fd.MapValue()
	switch {
	case v.Kind() == protoreflect.GroupKind:
		return "its values are groups"
	case v.Message() != nil:
		if why := b.fillMessage(val, v, t.Elem()); why != "" {
			return "of its values: " + why
		}
		f.sub = val.sub
	default:
		if why := fillScalar(val, v, t.Elem(), true); why != "" {
			return "of its values: " + why
		}
	}
	m.cell.add(key)
	m.cell.add(val)
	f.kind, f.entry = kindMap, m
	return ""
}

// newMapPlan returns the plan of a map type, without what is done with keys and values.
func newMapPlan(t reflect.Type) *mapPlan {
	m := &mapPlan{typ: t, store: storerOf(t), small: smallmap.Of(t)}
	m.cell.typ = cellType(t)
	m.cell.known = map[protoreflect.FieldNumber]bool{1: true, 2: true}
	m.value = &op{num: 2, field: "value", off: m.cell.typ.Field(1).Offset}
	m.cells.New = func() any { return newCell(m.cell.typ) }
	return m
}

// cellType returns the type of the cell of a map.
func cellType(t reflect.Type) reflect.Type {
	return reflect.StructOf([]reflect.StructField{{Name: "Key", Type: t.Key()}, {Name: "Value", Type: t.Elem()}})
}

func newCell(t reflect.Type) *mapCell {
	v := reflect.New(t)
	return &mapCell{v.UnsafePointer(), v.Elem().Field(0), v.Elem().Field(1), v.Elem()}
}

// leastEntry is how many bytes an entry usually has at least. By it the room is limited
// that a map begins with.
const leastEntry = 6

// mapping reads entries of a map, the first of which is the n bytes at i.
func (d *decoder) mapping(f *op, at unsafe.Pointer, b []byte, i, n int) int {
	if d.depth == 0 {
		return -1
	}
	m, count := f.entry, 1+run(f, b, i+n)
	if mem.Get[unsafe.Pointer](at) == nil {
		d.makeMap(m, at, min(count, (len(b)-i)/leastEntry))
	}
	cell := m.cells.Get().(*mapCell)
	d.depth--
	for {
		end := i + n
		if i, _ = m.cell.plain(cell.p, b[:end], i, 0); i < end {
			if i = d.message(&m.cell, cell.p, b[:end], i, 0); i < 0 {
				break
			}
		}
		d.store(m, cell, at)
		if count--; count == 0 {
			break
		}
		n, i = length(b, i+int(f.width))
	}
	d.depth++
	cell.all.SetZero()
	m.cells.Put(cell)
	return i
}

// makeMap makes the map at at for so many entries.
func (d *decoder) makeMap(m *mapPlan, at unsafe.Pointer, count int) {
	if m.small != nil && d.a != nil && !d.contained && count <= smallmap.Most {
		mem.Set(at, m.small.New(d.a)) // a map is a pointer
		return
	}
	to := mem.Value(m.typ, at)
	to.Set(reflect.MakeMapWithSize(m.typ, count))
	if d.contained {
		d.a.KeepAlive(to.Interface())
	}
}

// store stores the cell's entry in a map, and makes room for another one.
func (d *decoder) store(m *mapPlan, cell *mapCell, at unsafe.Pointer) {
	if v := m.value; v.kind == kindMessage && cell.val.IsNil() {
		mem.Set(mem.Add(cell.p, v.off), d.new(v))
		d.check = d.check || v.sub.demanding
	}
	if m.store != nil {
		m.store(at, cell.p)
		return
	}
	mem.Value(m.typ, at).SetMapIndex(cell.key, cell.val)
	cell.all.SetZero()
}

// A storer stores a cell's entry in a map, and makes the cell zero.
type storer func(m, cell unsafe.Pointer)

// storerOf returns how entries of a type of maps are stored without reflect, or nil. It takes a map for one whose keys
// and values are as large, have pointers at the same places, and are compared alike; it is the same to the runtime
// (fact E of package smallmap). A difference would be noticed when the plan is compared with the official runtime.
func storerOf(t reflect.Type) storer {
	switch t.Key().Kind() {
	case reflect.String:
		return storerFor[string](t.Elem())
	case reflect.Int32, reflect.Uint32:
		return storerFor[uint32](t.Elem())
	case reflect.Int64, reflect.Uint64:
		return storerFor[uint64](t.Elem())
	}
	return nil
}

func storerFor[K comparable](elem reflect.Type) storer {
	switch elem.Kind() {
	case reflect.String:
		return storeEntry[K, string]
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return storeEntry[K, uint32]
	case reflect.Int64, reflect.Uint64, reflect.Float64:
		return storeEntry[K, uint64]
	case reflect.Bool:
		return storeEntry[K, bool]
	case reflect.Pointer:
		return storeEntry[K, unsafe.Pointer]
	}
	return nil
}

func storeEntry[K comparable, V any](m, cell unsafe.Pointer) {
	type entry = struct {
		key   K
		value V
	}
	e := mem.At[entry](cell)
	mem.Get[map[K]V](m)[e.key] = e.value
	*e = entry{}
}
