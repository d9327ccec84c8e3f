package decode

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
	"github.com/harena-go/arena/arenajson/internal/text"
	"github.com/harena-go/arena/internal/engine/smallmap"
)

// This file decodes objects into Go maps. A new map of at most eight entries is in the arena
// (package smallmap). Its values are decoded in place, and no entry is moved; with a ninth the
// runtime moves the map to the Go heap. Maps of other types are made there. The memory of keys and
// values is in the arena either way, except keys that the decoder remembers (keys.go). With a
// self-contained arena all maps are on the heap, and the arena keeps alive those that it refers to.
//
// A key and a value are decoded into two places and copied to the map by reflect; maps of strings
// to most types (putEntry), and those to any, are filled directly. The map's length, or its entry
// for the key, shows whether a name is new. Where that isn't enough, the names or the keys of this
// object are collected as well:
//
//	the map had entries before       the decoded keys, in a map of their own
//	names may give the same key      the names, in a syntax.NameSet
//
// The original encoding/json decodes the value before the key, so that an error in the key comes
// after one in the value.

// errNilInterface is for values that go to a nil interface with methods.
var errNilInterface = errors.New("cannot derive concrete type for nil interface with finite type set")

// mapping decodes an object into the map at p, which it makes if it is nil. Present entries stay;
// the object's entries replace them, or in version 2 are merged into them.
func (d *decoder) mapping(n *plan.Node, p unsafe.Pointer, i int) int {
	at := d.at
	if at == nil || at != &d.keys.root && at != &d.keys.other {
		return d.mappingIn(n, p, i)
	}
	// It isn't in the value of a key. Maps of one type are more likely to begin alike than all maps
	// are.
	d.at = d.keys.place(n)
	i = d.mappingIn(n, p, i)
	d.at = at
	return i
}

// mappingIn is mapping, in the value of a key.
func (d *decoder) mappingIn(n *plan.Node, p unsafe.Pointer, i int) int {
	if d.Peek(i) != '{' {
		return d.notList(n, p, i, true)
	}
	if option.Classic && d.Flags&option.Legacy != 0 && !plan.NamesKeys(n.MapKey.Type) {
		return d.mismatch(n.Type, i, nil)
	}
	fresh := mem.Get[unsafe.Pointer](p) == nil
	if fresh && n.Native == plan.NativeAnys && !d.merges() {
		m, end := d.anyObject(i)
		mem.Set(p, m)
		return end
	}
	if !d.Enter() {
		return -1
	}
	i = text.SkipSpace(d.Data, i+1)
	more := d.Peek(i) != '}'
	from, start := (*key)(nil), i // from is nil if the tree of keys isn't used
	if s := d.small(n); fresh && (s == nil || !more) {
		d.makeMap(n, n.Small(), p, 0)
	} else if fresh {
		from = d.at
		wide := from.begins(d.Data, i)
		if d.makeMap(n, s, p, wide); wide == 0 {
			// The original drops a value that has failed, except in its direct ways.
			keep := !option.Classic || d.Flags&option.Legacy == 0 || n.Native != 0
			var done bool
			if _, i, done = d.keyMembers(s, n.Elem, mem.Get[unsafe.Pointer](p), i, keep); i < 0 {
				return -1
			} else if done {
				d.Depth++
				return i
			}
		}
	}
	w := mapWriter{d: d, n: n, first: start, m: mem.Value(n.Type, p), names: syntax.NameSet{Base: -1}}
	if more {
		w.begin(fresh)
	}
	if from != nil {
		d.at = &d.keys.other // the next names aren't in the tree
	}
	for more {
		if i = w.entry(i); i < 0 {
			break
		}
		switch i = text.SkipSpace(d.Data, i); d.Peek(i) {
		case ',':
			i = text.SkipSpace(d.Data, i+1)
		case '}':
			more = false
		default:
			return -1
		}
	}
	w.end()
	if i < 0 {
		return -1
	}
	if from != nil {
		d.at = from
		from.ends(d.Data, start, w.m.Len())
	}
	d.Depth++
	return i + 1
}

// keyMembers decodes the members from i on, up to the end of the object or to a name that isn't in
// the tree of keys. It returns the last key, and its position: behind the brace if done, else at a
// name, or -1.
//
// The members go to the slots of the new map at p, up to the ninth; or if p is nil to the stack, as
// values of type any. keep keeps a failed value in the map, as far as it was decoded.
func (d *decoder) keyMembers(s *plan.Small, n *plan.Node, p unsafe.Pointer, i int, keep bool) (
	last *key, end int, done bool) {
	data, from := d.Data, d.at
	k, next := &d.keys.root, from.first
	for {
		// The key that came here the last time, if it matches.
		f := next
		if f != nil && f.Begins(data, i) && (f.Size <= 8 || f.Ends(data, i) && (f.Size <= 16 || f.Middle(data, i))) {
			i = text.SkipSpace(data, i+f.Size)
		} else {
			v := 0
			if f, v = d.nextKey(k, i); f == nil {
				if v < 0 {
					i = -1
				}
				break
			}
			if i = v; k.depth == 0 {
				from.first = f
			} else {
				k.next = f
			}
		}
		// Decode the value in place.
		d.at = f
		if p == nil {
			var x any
			x, i = d.any(i)
			d.members.push(plan.Pair{Name: f.name, Value: x})
		} else {
			// The slot is used from now on: an unused slot must be zero, and decoding may end in a
			// panic.
			name, at := s.Entry(p, k.depth)
			*name = f.name
			s.Count(p, k.depth, f.control)
			if n.Kind == plan.KindAny {
				var x any
				x, i = d.any(i)
				mem.Set(at, x)
			} else {
				i = d.value(n, at, i)
			}
			if i < 0 && !keep {
				setZero(n, at)
				s.Drop(p, k.depth)
			}
		}
		k, next = f, f.next
		if i < 0 {
			break
		}
		if i = text.SkipSpace(data, i); uint(i) < uint(len(data)) && data[i] == ',' {
			if i = text.SkipSpace(data, i+1); p != nil && k.depth == smallmap.Most {
				break
			}
			continue
		}
		if uint(i) < uint(len(data)) && data[i] == '}' {
			i, done = i+1, true
		} else {
			i = -1
		}
		break
	}
	d.at = from
	return k, i, done
}

// A mapWriter decodes the members of one object into a map. anys or shape is set if the map is
// filled directly; else key and val are used.
type mapWriter struct {
	d        *decoder
	n        *plan.Node
	first    int // start of the first member
	m        reflect.Value
	*mapCell                // places for a key and a value
	before   reflect.Value  // a map of the decoded keys, if there were entries at first
	names    syntax.NameSet // if different names may give the same key
	anys     *map[string]any
	shape    shape
	to, cell unsafe.Pointer // addresses of the map, and of a value
}

// A mapCell is the places for a key and a value to be decoded. Plans of maps keep the unused ones.
type mapCell struct{ key, val reflect.Value }

// end returns the writer's memory.
func (w *mapWriter) end() {
	if w.names.Base >= 0 {
		w.d.CloseNames(&w.names)
	}
	if w.mapCell != nil {
		w.key.SetZero()
		w.val.SetZero()
		w.n.Cells.Put(w.mapCell)
	}
}

// begin selects the way for members into the map. A map that isn't empty goes through reflect if
// names must be unique: its length can't show duplicates then. fresh: all entries are of this
// object.
func (w *mapWriter) begin(fresh bool) {
	d, t := w.d, w.n.Type
	unique := d.Flags&option.AllowDuplicateNames == 0
	p := w.m.Addr().UnsafePointer()
	if t.Key().Kind() == reflect.String && w.n.MapKey.Kind == plan.KindString && !(unique && !fresh && w.m.Len() > 0) {
		if t.Elem() == plan.AnyType {
			w.anys = mem.At[map[string]any](p) // no places needed
			return
		}
		if !option.Classic || d.Flags&option.Legacy == 0 || t.Elem() == plan.StringType {
			w.shape = shapeOf(w.n)
		}
	}
	// Places for a key and a value, and a map of the decoded keys if there are earlier entries.
	if w.mapCell, _ = w.n.Cells.Get().(*mapCell); w.mapCell == nil {
		w.mapCell = &mapCell{reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()}
	}
	if w.shape != noShape {
		w.to, w.cell = p, w.val.Addr().UnsafePointer()
		return
	}
	if unique && !fresh && w.m.Len() > 0 {
		w.before = reflect.MakeMap(reflect.MapOf(t.Key(), reflect.TypeFor[struct{}]()))
	}
	if unique && !d.keysTell(w.n.MapKey.Kind) {
		w.names = d.OpenNames()
	}
}

// keysTell reports whether different names always give different keys of a kind, so that unique
// keys prove unique names. That isn't so for floats, types with methods, and replaced invalid
// UTF-8.
func (d *decoder) keysTell(k plan.Kind) bool {
	switch k {
	case plan.KindInt64, plan.KindInt, plan.KindUint, plan.KindBool:
		return true
	}
	return k == plan.KindString && d.Flags&option.AllowInvalidUTF8 == 0
}

// entry decodes one member, and returns its end.
func (w *mapWriter) entry(i int) int {
	d, start := w.d, i
	name, i := d.Text(i)
	if i < 0 {
		return -1
	}
	switch {
	case w.shape != noShape:
		return w.shapedEntry(name, start, i)
	case w.anys != nil:
		return w.anyEntry(name, start, i)
	}
	// The names show duplicates that keys can't show.
	if w.names.Base >= 0 && !d.AddName(&w.names, name, start+1, !text.Within(d.Data, name, start+1)) {
		return d.duplicateAt(start)
	}
	if option.Classic && d.Flags&option.Legacy != 0 {
		return w.entryClassic(name, start, i)
	}
	w.key.SetZero()
	// If the key fails, the options of v1 skip the value.
	ok := w.readKey(name, start, i)
	if d.err != nil || d.methodErr != nil && d.Flags&option.Legacy == 0 {
		return -1
	}
	v, colon := d.Colon(i)
	switch {
	case !colon:
		return -1
	case !ok:
		return d.Skip(v)
	}
	return w.readValue(start, v)
}

// readValue decodes the value at v of the entry whose name is at start. In version 2 it starts with
// a copy of the map's value for the key.
func (w *mapWriter) readValue(start, v int) int {
	d := w.d
	w.val.SetZero()
	// The entry of this key is an earlier one, or a duplicate.
	if old := w.m.MapIndex(w.key); old.IsValid() {
		if d.Flags&option.AllowDuplicateNames == 0 && (!w.before.IsValid() || w.before.MapIndex(w.key).IsValid()) {
			return d.duplicateAt(start)
		}
		if d.Flags&option.Legacy == 0 {
			w.val.Set(old)
		}
	}
	end := d.value(w.n.Elem, w.val.Addr().UnsafePointer(), v)
	// On an error the part decoded so far stays.
	w.m.SetMapIndex(w.key, w.val)
	if w.before.IsValid() {
		w.before.SetMapIndex(w.key, reflect.ValueOf(struct{}{}))
	}
	return end
}

// entryClassic is entry in the order of the original: the value first.
func (w *mapWriter) entryClassic(name []byte, start, i int) int {
	d := w.d
	v, colon := d.Colon(i)
	if !colon {
		return -1
	}
	// The value may use the scratch that holds a name with escapes.
	if !text.Within(d.Data, name, start+1) {
		name = slices.Clone(name)
	}
	w.val.SetZero()
	end := d.value(w.n.Elem, w.val.Addr().UnsafePointer(), v)
	if end < 0 {
		return -1
	}
	w.key.SetZero()
	if w.readKey(name, start, i) {
		w.m.SetMapIndex(w.key, w.val)
	}
	if d.fatal != nil {
		return -1
	}
	return end
}

// shapedEntry is entry for a map whose elements have a shape.
func (w *mapWriter) shapedEntry(name []byte, start, i int) int {
	switch w.shape {
	case shape1:
		return putEntry[uint8](w, name, start, i)
	case shape2:
		return putEntry[uint16](w, name, start, i)
	case shape4:
		return putEntry[uint32](w, name, start, i)
	case shape8:
		return putEntry[uint64](w, name, start, i)
	case shapePointer:
		return putEntry[unsafe.Pointer](w, name, start, i)
	case shapeSlice:
		return putEntry[mem.Slice](w, name, start, i)
	}
	return putEntry[string](w, name, start, i)
}

// putEntry is entry for a map from strings to elements with the layout of an E.
func putEntry[E any](w *mapWriter, name []byte, start, i int) int {
	d := w.d
	key := d.keep(name, start+1)
	v, ok := d.Colon(i)
	if !ok {
		return -1
	}
	m, e := *mem.At[map[string]E](w.to), mem.At[E](w.cell)
	var zero E
	*e = zero
	// The length shows whether the key is new. A duplicate's value isn't decoded if decoding may
	// have an effect.
	before, unique := len(m), d.Flags&option.AllowDuplicateNames == 0
	if unique && !w.n.Elem.Scalar {
		if m[key] = zero; len(m) == before {
			return w.again(key, start, func() { m[key] = *e })
		}
		before = -1
	} else if d.merges() {
		*e = m[key]
	}
	end := d.value(w.n.Elem, w.cell, v)
	// On an error the part decoded so far stays.
	if m[key] = *e; unique && len(m) == before {
		return w.again(key, start, func() { m[key] = *e })
	}
	return end
}

// again reports that the member at start is the second of its name. The map has lost the first
// value, which again decodes once more and stores with put.
//
//go:noinline
func (w *mapWriter) again(key string, start int, put func()) int {
	d := w.d
	for i := w.first; i < start; {
		name, end := d.Text(i)
		same := string(name) == key
		v, _ := d.Colon(end)
		if same {
			w.val.SetZero()
			d.value(w.n.Elem, w.cell, v)
			put()
			break
		}
		i = text.SkipSpace(d.Data, d.Skip(v))
		i = text.SkipSpace(d.Data, i+1)
	}
	return d.duplicateAt(start)
}

// anyEntry is entry for a map of strings to any. Version 2 merges its values if names need not be
// unique.
func (w *mapWriter) anyEntry(name []byte, start, i int) int {
	d := w.d
	key := d.keep(name, start+1)
	v, ok := d.Colon(i)
	if !ok {
		return -1
	}
	m, before := *w.anys, len(*w.anys)
	var x any
	if d.Flags&option.AllowDuplicateNames == 0 {
		if m[key] = x; len(m) == before {
			return d.duplicateAt(start)
		}
		// Version 2 merges into the first value of a name.
	} else if d.Flags&option.Legacy == 0 {
		x = m[key]
	}
	var end int
	if x == nil {
		x, end = d.any(v)
	} else {
		old := x // this copy escapes
		end = d.anyTo(w.n.Elem, unsafe.Pointer(&old), v)
		x = old
	}
	m[key] = x
	return end
}

// readKey decodes a name into w.key, and reports whether it succeeded. Numbers are decoded from the
// name's text after unescaping; other kinds as a value, from the string.
func (w *mapWriter) readKey(name []byte, start, end int) bool {
	d, k := w.d, w.n.MapKey
	p := w.key.Addr().UnsafePointer()
	switch k.Kind {
	case plan.KindString:
		mem.Set(p, d.keep(name, start+1))
		return true
	case plan.KindNumber:
		if d.Flags&option.Legacy != 0 { // accepts any string
			mem.Set(p, d.keep(name, start+1))
			return true
		}
	case plan.KindInt64, plan.KindInt, plan.KindUint, plan.KindFloat64, plan.KindFloat32:
		if err := d.fromString(k, p, name); err != nil {
			return d.mismatch(k.Type, start, err) == end && d.Flags&option.Legacy == 0
		}
		return true
	}
	// Any other key is decoded as a value from the name, which is a string.
	faults, flags := d.faults, d.Flags
	d.Flags |= option.StringifyNumbers
	i := d.value(k, p, start)
	d.Flags = flags
	ok := i >= 0 && d.faults == faults
	// reflect would panic for such a key.
	if ok && w.key.Kind() == reflect.Interface && !w.key.IsNil() && !w.key.Elem().Type().Comparable() {
		d.misfit(w.n.Type, i, start, '"', fmt.Errorf("invalid incomparable key type %v", w.key.Elem().Type()))
		return false
	}
	return ok
}
