package arenajson

import (
	"encoding/binary"
	"reflect"
	"sync"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds how objects and arrays go to containers of package collections, which this one
// doesn't import: it finds what it needs of them by a field's methods (collections/coding.go).
//
// A container that has memory has an arena, too. What is read into it comes from there, all the way
// down, whatever arena the rest goes to: so nothing in it ends before it does, or is in memory that
// nobody keeps alive. One without memory becomes one of the decoder's arena.

// mapCoding is how a Map of package collections is used by its address.
type mapCoding interface {
	Types() (container, key, value reflect.Type)
	Adopt(at unsafe.Pointer, a *arena.Arena) *arena.Arena
	Len(at unsafe.Pointer) int
	Forget(at unsafe.Pointer)
	Place(at, key unsafe.Pointer) (value unsafe.Pointer, found bool)
	Number(at, key unsafe.Pointer) int
	Next(at unsafe.Pointer, i int) (key, value unsafe.Pointer, next int)
}

// sliceCoding is how a Slice of package collections is used by its address.
type sliceCoding interface {
	Types() (container, items reflect.Type)
	Adopt(at unsafe.Pointer, a *arena.Arena) *arena.Arena
	Items(at unsafe.Pointer) unsafe.Pointer
}

// A container is what a plan has for a type of package collections.
type container struct {
	table   mapCoding   // of a Map
	list    sliceCoding // of a Slice
	items   *node       // of a Slice: how its elements, a Go slice, are read and written
	entries sync.Pool   // of a Map: of *mapEntry
}

// container fills in the plan of a type of package collections, and says whether it is one.
func (p *planner) container(n *node, t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		f := t.Field(i).Type
		if f.Kind() != reflect.Struct || f.Size() != 0 {
			continue
		}
		switch c := reflect.Zero(f).Interface().(type) {
		case mapCoding:
			if of, key, value := c.Types(); of == t {
				n.kind, n.mapKey, n.elem = kindTable, p.plan(key), p.plan(value)
				n.container = &container{table: c}
				return true
			}
		case sliceCoding:
			if of, items := c.Types(); of == t {
				n.kind, n.elem = kindList, p.plan(items.Elem())
				in := &node{typ: t, size: items.Size(), key: arena.KeyOf(items), elem: n.elem}
				in.kind = in.listKind(items)
				in.write = in.kind
				n.container = &container{list: c, items: in}
				return true
			}
		}
	}
	return false
}

// list reads an array to the Slice at p.
func (d *decoder) list(n *node, p unsafe.Pointer, i int) int {
	c := n.container
	items := c.list.Items(p)
	if b := d.peek(i); b != '[' && (b != '"' || c.items.kind != kindBytes) { // null, or what doesn't fit
		return d.value(c.items, items, i)
	}
	a, f := d.a, d.flags
	if !d.lend(n, c.list.Adopt(p, a)) {
		return -1
	}
	i = d.value(c.items, items, i)
	d.a, d.flags = a, f
	return i
}

// lend makes what is read next come from the arena of a container, which may be another one than that of
// the rest. It says whether that arena can hold it.
func (d *decoder) lend(n *node, a *arena.Arena) bool {
	if a == d.a {
		return true
	}
	if n.foreign && a.SelfContained() {
		if err := refuse(n); d.flags&option.Legacy != 0 {
			d.stop(err)
		} else {
			d.methodErr = err
		}
		return false
	}
	d.a = a
	d.flags &^= option.ReferenceInput // which lies elsewhere
	return true
}

// table reads an object to the Map at p.
func (d *decoder) table(n *node, p unsafe.Pointer, i int) int {
	if d.peek(i) != '{' {
		return d.notTable(n, p, i)
	}
	if option.Classic && d.flags&option.Legacy != 0 && !namesKeys(n.mapKey.typ) {
		return d.mismatch(n.typ, i, nil)
	}
	if !d.enter() {
		return -1
	}
	a, f := d.a, d.flags
	if !d.lend(n, n.container.table.Adopt(p, a)) {
		return -1
	}
	w := d.newTableWriter(n, p)
	i = text.SkipSpace(d.data, i+1)
	for more := d.peek(i) != '}'; more; {
		if i = w.entry(i); i < 0 {
			break
		}
		switch i = text.SkipSpace(d.data, i); d.peek(i) {
		case ',':
			i = text.SkipSpace(d.data, i+1)
		case '}':
			more = false
		default:
			i = -1
		}
		if i < 0 {
			break
		}
	}
	w.end()
	d.a, d.flags = a, f
	if i < 0 {
		return -1
	}
	d.depth++
	return i + 1
}

// notTable is table for what isn't an object. null leaves an empty map.
func (d *decoder) notTable(n *node, p unsafe.Pointer, i int) int {
	if end := d.word(i, "null"); end >= 0 {
		n.container.table.Forget(p)
		return end
	}
	return d.mismatchToken(n.typ, i, nil)
}

// A mapEntry is places for a key and a value.
type mapEntry struct {
	key, value reflect.Value
	at         unsafe.Pointer // of the key
}

// mapEntryOf returns an entry for a Map of a plan's type, one that was kept if there is one.
func mapEntryOf(n *node) *mapEntry {
	if e, ok := n.container.entries.Get().(*mapEntry); ok {
		return e
	}
	k := reflect.New(n.mapKey.typ)
	return &mapEntry{k.Elem(), reflect.New(n.elem.typ).Elem(), k.UnsafePointer()}
}

// A tableWriter reads the members of one object to a Map. It does what a mapWriter does, but values are
// read where they stay.
type tableWriter struct {
	mapWriter // of which it reads keys
	table     mapCoding
	p         unsafe.Pointer // of the Map
	places    *mapEntry
	text      bool // keys are strings
	named     bool // different names may give the same key
	last      bool // the value comes before the key, as in the original encoding/json
	unique    bool
	fresh     bool // there were no entries to begin with; else the numbers of those read are in names
}

func (d *decoder) newTableWriter(n *node, p unsafe.Pointer) tableWriter {
	places := mapEntryOf(n)
	w := tableWriter{mapWriter: mapWriter{d: d, n: n, key: places.key, val: places.value, names: nameSet{base: -1}},
		table: n.container.table, p: p, places: places}
	k := n.mapKey.kind
	w.fresh = w.table.Len(p) == 0
	w.unique = d.flags&option.AllowDuplicateNames == 0
	w.text = k == kindString
	w.last = option.Classic && d.flags&option.Legacy != 0 && (!w.text || n.elem.foreign || n.elem.quoted)
	switch {
	case !w.unique:
	case k == kindInt64, k == kindInt, k == kindUint, k == kindBool, w.text && d.flags&option.AllowInvalidUTF8 == 0:
	default:
		w.named = true
	}
	if w.named || w.unique && !w.fresh {
		w.names = d.openNames()
	}
	return w
}

// end lets go of what the work took.
func (w *tableWriter) end() {
	d := w.d
	if w.names.base >= 0 {
		d.closeNames(&w.names)
	}
	if w.text {
		mem.Set(w.places.at, "")
	} else {
		w.key.SetZero()
	}
	if w.last {
		w.val.SetZero()
	}
	w.n.container.entries.Put(w.places)
}

// entry reads one member, and returns where it ends.
func (w *tableWriter) entry(i int) int {
	d, start := w.d, i
	name, i := d.text(i)
	if i < 0 {
		return -1
	}
	if w.named && !d.addName(&w.names, name, start+1, !text.Within(d.data, name, start+1)) {
		return d.duplicateAt(start)
	}
	if w.last {
		return w.entryLast(name, start, i)
	}
	ok := true
	if w.text {
		mem.Set(w.places.at, d.keep(name, start+1))
	} else {
		w.key.SetZero()
		ok = w.readKey(name, start, i)
		if d.err != nil || d.methodErr != nil && d.flags&option.Legacy == 0 {
			return -1
		}
	}
	v, colon := d.colon(i)
	switch {
	case !colon:
		return -1
	case !ok:
		return d.skip(v)
	}
	return w.value(start, v)
}

// value reads the value at v of the entry whose name is at start.
func (w *tableWriter) value(start, v int) int {
	d, elem := w.d, w.n.elem
	p, found := w.table.Place(w.p, w.places.at)
	if w.unique && (found || !w.fresh) && w.seen(found) {
		return d.duplicateAt(start)
	}
	if found && d.flags&option.Legacy != 0 {
		setZero(elem, p)
	}
	return d.value(elem, p, v)
}

// seen notes that an entry, which was found or made, was read, and says whether it was read before.
func (w *tableWriter) seen(found bool) bool {
	if w.fresh {
		return found
	}
	number := [9]byte{0xff} // which no name begins with, since it isn't UTF-8
	binary.LittleEndian.PutUint64(number[1:], uint64(w.table.Number(w.p, w.places.at)))
	return !w.d.addName(&w.names, number[:], 0, true)
}

// entryLast is entry where the value is read before the key.
func (w *tableWriter) entryLast(name []byte, start, i int) int {
	d := w.d
	v, colon := d.colon(i)
	if !colon {
		return -1
	}
	name = append([]byte(nil), name...)
	w.val.SetZero()
	end := d.value(w.n.elem, w.val.Addr().UnsafePointer(), v)
	if end < 0 {
		return -1
	}
	w.key.SetZero()
	if w.readKey(name, start, i) {
		p, _ := w.table.Place(w.p, w.places.at)
		mem.Value(w.n.elem.typ, p).Set(w.val)
	}
	if d.fatal != nil {
		return -1
	}
	return end
}
