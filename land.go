package arena

import (
	"cmp"
	"reflect"
	"slices"
	"sync"
	"unsafe"

	"github.com/harena-go/arena/internal/memory"
)

// This file holds where the values of a self-contained arena may point to, as far as
// that is known without a dump of the heap; see strays.go.

// A span is some memory.
type span struct{ start, end uintptr }

// A land is where the values of an arena may point to.
type land struct {
	objects []span // sorted
	kept    []any
	spans   []span // of what is kept, that which it points to itself, and of arenas; sorted
	parent  *land
}

// land returns where the values of an arena may point to. The locals of a Shared
// have one together.
func (s *survey) land(a *Arena) *land {
	if a.isLocal() {
		a = a.family.parent
	}
	if l := s.lands[a]; l != nil {
		return l
	}
	l := &land{}
	s.lands[a] = l
	l.add(a.plain.Big(), a.kept)
	l.addHeader(a)
	if a.family.parent != nil {
		l.parent = s.land(a.family.parent)
	}
	if o := a.owner; o != nil { // what locals have left
		l.add(o.chunks, o.kept)
	}
	for c := range a.family.children {
		if c.isLocal() {
			l.add(c.plain.Big(), c.kept)
			l.addHeader(c)
		}
	}
	sortSpans(l.objects)
	sortSpans(l.spans)
	return l
}

// addHeader adds the arena itself, which its values keep alive.
func (l *land) addHeader(a *Arena) {
	start := uintptr(unsafe.Pointer(a))
	l.spans = append(l.spans, span{start, start + unsafe.Sizeof(*a)})
}

func sortSpans(s []span) {
	slices.SortFunc(s, func(a, b span) int { return cmp.Compare(a.start, b.start) })
}

func (l *land) add(chunks []memory.Chunk, kept []any) {
	for i := range chunks {
		l.objects = append(l.objects, spanOfChunk(&chunks[i]))
	}
	for _, v := range kept {
		if s := spanOf(v); s.end > s.start {
			l.spans = append(l.spans, s)
		}
	}
	l.kept = append(l.kept, kept...)
}

// spanOf returns the memory that a value points to, as far as that is simple.
func spanOf(v any) (s span) {
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Pointer:
		s.start = r.Pointer()
		s.end = s.start + r.Type().Elem().Size()
	case reflect.Slice:
		s.start = r.Pointer()
		s.end = s.start + uintptr(r.Cap())*r.Type().Elem().Size()
	case reflect.String:
		s.start = uintptr(unsafe.Pointer(unsafe.StringData(r.String())))
		s.end = s.start + uintptr(r.Len())
	case reflect.Map, reflect.Chan, reflect.Func:
		s.start = uintptr((*[2]unsafe.Pointer)(unsafe.Pointer(&v))[1]) // fact 9
		s.end = s.start + 1
	}
	return s
}

// holds says whether a pointer to addr is a correct one for sure.
func (l *land) holds(addr uintptr) bool {
	for ; l != nil; l = l.parent {
		if in(l.objects, addr) || in(l.spans, addr) {
			return true
		}
	}
	return false
}

// in says whether an address is in one of some spans, which are sorted and don't
// overlap.
func in(spans []span, addr uintptr) bool { return find(spans, addr) >= 0 }

// find returns the index of the one in which it is, or -1.
func find(spans []span, addr uintptr) int {
	lo, hi := 0, len(spans)
	for lo < hi {
		if mid := int(uint(lo+hi) / 2); spans[mid].start <= addr {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	if lo > 0 && addr < spans[lo-1].end {
		return lo - 1
	}
	return -1
}

// static knows addresses that aren't on the heap: those between two variables of
// this program, the first one a constant, and pages that a dump has shown to be
// elsewhere too.
var static statics

type statics struct {
	once  sync.Once
	image span
	mu    sync.RWMutex
	pages map[uintptr]bool
}

const staticPage = 4 << 10

func (s *statics) holds(addr uintptr) bool {
	s.once.Do(s.find)
	if addr-s.image.start < s.image.end-s.image.start {
		return true
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.pages[addr/staticPage]
}

// find looks where the linker has put things of each kind: it puts constants in
// front of variables, and the operating system loads all in one piece.
func (s *statics) find() {
	constant := unsafe.StringData("arena: ")
	for _, p := range []uintptr{uintptr(unsafe.Pointer(constant)), reflect.ValueOf(reflect.TypeFor[Arena]()).Pointer(),
		uintptr(unsafe.Pointer(&defaults)), uintptr(unsafe.Pointer(&watches)), uintptr(unsafe.Pointer(&court)), uintptr(unsafe.Pointer(&nowhere))} {
		if s.image.start == 0 || p < s.image.start {
			s.image.start = p
		}
		s.image.end = max(s.image.end, p)
	}
}

func (s *statics) learn(addr uintptr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pages == nil {
		s.pages = map[uintptr]bool{}
	}
	s.pages[addr/staticPage] = true
}
