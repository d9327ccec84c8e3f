package smallmap

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/layout"
)

// This file makes maps of up to 896 entries.
//
// A map that had more than eight entries has its groups in a table, and its header leads there by a
// directory, which has one table until that is too large:
//
//	header ─▶ directory of one ─▶ table ─▶ groups, a power of two
//
// Header, directory and table are one value, the head, and the groups are values one behind the other. The runtime
// treats such a table like its own: when the table is full it makes a larger one, or two from 1,024 slots on, on the Go
// heap, stores it in the directory, and marks the old one as out of use for loops that are still going through it.

// A table is laid out as internal/runtime/maps.table is.
type table struct {
	used       uint16
	slots      uint16
	room       uint16 // entries until it grows: seven eighths of the slots less those in use
	localDepth uint8
	index      int // in the directory
	groups     unsafe.Pointer
	mask       uint64 // number of groups less one
}

// A head leads to the groups.
type head struct {
	header
	tables [1]*table // the directory
	table
}

// MostInTable is the most entries of a table that the runtime doesn't split.
const MostInTable = 128 * 7

// hashBits is the number of bits of a key's hash on 64-bit machines. A header with one table says that all of them are
// to be shifted out.
const hashBits = 64

// oneTable are the flags of a map with one table that was never cleared.
var oneTable = flags{directory: 1, bits: [4]uint8{1: hashBits}}

// Groups returns the number of groups in the table of a map with the given number of entries, at least two.
func Groups(entries int) int {
	n := 2
	for n*7 < entries {
		n *= 2
	}
	return n
}

// HeadType returns the type of a head, which leads to the groups of a table, and GroupType that of a group.
func (l *Layout) HeadType() reflect.Type { return reflect.TypeFor[head]() }

// GroupType returns the type of a group.
func (l *Layout) GroupType() reflect.Type { return l.groups }

// Tables reports whether there are maps with tables.
func (l *Layout) Tables() bool { return l.groups != nil }

// BeginTable makes an empty map of the zero head at p and n zero groups, a power of two. The value of the
// map is p itself.
func (l *Layout) BeginTable(p, groups unsafe.Pointer, n int) {
	size := l.groups.Size()
	for i := range uintptr(n) {
		*(*uint64)(unsafe.Add(groups, i*size)) = empty // facts 11, E
	}
	beginHead(p, groups, n, 0, NewSeed())
}

// beginHead makes a map with the given number of entries of the zero head at p and of n groups.
func beginHead(p, groups unsafe.Pointer, n, entries int, s Seed) {
	h := (*head)(p) // fact E
	h.header = header{count(entries), s.seed, unsafe.Pointer(&h.tables), oneTable}
	h.tables[0] = &h.table
	h.table = table{used: uint16(entries), slots: uint16(n * Most), room: uint16(n*7 - entries), groups: groups,
		mask: uint64(n) - 1}
}

// A Form describes where the runtime puts certain keys, stored one after the other, into a table. It never changes.
// Maps of a form have one seed.
type Form struct {
	seed    Seed
	keys    []string
	control []uint64  // of each group
	at      []uintptr // offset of each key from the first group
	elems   []uintptr // and of its element
}

// NewForm returns the form of maps with these keys, which are all different: more than Most, and at most
// MostInTable. The type must have slots that callers may fill, and tables.
func (l *Layout) NewForm(keys []string) *Form {
	f := &Form{seed: NewSeed(), keys: keys, control: make([]uint64, Groups(len(keys)))}
	p, size := reflect.New(l.HeadType()).UnsafePointer(), l.groups.Size()
	n := len(f.control)
	groups := reflect.MakeSlice(reflect.SliceOf(l.groups), n, n).UnsafePointer()
	l.BeginTable(p, groups, n)
	(*header)(p).seed = f.seed.seed
	m := reflect.NewAt(l.of, unsafe.Pointer(&p)).Elem() // fact 9
	elem := reflect.Zero(l.of.Elem())
	for _, k := range keys {
		m.SetMapIndex(reflect.ValueOf(k).Convert(l.of.Key()), elem)
	}
	// Where they are now is where they will be in each map of that seed and number of groups (fact G).
	f.at, f.elems = make([]uintptr, len(keys)), make([]uintptr, len(keys))
	for g := range n {
		group := unsafe.Add(groups, uintptr(g)*size) // facts 11, E
		f.control[g] = *(*uint64)(group)
		for i := range uintptr(Most) {
			if f.control[g]>>(8*i)&0x80 != 0 {
				continue // an empty slot, whose key may look like one of these
			}
			off := 8 + i*l.keyStep
			if k := slices.Index(keys, *(*string)(unsafe.Add(group, off))); k >= 0 {
				f.at[k], f.elems[k] = uintptr(g)*size+off, uintptr(g)*size+l.elem+i*l.elemStep
			}
		}
	}
	return f
}

// Groups returns how many groups the table of a map of the form has.
func (f *Form) Groups() int { return len(f.control) }

// BeginForm makes a map of a form, with its keys and zero elements, of the zero head at p and as many zero
// groups as the form has.
func (l *Layout) BeginForm(p, groups unsafe.Pointer, f *Form) {
	size := l.groups.Size()
	for g, c := range f.control {
		*(*uint64)(unsafe.Add(groups, uintptr(g)*size)) = c // facts 11, G
	}
	for i, at := range f.at {
		*(*string)(unsafe.Add(groups, at)) = f.keys[i] // facts 11, E
	}
	beginHead(p, groups, len(f.control), len(f.keys), f.seed)
}

// Elem returns the address of the element of key i of a map of the form, given its groups.
func (l *Layout) Elem(groups unsafe.Pointer, f *Form, i int) unsafe.Pointer {
	return unsafe.Add(groups, f.elems[i]) // facts 11, E
}

// allowTables finds out whether there are maps with tables of the type, and sets groups if so.
func (l *Layout) allowTables(s *sample) {
	if len(s.keys) < samples {
		return
	}
	l.groups = reflect.StructOf([]reflect.StructField{
		{Name: "Control", Type: reflect.TypeFor[uint64]()}, {Name: "Slots", Type: l.typ.Field(2).Type},
	})
	if !s.tablesLie() || !s.tablesWork(l) {
		l.groups = nil
		return
	}
	layout.SetName(l.groups, l.name()+" (entries)")
	layout.SetName(l.HeadType(), "map (headers)")
}

// tablesLie reports whether the runtime makes a table as this package does, for n entries and with n entries.
func (s *sample) tablesLie() bool {
	const n = Most + 2
	m := reflect.MakeMapWithSize(s.typ, n)
	for i := range n {
		m.SetMapIndex(s.keys[i], s.elems[i])
	}
	h := (*header)(m.UnsafePointer()) // fact E
	if h.used != n || h.flags != oneTable || h.group == nil {
		return false
	}
	t := **(**table)(h.group) // fact E
	want := table{used: n, slots: 2 * Most, room: 2*7 - n, groups: t.groups, mask: 1}
	return t == want && t.groups != nil
}

// tablesWork reports whether maps with a table behave like others when they are filled and grow.
func (s *sample) tablesWork(l *Layout) bool {
	p := reflect.New(l.HeadType()).UnsafePointer()
	l.BeginTable(p, reflect.MakeSlice(reflect.SliceOf(l.groups), 2, 2).UnsafePointer(), 2)
	m := reflect.NewAt(s.typ, unsafe.Pointer(&p)).Elem() // a map is a pointer to its header (fact 9)
	h := (*head)(p)
	for i := range s.keys {
		m.SetMapIndex(s.keys[i], s.elems[i])
		// The 15th entry makes the runtime replace the table, and nothing does before.
		if grown := h.tables[0] != &h.table; grown != (i >= 2*7) || grown != (h.table.index == -1) {
			return false
		}
		if i == 2*7-1 && !s.equals(m, 2*7) {
			return false
		}
	}
	return s.equals(m, len(s.keys)) && s.formsWork(l)
}

// formsWork reports whether the runtime finds the entries of a map made from a form.
func (s *sample) formsWork(l *Layout) bool {
	if !l.Entries() {
		return true
	}
	var keys []string
	for _, k := range s.keys[:samples-1] {
		keys = append(keys, k.String())
	}
	f := l.NewForm(keys)
	p := reflect.New(l.HeadType()).UnsafePointer()
	groups := reflect.MakeSlice(reflect.SliceOf(l.groups), f.Groups(), f.Groups()).UnsafePointer()
	l.BeginForm(p, groups, f)
	for i := range keys {
		reflect.NewAt(s.typ.Elem(), l.Elem(groups, f, i)).Elem().Set(s.elems[i])
	}
	m := reflect.NewAt(s.typ, unsafe.Pointer(&p)).Elem()
	return s.equals(m, len(keys))
}
