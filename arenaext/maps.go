package arenaext

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/smallmap"
)

// A MapBuilder makes Go maps of one type: maps of at most eight entries in an arena, others on the Go heap. A
// self-contained arena has no maps in it, since they may grow; it keeps its maps on the heap alive. Any number of
// goroutines may use a MapBuilder. [NewMapBuilder] makes one.
type MapBuilder struct {
	typ   reflect.Type
	small *smallmap.Layout // nil if this version of Go lays such maps out in another way
	block arena.TypeKey    // of a small map's memory
	put   func(m, key, elem unsafe.Pointer)
}

// NewMapBuilder returns a builder of maps of type t. It takes some microseconds: keep the result. It panics if t isn't
// a map type.
func NewMapBuilder(t reflect.Type) *MapBuilder {
	b := &MapBuilder{typ: t, small: smallmap.Of(t), put: putterOf(t)}
	if b.small != nil {
		b.block = arena.KeyOf(b.small.Type())
	}
	if b.put == nil {
		b.put = b.putAny
	}
	return b
}

// Usable reports whether New makes a map with room for n entries in the arena.
func (b *MapBuilder) Usable(a *arena.Arena, n int) bool {
	return b.small != nil && a != nil && !a.SelfContained() && n <= smallmap.Most
}

// New stores an empty map with room for n entries in the variable at m. It panics as [arena.New] does.
func (b *MapBuilder) New(a *arena.Arena, m unsafe.Pointer, n int) {
	if b.Usable(a, n) {
		p := b.block.New(a)
		b.small.Begin(p)
		*(*unsafe.Pointer)(m) = p // a map is a pointer to its header
		return
	}
	v := reflect.MakeMapWithSize(b.typ, n)
	b.at(m).Set(v)
	if a.SelfContained() {
		a.KeepAlive(v.Interface())
	}
}

// Put moves a key and an element into the map at m: the memory at key and elem is zero afterwards.
func (b *MapBuilder) Put(m, key, elem unsafe.Pointer) { b.put(m, key, elem) }

// Drop removes the entry with a key, if there is one, from the map at m.
func (b *MapBuilder) Drop(m, key unsafe.Pointer) {
	b.at(m).SetMapIndex(reflect.NewAt(b.typ.Key(), key).Elem(), reflect.Value{})
}

// at returns the map variable at m.
func (b *MapBuilder) at(m unsafe.Pointer) reflect.Value { return reflect.NewAt(b.typ, m).Elem() }

// putAny is Put for any type.
func (b *MapBuilder) putAny(m, key, elem unsafe.Pointer) {
	k, e := reflect.NewAt(b.typ.Key(), key).Elem(), reflect.NewAt(b.typ.Elem(), elem).Elem()
	b.at(m).SetMapIndex(k, e)
	k.SetZero()
	e.SetZero()
}

// putterOf returns Put without reflect, or nil if the type isn't a common one. It treats a map as one whose keys and
// elements have the same size and the same pointers, and are compared in the same way, as the runtime does (fact E of
// package smallmap).
func putterOf(t reflect.Type) func(m, key, elem unsafe.Pointer) {
	switch t.Key().Kind() {
	case reflect.String:
		return putterFor[string](t.Elem())
	case reflect.Int32, reflect.Uint32:
		return putterFor[uint32](t.Elem())
	case reflect.Int64, reflect.Uint64:
		return putterFor[uint64](t.Elem())
	}
	return nil
}

// putterFor is putterOf for one type of keys. Slices and structs are rare as elements.
func putterFor[K comparable](elem reflect.Type) func(m, key, elem unsafe.Pointer) {
	switch elem.Kind() {
	case reflect.String:
		return put[K, string]
	case reflect.Int32, reflect.Uint32, reflect.Float32:
		return put[K, uint32]
	case reflect.Int64, reflect.Uint64, reflect.Float64:
		return put[K, uint64]
	case reflect.Bool:
		return put[K, bool]
	case reflect.Pointer:
		return put[K, unsafe.Pointer]
	}
	return nil
}

func put[K comparable, V any](m, key, elem unsafe.Pointer) {
	k, e := (*K)(key), (*V)(elem)
	(*(*map[K]V)(m))[*k] = *e
	*k, *e = *new(K), *new(V)
}
