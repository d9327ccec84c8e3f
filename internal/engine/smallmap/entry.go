package smallmap

import (
	"math/rand/v2"
	"reflect"
	"sync"
	"unsafe"
)

// This file puts entries into the slots of a map whose keys are strings, without the runtime.

// A Seed determines the hashes of a map. It is a secret number: with it, one could choose keys that make a map slow
// once it has grown.
type Seed struct{ seed uintptr }

// NewSeed returns a random seed.
func NewSeed() Seed { return Seed{uintptr(rand.Uint64())} }

// ofStrings lays out the maps by which keys are hashed; nil where there are none.
var ofStrings = sync.OnceValue(func() *Layout { return plainOf(reflect.TypeFor[map[string]string]()) })

// Control returns the byte of the control word for a key in maps of the seed (fact G). The runtime computes it, by
// storing the key in a map that is made for that. It needs a toolchain with small maps.
func (s Seed) Control(key string) byte {
	l := ofStrings()
	p := reflect.New(l.typ).UnsafePointer()
	l.BeginWith(p, s)
	m := *(*map[string]string)(unsafe.Pointer(&p)) // fact 9
	m[key] = ""
	return *(*byte)(unsafe.Add(p, l.group)) // facts 11, G
}

// Entries reports whether callers may fill slots of such maps.
func (l *Layout) Entries() bool { return l.keyStep > 0 }

// Entry returns the addresses of the key and the element of slot i of the map at p. The caller fills slots from 0 on,
// in maps that were changed in no other way, and calls Count for each. The element of a slot without Count must be zero
// at any other operation on the map: m[k] += v relies on it.
func (l *Layout) Entry(p unsafe.Pointer, i int) (key *string, elem unsafe.Pointer) {
	group := unsafe.Add(p, l.group) // facts 11, E
	return (*string)(unsafe.Add(group, 8+uintptr(i)*l.keyStep)), unsafe.Add(group, l.elem+uintptr(i)*l.elemStep)
}

// Count makes slot i an entry, which is the last: its key has the byte control, for the seed of the map. No other slot
// has the key.
func (l *Layout) Count(p unsafe.Pointer, i int, control byte) {
	*(*byte)(unsafe.Add(p, l.group+uintptr(i))) = control // facts 11, G
	(*header)(p).used = count(i) + 1                      // fact E
}

// Drop makes slot i, the last entry, empty. The caller has set its element to zero.
func (l *Layout) Drop(p unsafe.Pointer, i int) {
	*(*byte)(unsafe.Add(p, l.group+uintptr(i))) = empty & 0xff // facts 11, E
	(*header)(p).used = count(i)
}

// allowEntries finds out whether callers may fill slots, whose keys must be strings.
func (l *Layout) allowEntries(s *sample) {
	if s.typ.Key().Kind() != reflect.String || ofStrings() == nil {
		return
	}
	if slots := l.typ.Field(2).Type; slots.Kind() == reflect.Array {
		l.keyStep, l.elem, l.elemStep = slots.Elem().Size(), 8+slots.Elem().Field(1).Offset, slots.Elem().Size()
	} else {
		l.keyStep, l.elem, l.elemStep = s.typ.Key().Size(), 8+slots.Field(1).Offset, s.typ.Elem().Size()
	}
	if !s.putsAs(l) {
		l.keyStep = 0
	}
}

// putsAs reports whether maps whose slots were filled here are as those of the runtime, while they have
// room and when they grow.
func (s *sample) putsAs(l *Layout) bool {
	block := reflect.New(l.typ)
	p := block.UnsafePointer()
	m := reflect.NewAt(s.typ, unsafe.Pointer(&p)).Elem() // a map is a pointer to its header (fact 9)
	for _, n := range []int{1, Most} {
		block.Elem().SetZero()
		seed := NewSeed()
		l.BeginWith(p, seed)
		for i := range n {
			key, elem := l.Entry(p, i)
			*key = s.keys[i].String()
			reflect.NewAt(s.typ.Elem(), elem).Elem().Set(s.elems[i])
			l.Count(p, i, seed.Control(*key))
		}
		// The runtime finds these entries, and adds more.
		if !s.equals(m, n) {
			return false
		}
		for i := n; i < len(s.keys); i++ {
			m.SetMapIndex(s.keys[i], s.elems[i])
		}
		if !s.equals(m, len(s.keys)) {
			return false
		}
	}
	return true
}
