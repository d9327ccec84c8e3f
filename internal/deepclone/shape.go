package deepclone

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A typeShape holds the places in a type that DeepClone has to follow. Shapes are made once for each type and never
// change after shapeOf has returned them.
type typeShape struct {
	typ   reflect.Type
	size  uintptr
	slots []slot // to follow; ascending offsets, structs flattened
	words []slot // all that holds pointers, followed or not; a superset of slots

	// An array is count consecutive values of base, for any nesting of arrays; other
	// types are one value of themselves. Ranges of memory are measured in bases, so that
	// an array, a slice over it and a pointer to it look the same.
	base  *typeShape
	count int

	sliceType reflect.Type // []typ, nil if there are no words
	direct    bool         // an interface stores it in its data word, without a box
	filled    bool         // used under shapes.mutex only

	key, value *typeShape // of a map
	hook       Hook       // of slotHook
}

// plain reports whether values of the type have no pointers for the GC.
func (s *typeShape) plain() bool { return len(s.words) == 0 }

// A slot is one place within a type. elem is the shape of the target, the shape of the map for slotMap, the repeated
// shape for slotArray, and that of the place itself for slotFresh and slotHook.
type slot struct {
	offset uintptr
	kind   slotKind
	count  int // of slotArray; of slotLog, the distance of the length from the pointer
	elem   *typeShape
}

type slotKind uint8

const (
	slotOpaque    slotKind = iota // pointers that are copied as they are
	slotPointer                   // *elem
	slotError                     // *errors.errorString, see globalError
	slotSlice                     // []elem
	slotString                    // string
	slotMap                       // map
	slotAny                       // interface without methods
	slotInterface                 // interface with methods
	slotArray                     // count times elem
	slotSyncMap                   // a sync.Map by value
	slotLog                       // the pointer in a slog.Value
	slotFresh                     // an Arena by value, say: it is zero in the clone
	slotHook                      // of size zero, see Hook
	slotRefused                   // a reflect.Value, which must be zero
)

var shapes struct {
	ready sync.Map // reflect.Type to *typeShape, with all shapes they lead to filled
	mutex sync.Mutex
	known map[reflect.Type]*typeShape // under mutex
	todo  []*typeShape                // under mutex; known and not yet published

	// A cache in front of ready, at half the cost of a look-up there.
	recent [recentShapes]atomic.Pointer[typeShape]
}

const recentShapes = 256

// shapeOf returns the shape of t, always the same one for the same type. No variable is set to one at start-up: the
// linker would then put this package, 40 KB for amd64, into programs that clone nothing.
func shapeOf(t reflect.Type) *typeShape {
	// The address of the type descriptor serves as its hash.
	number := uintptr((*interfaceWords)(unsafe.Pointer(&t)).data) / 64 // fact 9
	recent := &shapes.recent[number%recentShapes]
	s := recent.Load()
	if s == nil || s.typ != t {
		if known, ok := shapes.ready.Load(t); ok {
			s = known.(*typeShape)
		} else {
			s = makeShape(t)
		}
		recent.Store(s)
	}
	return s
}

// makeShape fills the shapes of t and of all types that t leads to. A type may be reached
// again before its shape is filled (type node struct{ next *node }); nobody else sees it
// until all are complete.
func makeShape(t reflect.Type) *typeShape {
	r := &shapes
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.known == nil {
		r.known = map[reflect.Type]*typeShape{}
	}
	s := shapeToFill(t)
	for i := 0; i < len(r.todo); i++ {
		r.todo[i].fill()
	}
	for _, s := range r.todo {
		r.ready.Store(s.typ, s)
	}
	r.todo = nil
	return s
}

// shapeToFill returns the shape of t, to be filled later if it is new.
func shapeToFill(t reflect.Type) *typeShape {
	s := shapes.known[t]
	if s == nil {
		s = &typeShape{typ: t, size: t.Size(), count: 1}
		s.base = s
		shapes.known[t] = s
		shapes.todo = append(shapes.todo, s)
	}
	return s
}

// filledShape is shapeToFill for a type that another one contains by value, which
// cannot lead back to itself.
func filledShape(t reflect.Type) *typeShape {
	s := shapeToFill(t)
	s.fill()
	return s
}

func (s *typeShape) fill() {
	if s.filled {
		return
	}
	s.filled = true
	switch t := s.typ; t.Kind() {
	case reflect.Pointer:
		s.fillPointer(t.Elem())
	case reflect.Slice:
		s.add(slot{kind: slotSlice, elem: shapeToFill(t.Elem())})
	case reflect.String:
		s.add(slot{kind: slotString, elem: shapeToFill(reflect.TypeFor[byte]())})
	case reflect.Map:
		s.key, s.value = shapeToFill(t.Key()), shapeToFill(t.Elem())
		s.add(slot{kind: slotMap, elem: s})
	case reflect.Interface:
		kind := slotInterface
		if t.NumMethod() == 0 {
			kind = slotAny
		}
		s.add(slot{kind: kind})
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		s.add(slot{kind: slotOpaque})
	case reflect.Array:
		s.fillArray(filledShape(t.Elem()), t.Len())
	case reflect.Struct:
		s.fillStruct()
	}
	s.direct = storedDirectly(s)
	if !s.plain() {
		s.sliceType = reflect.SliceOf(s.typ)
	}
}

// add appends to the words, and to the slots if there is something to follow.
func (s *typeShape) add(slot slot) {
	s.words = append(s.words, slot)
	if slot.kind != slotOpaque {
		s.slots = append(s.slots, slot)
	}
}

func (s *typeShape) fillPointer(elem reflect.Type) {
	slot := slot{kind: slotPointer}
	switch {
	case keepsIdentity(elem):
		slot.kind = slotOpaque
	case typeName(elem) == "errors.errorString":
		slot.kind = slotError
	}
	if slot.kind != slotOpaque {
		slot.elem = shapeToFill(elem)
	}
	s.add(slot)
}

func (s *typeShape) fillArray(elem *typeShape, n int) {
	s.base, s.count = elem.base, n*elem.count
	switch {
	case n == 0 || elem.plain():
	case s.count == 1:
		s.words, s.slots = elem.words, elem.slots
	default:
		array := slot{kind: slotArray, count: s.count, elem: s.base}
		s.words = []slot{array}
		if len(elem.slots) > 0 {
			s.slots = s.words
		}
	}
}

func (s *typeShape) fillStruct() {
	t := s.typ
	for i := range t.NumField() {
		f := t.Field(i)
		elem := filledShape(f.Type)
		s.words = appendShifted(s.words, elem.words, f.Offset)
		if startsAnew(t, f.Name) {
			s.slots = append(s.slots, slot{offset: f.Offset, kind: slotFresh, elem: elem})
		} else {
			s.slots = appendShifted(s.slots, elem.slots, f.Offset)
		}
	}
	s.fillSpecial()
}

// fillSpecial corrects the slots of structs that have more than their fields show.
func (s *typeShape) fillSpecial() {
	t := s.typ
	switch name := typeName(t); {
	case name == "unique.Handle", name == arenaPackage+".Typed": // stand for something else
		s.slots = nil
	case isArenaType(t), name == "runtime.Pinner":
		s.slots = []slot{{kind: slotFresh, elem: s}}
	case name == "sync.Map":
		s.slots = []slot{{kind: slotSyncMap}}
	case name == "reflect.Value":
		s.slots = []slot{{kind: slotRefused}}
	case name == "log/slog.Value":
		s.fillLog()
	case name == "sync/atomic.Pointer":
		s.fillAtomic()
	case s.size == 0 && t.Implements(hookType):
		s.hook = reflect.Zero(t).Interface().(Hook)
		s.slots = []slot{{kind: slotHook, elem: s}}
	}
}

// fillAtomic fills the shape of struct { _ [0]*T; _ noCopy; v unsafe.Pointer }, as if v were a *T.
func (s *typeShape) fillAtomic() {
	v, ok := s.typ.FieldByName("v")
	if first := s.typ.Field(0).Type; ok && first.Kind() == reflect.Array {
		pointer := filledShape(first.Elem())
		s.words = appendShifted(nil, pointer.words, v.Offset)
		s.slots = appendShifted(nil, pointer.slots, v.Offset)
	}
}

// fillLog fills the shape of struct { num uint64; any any }. If any has a pointer to the
// first byte of a string or to the first of a group's attributes, num says how many there are.
func (s *typeShape) fillLog() {
	num, ok := s.typ.FieldByName("num")
	if len(s.slots) == 1 && ok && num.Type.Kind() == reflect.Uint64 {
		s.slots = slices.Clone(s.slots)
		s.slots[0].kind = slotLog
		s.slots[0].count = int(num.Offset) - int(s.slots[0].offset)
	}
}

func appendShifted(to, slots []slot, by uintptr) []slot {
	for _, slot := range slots {
		slot.offset += by
		to = append(to, slot)
	}
	return to
}

// storedDirectly finds out by trial whether an interface holds values of the type in its
// data word or in a box. Which types are "pointer-shaped" differs between Go versions.
func storedDirectly(s *typeShape) bool {
	if s.size != unsafe.Sizeof(uintptr(0)) || s.plain() {
		return false
	}
	probe := reflect.New(s.typ)
	word := (*unsafe.Pointer)(probe.UnsafePointer())
	*word = unsafe.Pointer(word) // a value that is neither nil nor the address of a box
	held := probe.Elem().Interface()
	return (*interfaceWords)(unsafe.Pointer(&held)).data == *word
}

// holds reports whether a value of s has at offset off the same pointer words as a
// value of t, so that t may live inside of s. Names of types don't matter: a pointer
// may have been converted to another type with the same fields.
func (s *typeShape) holds(off uintptr, t *typeShape) bool {
	for _, w := range t.words {
		if w.kind == slotArray {
			for i := range w.count {
				if !s.holds(off+w.offset+uintptr(i)*w.elem.size, w.elem) {
					return false
				}
			}
		} else if s.wordAt((off+w.offset)%s.size) != w.kind {
			return false
		}
	}
	return true
}

// wordAt returns the kind of word at off within s, or slotArray if there is none.
func (s *typeShape) wordAt(off uintptr) slotKind {
	i, ok := slices.BinarySearchFunc(s.words, off, func(w slot, off uintptr) int {
		return int(w.offset) - int(off)
	})
	if !ok {
		i--
	}
	if i < 0 {
		return slotArray
	}
	w := s.words[i]
	switch off -= w.offset; {
	case w.kind == slotArray && off < uintptr(w.count)*w.elem.size:
		return w.elem.wordAt(off % w.elem.size)
	case off == 0:
		return w.kind
	}
	return slotArray
}
