package stray

import (
	"reflect"
	"sync"
	"unsafe"
)

// static knows addresses outside the heap: those between two variables of this program, the first one a constant, and
// pages outside the heap according to a dump. It may say no for an address outside the heap, but never yes for one on
// it: a wrong no costs a dump, a wrong yes would hide a bug. This file must not depend on the use of its answers.
var static statics

// The image is found once. Code with a dump adds pages; any goroutine may look pages up.
type statics struct {
	once  sync.Once
	image Span
	mu    sync.RWMutex
	pages map[uintptr]bool
}

// staticPage is the unit in bytes: memory outside the heap is mapped by pages, and no such page is a part of the heap.
const staticPage = 4 << 10

// holds reports whether an address is in the image, or on a page outside the heap.
func (s *statics) holds(addr uintptr) bool {
	s.once.Do(s.find)
	if s.image.Holds(addr) {
		return true
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.pages[addr/staticPage]
}

// find finds the image from one object of each kind: the linker puts constants in front of variables, and the operating
// system loads all in one piece. The image reaches from the lowest of these objects to the highest; addresses beyond
// them need a dump.
func (s *statics) find() {
	constant := unsafe.StringData("arena: ")
	for _, p := range []uintptr{uintptr(unsafe.Pointer(constant)), reflect.ValueOf(reflect.TypeFor[Span]()).Pointer(),
		uintptr(unsafe.Pointer(&data)), uintptr(unsafe.Pointer(&plainData)),
		uintptr(unsafe.Pointer(&static)), uintptr(unsafe.Pointer(&plainZero))} {
		if s.image.Start == 0 || p < s.image.Start {
			s.image.Start = p
		}
		s.image.End = max(s.image.End, p)
	}
}

// Variables of the kinds that the linker distinguishes: with a value or not, with pointers or not.
var (
	data      = []*uint64{&plainData}
	plainData = uint64(1)
	plainZero uint64
)

// learn adds the page of an address that isn't on the heap according to a dump.
func (s *statics) learn(addr uintptr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages == nil {
		s.pages = map[uintptr]bool{}
	}
	s.pages[addr/staticPage] = true
}
