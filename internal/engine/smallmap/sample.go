package smallmap

import (
	"reflect"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"unsafe"
)

// This file finds out whether maps of a type are laid out as expected. It looks into a map that the runtime
// has made (liesAs), and lets the runtime work with one that was made here (worksAs).

// A sample is a type of maps with entries to try it with.
type sample struct {
	typ   reflect.Type
	keys  []reflect.Value // all different, and none is zero but false
	elems []reflect.Value // as many, none is zero
}

// samples is how many entries there are at most: more than a group has, for a map to grow.
const samples = 3 * Most

// newSample makes entries for a type of maps. It returns false if it can't make keys or elements that aren't
// zero, such as those of interfaces with methods. Keys of interfaces aren't tried at all.
func newSample(t reflect.Type) (s sample, ok bool) {
	if s.typ = t; t.Key().Kind() == reflect.Interface {
		return s, false
	}
	// A bool has only two values that differ.
	for i := range samples {
		key, elem := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		if t.Key().Kind() == reflect.Bool {
			if i == 2 {
				break
			}
			key.SetBool(i > 0)
		} else if !fill(key, i+1) {
			return s, false
		}
		if !fill(elem, i+1) {
			return s, false
		}
		s.keys, s.elems = append(s.keys, key), append(s.elems, elem)
	}
	return s, true
}

// fill sets v to something that isn't zero, and differs for each n if v has enough values.
func fill(v reflect.Value, n int) bool {
	switch {
	case !v.CanSet():
		return false
	case v.CanInt():
		v.SetInt(int64(n))
	case v.CanUint():
		v.SetUint(uint64(n))
	case v.CanFloat():
		v.SetFloat(float64(n))
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.String:
		v.SetString("sample " + strconv.Itoa(n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), n, n))
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
	case reflect.Interface:
		if v.NumMethod() == 0 {
			v.Set(reflect.ValueOf("sample " + strconv.Itoa(n)))
		}
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	}
	// An interface with methods, a channel, a function, or a struct of none but these has stayed zero.
	return !v.IsZero()
}

// first returns a map that the runtime has made, with the first n entries.
func (s *sample) first(n int) reflect.Value {
	m := reflect.MakeMap(s.typ)
	for i := range n {
		m.SetMapIndex(s.keys[i], s.elems[i])
	}
	return m
}

// equals reports whether a map has exactly the first n entries, in a loop and by look-up.
func (s *sample) equals(m reflect.Value, n int) bool {
	x, y := m.Interface(), s.first(n).Interface()
	return m.Len() == n && reflect.DeepEqual(x, y) && reflect.DeepEqual(y, x)
}

// liesAs reports whether the runtime lays out a map as typ says: a header, and a group with the first entries
// in the first slots.
func (s *sample) liesAs(typ reflect.Type) bool {
	n := min(len(s.keys), Most-1)
	m := s.first(n)
	h := (*header)(m.UnsafePointer()) // fact E
	// The header of a map with one group has its entries, no directory, no flags, and was never cleared.
	if h.used != count(n) || h.flags != (flags{}) || h.group == nil {
		return false
	}
	// A full slot has the lowest seven bits of the key's hash, an empty one just the highest bit.
	control := *(*[Most]byte)(h.group) // fact E
	full := 0
	for _, c := range control {
		if c < 0x80 {
			full++
		} else if c != 0x80 {
			return false
		}
	}
	if full != n {
		return false
	}
	// The first slots have the entries, in the order in which they were stored.
	slots := typ.Field(2)
	off := slots.Offset - typ.Field(1).Offset
	v := reflect.NewAt(slots.Type, unsafe.Add(h.group, off)).Elem() // facts 11, E
	for i := range n {
		var key, elem reflect.Value
		if slots.Type.Kind() == reflect.Array {
			key, elem = v.Index(i).Field(0), v.Index(i).Field(1)
		} else {
			key, elem = v.Field(0).Index(i), v.Field(1).Index(i)
		}
		if !same(key, s.keys[i]) || !same(elem, s.elems[i]) {
			return false
		}
	}
	return true
}

// same reports whether two values have the same bytes. No other comparison is safe: if the layout isn't as expected,
// there may be no value of that type.
func same(x, y reflect.Value) bool {
	return string(raw(x)) == string(raw(y))
}

// raw returns the memory of a value that has an address.
func raw(v reflect.Value) []byte {
	return unsafe.Slice((*byte)(v.Addr().UnsafePointer()), v.Type().Size()) // fact 11
}

// worksAs reports whether maps that are laid out so behave like others when they are filled, grow, shrink and
// are cleared.
func (s *sample) worksAs(l *Layout) bool {
	block := reflect.New(l.typ)
	p := block.UnsafePointer()
	l.Begin(p)
	// From here on the runtime believes that it has made the map itself.
	m := reflect.NewAt(s.typ, unsafe.Pointer(&p)).Elem() // a map is a pointer to its header (fact 9)
	// Fill it beyond the group: with the ninth entry the runtime makes a table.
	for i := range s.keys {
		m.SetMapIndex(s.keys[i], s.elems[i])
		if h := (*header)(p); (h.directory == 0) != (i < Most) {
			return false
		}
		m.SetMapIndex(s.keys[0], s.elems[0]) // may grow, too
		if m.Len() != i+1 || (i == Most-1 || i == Most || i == len(s.keys)-1) && !s.equals(m, i+1) {
			return false
		}
	}
	// Fill it to the brim, replace an entry, and clear it, twice.
	block.Elem().SetZero()
	l.Begin(p)
	n := min(len(s.keys), Most)
	for range 2 {
		for i := range n {
			m.SetMapIndex(s.keys[i], s.elems[i])
		}
		m.SetMapIndex(s.keys[0], reflect.Value{})
		if v := m.MapIndex(s.keys[0]); v.IsValid() || m.Len() != n-1 {
			return false
		}
		m.SetMapIndex(s.keys[0], s.elems[0])
		if !s.equals(m, n) {
			return false
		}
		if m.Clear(); m.Len() != 0 {
			return false
		}
	}
	return true
}

// sizesAgree reports whether the runtime's headers and tables are as large as those here, which have no other sign of
// having grown at the end. The heap allocates values of one size beside each other, so that the least distance of many
// is their size, with the heap's overhead.
var sizesAgree = sync.OnceValue(func() (agree bool) {
	// In another layout the supposed pointer may be none.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { agree = recover() == nil && agree }()
	headers := leastDistance(func() unsafe.Pointer {
		m := make(map[int]int)
		return *(*unsafe.Pointer)(unsafe.Pointer(&m)) // fact 9
	})
	tables := leastDistance(func() unsafe.Pointer {
		m := make(map[int]int, Most+2)
		h := *(**header)(unsafe.Pointer(&m)) // facts 9, E
		if h.flags != oneTable {
			return nil
		}
		return *(*unsafe.Pointer)(h.group) // fact E
	})
	return headers == leastDistance(func() unsafe.Pointer { return unsafe.Pointer(new(header)) }) &&
		tables == leastDistance(func() unsafe.Pointer { return unsafe.Pointer(new(table)) })
})

// leastDistance returns the least distance between many values that allocate makes, more than a span of the heap has,
// or 0 if it makes none.
func leastDistance(allocate func() unsafe.Pointer) (least uintptr) {
	var values [512]unsafe.Pointer
	var addresses [len(values)]uintptr
	for i := range values {
		values[i] = allocate()
		addresses[i] = uintptr(values[i])
	}
	slices.Sort(addresses[:])
	least = ^uintptr(0)
	for i, a := range addresses[1:] {
		least = min(least, a-addresses[i])
	}
	runtime.KeepAlive(values)
	return least
}
