package decode

import (
	"encoding/binary"
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file decodes objects and arrays into containers of package collections.
//
// A container with memory has an arena, too. All its new contents are allocated there, regardless
// of the decoder's arena: so they live as long as it does, in memory that it keeps alive. A
// container without memory uses the decoder's arena.
//
// A Slice is decoded as the Go slice in it. A Map has a loop like that of mapping; its values are
// decoded in place, since its memory doesn't move meanwhile: the entries that a value adds go to
// another Map.

// list decodes an array into the Slice at p, as into the Go slice in it.
func (d *decoder) list(n *plan.Node, p unsafe.Pointer, i int) int {
	c := n.Container
	items := c.List.Items(p)
	if b := d.Peek(i); b != '[' && (b != '"' || c.Items.Kind != plan.KindBytes) { // null, or a value that doesn't fit
		return d.value(c.Items, items, i)
	}
	// The container's arena is for its contents only.
	a, f := d.a, d.Flags
	if !d.lend(n, c.List.Adopt(p, d.lasting())) {
		return -1
	}
	i = d.value(c.Items, items, i)
	d.a, d.Flags = a, f
	return i
}

// lend selects a container's arena, which may differ from the decoder's, for the next values. It
// reports whether that arena may hold them. The caller restores d.a and d.Flags.
func (d *decoder) lend(n *plan.Node, a *arena.Arena) bool {
	if a == d.a {
		return true
	}
	// The other arena may refuse types that the decoder's accepts.
	if n.Foreign && a.SelfContained() {
		if err := plan.Refuse(n); d.Flags&option.Legacy != 0 {
			d.stop(err)
		} else {
			d.methodErr = err
		}
		return false
	}
	d.a = a
	d.Flags &^= option.ReferenceInput | option.Batch // the input is in other memory, or a batch ends before
	return true
}

// table decodes an object into the Map at p. Values are decoded in place, in the Map's memory,
// without the two copies that a Go map takes.
func (d *decoder) table(n *plan.Node, p unsafe.Pointer, i int) int {
	if d.Peek(i) != '{' {
		return d.notTable(n, p, i)
	}
	if option.Classic && d.Flags&option.Legacy != 0 && !plan.NamesKeys(n.MapKey.Type) {
		return d.mismatch(n.Type, i, nil)
	}
	if !d.Enter() {
		return -1
	}
	a, f := d.a, d.Flags
	if !d.lend(n, n.Container.Table.Adopt(p, d.lasting())) {
		return -1
	}
	// From here on w has places that must be returned.
	w := d.newTableWriter(n, p)
	i = text.SkipSpace(d.Data, i+1)
	for more := d.Peek(i) != '}'; more; {
		if i = w.entry(i); i < 0 {
			break
		}
		switch i = text.SkipSpace(d.Data, i); d.Peek(i) {
		case ',':
			i = text.SkipSpace(d.Data, i+1)
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
	d.a, d.Flags = a, f
	if i < 0 {
		return -1
	}
	d.Depth++
	return i + 1
}

// notTable is table for other kinds of values. null leaves an empty map.
func (d *decoder) notTable(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "null"); end >= 0 {
		n.Container.Table.Forget(p)
		return end
	}
	return d.mismatchToken(n.Type, i, nil)
}

// A mapEntry is places for a key and a value. at is the address of the key, since most kinds are
// decoded by address.
type mapEntry struct {
	mapCell
	at unsafe.Pointer // of the key
}

// mapEntryOf returns an entry for a Map of a plan's type, a kept one if there is one.
func mapEntryOf(n *plan.Node) *mapEntry {
	if e, ok := n.Container.Entries.Get().(*mapEntry); ok {
		return e
	}
	k := reflect.New(n.MapKey.Type)
	return &mapEntry{mapCell{k.Elem(), reflect.New(n.Elem.Type).Elem()}, k.UnsafePointer()}
}

// A tableWriter decodes the members of one object into a Map. It is like a mapWriter, but decodes
// values in place.
type tableWriter struct {
	mapWriter // for its decoding of keys
	table     plan.MapCoding
	p         unsafe.Pointer // of the Map
	places    *mapEntry
	text      bool // keys are strings
	named     bool // different names may give the same key
	last      bool // the value is decoded before the key, as in the original encoding/json
	unique    bool
	fresh     bool // there were no entries at first; else names has the numbers of those decoded
}

// newTableWriter selects the way for members into the Map, and its memory. The caller must call
// end.
func (d *decoder) newTableWriter(n *plan.Node, p unsafe.Pointer) tableWriter {
	places := mapEntryOf(n)
	m := mapWriter{d: d, n: n, mapCell: &places.mapCell, names: syntax.NameSet{Base: -1}}
	w := tableWriter{mapWriter: m, table: n.Container.Table, p: p, places: places}
	k := n.MapKey.Kind
	w.fresh = w.table.Len(p) == 0
	w.unique = d.Flags&option.AllowDuplicateNames == 0
	w.text = k == plan.KindString
	// The original decodes the value first, where that makes a difference.
	w.last = option.Classic && d.Flags&option.Legacy != 0 && (!w.text || n.Elem.Foreign || n.Elem.Quoted)
	w.named = w.unique && !d.keysTell(k)
	if w.named || w.unique && !w.fresh {
		w.names = d.OpenNames()
	}
	return w
}

// end releases the writer's memory: the places are cleared and kept for the next object.
func (w *tableWriter) end() {
	d := w.d
	if w.names.Base >= 0 {
		d.CloseNames(&w.names)
	}
	// Nothing of the text may stay in the kept places.
	if w.text {
		mem.Set(w.places.at, "")
	} else {
		w.key.SetZero()
	}
	if w.last {
		w.val.SetZero()
	}
	w.n.Container.Entries.Put(w.places)
}

// entry decodes one member, and returns its end.
func (w *tableWriter) entry(i int) int {
	d, start := w.d, i
	name, i := d.Text(i)
	if i < 0 {
		return -1
	}
	if w.named && !d.AddName(&w.names, name, start+1, !text.Within(d.Data, name, start+1)) {
		return d.duplicateAt(start)
	}
	if w.last {
		return w.entryLast(name, start, i)
	}
	ok := true
	// A string key is copied to the arena, even if the Map has it already.
	if w.text {
		mem.Set(w.places.at, d.keep(name, start+1))
	} else {
		w.key.SetZero()
		ok = w.readKey(name, start, i)
		if d.err != nil || d.methodErr != nil && d.Flags&option.Legacy == 0 {
			return -1
		}
	}
	v, colon := d.Colon(i)
	switch {
	case !colon:
		return -1
	case !ok:
		return d.Skip(v)
	}
	return w.value(start, v)
}

// value decodes the value at v of the entry whose name is at start in place. With the options of v1
// it replaces the present value; in version 2 it is merged into it.
func (w *tableWriter) value(start, v int) int {
	d, elem := w.d, w.n.Elem
	// Place makes a missing entry: zero, in the Map's memory.
	p, found := w.table.Place(w.p, w.places.at)
	if w.unique && (found || !w.fresh) && w.seen(found) {
		return d.duplicateAt(start)
	}
	if found && d.Flags&option.Legacy != 0 {
		setZero(elem, p)
	}
	return d.value(elem, p, v)
}

// seen records that an entry, which was found or made, was decoded, and reports whether it is a
// duplicate. If the Map had entries at first, the numbers of the decoded ones are recorded as
// names.
func (w *tableWriter) seen(found bool) bool {
	// All entries are of this object, so one that was found is a duplicate.
	if w.fresh {
		return found
	}
	number := [9]byte{0xff} // no name begins so, since it isn't UTF-8
	binary.LittleEndian.PutUint64(number[1:], uint64(w.table.Number(w.p, w.places.at)))
	return !w.d.AddName(&w.names, number[:], 0, true)
}

// entryLast is entry with the value decoded before the key.
func (w *tableWriter) entryLast(name []byte, start, i int) int {
	d := w.d
	v, colon := d.Colon(i)
	if !colon {
		return -1
	}
	name = append([]byte(nil), name...)
	w.val.SetZero()
	end := d.value(w.n.Elem, w.val.Addr().UnsafePointer(), v)
	if end < 0 {
		return -1
	}
	w.key.SetZero()
	if w.readKey(name, start, i) {
		p, _ := w.table.Place(w.p, w.places.at)
		mem.Value(w.n.Elem.Type, p).Set(w.val)
	}
	if d.fatal != nil {
		return -1
	}
	return end
}
