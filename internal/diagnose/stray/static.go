package stray

import (
	"reflect"
	"sync"
	"unsafe"
)

// static knows addresses that aren't on the heap: those between two variables of this
// program, the first one a constant, and pages that a dump has shown to be elsewhere too.
// It may say no of an address that is one of these, never yes of one on the heap: a wrong
// no costs a dump, a wrong yes would hide a bug. This file must not depend on why somebody
// asks.
var static statics

// The image is found once. Pages are added by whoever has a dump, and asked for by any
// goroutine.
type statics struct {
	once  sync.Once
	image Span
	mu    sync.RWMutex
	pages map[uintptr]bool
}

// staticPage is how many bytes are taken for one thing: what is elsewhere is mapped by pages,
// of which the heap has none.
const staticPage = 4 << 10

// holds reports whether an address is in the image, or on a page that isn't of the heap.
func (s *statics) holds(addr uintptr) bool {
	s.once.Do(s.find)
	if s.image.Holds(addr) {
		return true
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.pages[addr/staticPage]
}

// find looks where the linker has put things of each kind: it puts constants in
// front of variables, and the operating system loads all in one piece. The image is from the
// lowest of some of them to the highest; what lies outside of these is asked of a dump.
func (s *statics) find() {
	constant := unsafe.StringData("arena: ")
	for _, p := range []uintptr{uintptr(unsafe.Pointer(constant)), reflect.ValueOf(reflect.TypeFor[Span]()).Pointer(),
		uintptr(unsafe.Pointer(&data)), uintptr(unsafe.Pointer(&plainData)), uintptr(unsafe.Pointer(&static)), uintptr(unsafe.Pointer(&plainZero))} {
		if s.image.Start == 0 || p < s.image.Start {
			s.image.Start = p
		}
		s.image.End = max(s.image.End, p)
	}
}

// Variables of the kinds that the linker tells apart: with a value or not, with pointers or
// not.
var (
	data      = []*uint64{&plainData}
	plainData = uint64(1)
	plainZero uint64
)

// learn adds the page of an address of which a dump says that it isn't on the heap.
func (s *statics) learn(addr uintptr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages == nil {
		s.pages = map[uintptr]bool{}
	}
	s.pages[addr/staticPage] = true
}

// Static reports whether an address isn't on the heap, as far as that is known. A no may be
// wrong, a yes isn't.
func Static(addr uintptr) bool { return static.holds(addr) }
