package decode

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds how members go to maps of strings without reflect, which takes twice the time. A map is
// used as one of another type, whose elements are laid out alike: of words of the same size without pointers,
// or with pointers at the same places. What the runtime does with a map depends on nothing else of its
// elements. Package smallmap must know the type, and so how this version of Go lays it out.

// A shape says how elements are laid out.
type shape uint8

const (
	noShape shape = iota // reflect has to do it
	shape1               // bytes without pointers
	shape2
	shape4
	shape8
	shapeString
	shapePointer
	shapeSlice
)

// shapeOf returns the shape of the elements of a plan's maps.
func shapeOf(n *plan.Node) shape {
	if n.Elem.Type != plan.StringType && n.Small() == nil {
		return noShape
	}
	switch k := n.Elem.Type.Kind(); {
	case k == reflect.String:
		return shapeString
	case k == reflect.Pointer || k == reflect.Map:
		return shapePointer
	case k == reflect.Slice:
		return shapeSlice
	case k < reflect.Bool || k > reflect.Float64 || k == reflect.Uintptr:
		return noShape
	}
	switch n.Elem.Size {
	case 1:
		return shape1
	case 2:
		return shape2
	case 4:
		return shape4
	}
	return shape8
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

// putEntry is entry for a map from strings to elements that are laid out as an E is.
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
	// Whether the key is new can be told by the length. The value of a duplicate isn't read where reading it
	// may have an effect.
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
	// On an error too: what was read until then stays.
	if m[key] = *e; unique && len(m) == before {
		return w.again(key, start, func() { m[key] = *e })
	}
	return end
}

// again reports that the member at start is the second of its name. The map has lost the value of the first,
// which is read once more, and put.
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
