package search

import (
	"slices"

	"github.com/harena-go/arena/internal/diagnose/holder/dump"
	"github.com/harena-go/arena/internal/diagnose/holder/symbols"
)

// A search traverses the objects of a dump from the roots, breadth first, and records each object's predecessor. So
// each way that it finds is a shortest one.
//
// The other direction would visit fewer objects, but needs a list of the pointers to each object, which the dump
// doesn't have. Making one takes longer than the search.
type search struct {
	*dump.Dump
	targets []dump.Range
	silent  []dump.Range // pointers in these don't count; includes the targets
	first   []Root       // roots to begin with

	from   []ref   // for each object, the place of the pointer that reached it first
	queue  []int32 // reached objects whose pointers aren't followed yet
	starts []start // the followed pointers in roots
	found  []link  // pointers into the targets, enough at most
}

// A ref is the place of a pointer: the object of that index if it isn't negative, no object if it is unreached, and
// else the root starts[^ref].
type ref int32

// A link is a pointer: its place, its offset in it if that is an object, and its target.
type link struct {
	from   ref
	offset uintptr
	to     uintptr
}

// A start is a pointer in a root.
type start struct {
	kind   startKind
	index  int32   // of the frame, of the other root, or of the object
	offset uintptr // in the variables or the frame
	to     uintptr
}

// A startKind is the meaning of start.index.
type startKind uint8

// The kinds of starts.
const (
	inVariables startKind = iota // index 0 for variables with an initial value, 1 for others
	inFrame
	perhapsInFrame
	inOther
	unseen
)

// unreached is the ref of an unreached object. No start has it.
const unreached = ref(-1 << 31)

// enough is the number of pointers into the targets that are examined at most. Many objects of the same kind may have
// one, and a few are reported.
const enough = 64

// newSearch returns a search for pointers into the targets, except pointers in the targets or in the ignored ranges.
func newSearch(d *dump.Dump, targets, ignored []dump.Range) *search {
	s := &search{Dump: d, targets: targets, from: make([]ref, d.Objects.Len())}
	s.silent = slices.Concat(targets, ignored)
	for i := range s.from {
		s.from[i] = unreached
	}
	return s
}

// run returns the first pointers into the targets. It begins with the given roots, then with all roots of the GC. If
// those lead nowhere, it takes any word on a stack for a pointer: pointers in variables whose address was taken aren't
// in the dump's list, and a word may be left over from an earlier call. Targets that are still unreached but survived a
// GC are held by a root that the dump doesn't show.
func (s *search) run() []link {
	// Each phase finds less certain ways than the one before.
	for _, phase := range []func(){s.fromFirst, s.fromRoots, s.fromStackWords, s.fromUnseen} {
		phase()
		s.follow()
		if len(s.found) > 0 {
			break
		}
	}
	return s.found
}

// fromFirst begins with the roots given to the search.
func (s *search) fromFirst() {
	if len(s.first) > 0 {
		s.fromVariables(func(addr uintptr) bool { return s.firstAt(addr) != nil })
	}
}

// fromVariables begins with the pointers in variables whose addresses meet a condition.
func (s *search) fromVariables(meets func(addr uintptr) bool) {
	for i, v := range s.Variables {
		s.Pointers(v, func(offset, to uintptr) bool {
			if meets(v.Addr + offset) {
				s.enter(v.Addr+offset, start{inVariables, int32(i), offset, to})
			}
			return true
		})
	}
}

// firstAt returns the first root with an address, or nil.
func (s *search) firstAt(addr uintptr) *Root {
	for i := range s.first {
		if r := &s.first[i]; addr-r.Addr < r.Type.Size() {
			return r
		}
	}
	return nil
}

// fromRoots begins with all roots of the dump.
func (s *search) fromRoots() {
	for i := range s.Frames {
		f := &s.Frames[i]
		s.Pointers(f.Segment, func(offset, to uintptr) bool {
			s.enter(f.Addr+offset, start{inFrame, int32(i), offset, to})
			return true
		})
	}
	s.fromVariables(func(uintptr) bool { return true })
	for i, r := range s.Roots {
		s.enter(0, start{inOther, int32(i), 0, r.To})
	}
}

// fromStackWords begins with all words on stacks. It leaves out the goroutine that writes the dump, whose stack has the
// addresses of the targets, and goroutines of the runtime, which don't erase dead words. For the same reason it leaves
// out the runtime's calls on other stacks, such as gopark's in each waiting goroutine.
func (s *search) fromStackWords() {
	for i := range s.Frames {
		f := &s.Frames[i]
		if !f.Goroutine.System && !f.Goroutine.Dumping() && !symbols.InRuntime(f.Function, f.Entry) {
			s.fromWords(int32(i))
		}
	}
}

// fromWords begins with all words of a frame.
func (s *search) fromWords(i int32) {
	f := &s.Frames[i]
	for offset := uintptr(0); offset < uintptr(len(f.Contents)); offset += s.WordSize {
		if to := s.Word(f.Contents, offset); to != 0 {
			s.enter(f.Addr+offset, start{perhapsInFrame, i, offset, to})
		}
	}
}

// fromUnseen begins with the unreached objects to which no other unreached object points. Only if none of these leads
// to the targets, as in a cycle, it begins with the objects that point into the targets themselves.
func (s *search) fromUnseen() {
	held := make([]bool, len(s.from)) // another unreached object points to it
	direct := []int32{}               // objects that point into the targets
	for i := range s.from {
		if s.from[i] != unreached {
			continue
		}
		s.eachPointer(int32(i), func(_, to uintptr) bool {
			if o := s.Objects.Find(to); dump.Any(s.targets, to) {
				direct = append(direct, int32(i))
			} else if o >= 0 && o != int32(i) {
				held[o] = true
			}
			return true
		})
	}
	if len(direct) == 0 {
		return // the targets have no holder left
	}
	for i := range held {
		if !held[i] {
			s.enterUnseen(int32(i))
		}
	}
	s.follow()
	if len(s.found) == 0 {
		for _, i := range direct {
			s.enterUnseen(i)
		}
	}
}

// enterUnseen begins with an object, as if a root that the dump doesn't show pointed to it.
func (s *search) enterUnseen(i int32) {
	if to := s.Objects.Addr(i); !dump.Any(s.targets, to) {
		s.enter(0, start{unseen, i, 0, to})
	}
}

// enter follows a pointer in a root at an address, 0 without one.
func (s *search) enter(at uintptr, p start) {
	if dump.Any(s.silent, at) {
		return
	}
	// The ref is the index of the start that is appended if the pointer leads anywhere.
	if s.reach(link{ref(^len(s.starts)), 0, p.to}) {
		s.starts = append(s.starts, p)
	}
}

// follow follows pointers until everything is reached, or enough is found.
func (s *search) follow() {
	for next := 0; next < len(s.queue) && len(s.found) < enough; next++ {
		i := s.queue[next]
		before := len(s.found)
		s.eachPointer(i, func(offset, to uintptr) bool {
			s.reach(link{ref(i), offset, to})
			return len(s.found) == before // one for each holder
		})
	}
	s.queue = s.queue[:0]
}

// reach records the target of a pointer. It returns true for one of the targets, or an object not reached before.
func (s *search) reach(l link) bool {
	if dump.Any(s.targets, l.to) {
		if len(s.found) < enough {
			s.found = append(s.found, l)
			return true
		}
		return false
	}
	i := s.Objects.Find(l.to)
	if i < 0 || s.from[i] != unreached {
		return false
	}
	s.from[i] = l.from
	s.queue = append(s.queue, i)
	return true
}

// eachPointer calls f with the pointers of an object, except those in silent ranges, until f returns false.
func (s *search) eachPointer(i int32, f func(offset, to uintptr) bool) {
	addr := s.Objects.Addr(i)
	// Few objects overlap a silent range: only in those each pointer is checked.
	inside := dump.Overlap(s.silent, addr, addr+s.Objects.Size(i))
	s.Pointers(s.Object(i), func(offset, to uintptr) bool {
		return inside && dump.Any(s.silent, addr+offset) || f(offset, to)
	})
}

// way returns the pointers from the root to a link, and the link itself.
func (s *search) way(l link) []link {
	way := []link{l}
	for l.from >= 0 {
		l = s.pointerTo(s.from[l.from], int32(l.from))
		way = append(way, l)
	}
	slices.Reverse(way)
	return way
}

// pointerTo finds the pointer to an object again: remembering them all would take twice the memory.
func (s *search) pointerTo(from ref, object int32) link {
	if from < 0 {
		return link{from: from, to: s.starts[^from].to}
	}
	l := link{from: from}
	s.eachPointer(int32(from), func(offset, to uintptr) bool {
		if s.Objects.Find(to) == object {
			l.offset, l.to = offset, to
		}
		return l.to == 0
	})
	return l
}
