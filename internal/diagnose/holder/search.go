package holder

import "slices"

// A search goes through the objects of a dump from the roots on, those that are
// one step away first, and notes for each from where it was reached. What it
// finds is therefore the shortest way to each pointer into the targets.
//
// The other direction would look at fewer objects, but there is no list of who
// points to an object. To make one takes longer than to search.
type search struct {
	*dump
	targets []Range
	silent  []Range // what is in these is no holder; the targets are among them
	first   []Root  // that the search begins with

	from   []ref // for each object, from where it was reached
	queue  []int32
	starts []start // the pointers in roots that were followed
	found  []link
}

// A ref says where a pointer is: an object if it is not negative; unreached; or
// else ^i for starts[i].
type ref int32

// A link is a pointer: where it is, and at which offset if that is an object.
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

type startKind uint8

const (
	inVariables startKind = iota // index 0 for those with a value from the start, 1 for the others
	inFrame
	perhapsInFrame
	inOther
	unseen
)

const unreached = ref(-1 << 31)

// enough is how many pointers into the targets are looked at. Many objects of
// the same kind may hold one, and a few are reported.
const enough = 64

func newSearch(d *dump, targets, ignored []Range) *search {
	s := &search{dump: d, targets: targets, from: make([]ref, d.objects.len())}
	s.silent = slices.Concat(targets, ignored)
	for i := range s.from {
		s.from[i] = unreached
	}
	return s
}

// run returns the first pointers into the targets. It begins with the roots
// that it is told, and then with all that the GC would begin with. If nothing comes of that, it takes any word on a
// stack for a pointer: one of a variable whose address was taken is not in the
// dump's list of pointers, and one may be left over from an earlier
// call. What is still not reached but there, after a GC, is held by a root that
// the dump doesn't show.
func (s *search) run() []link {
	for _, phase := range []func(){s.fromFirst, s.fromRoots, s.fromStackWords, s.fromUnseen} {
		phase()
		s.follow()
		if len(s.found) > 0 {
			break
		}
	}
	return s.found
}

func (s *search) fromFirst() {
	if len(s.first) == 0 {
		return
	}
	for i := range s.variables {
		v := &s.variables[i]
		s.pointers(v.contents, v.fields, func(offset, to uintptr) bool {
			if s.firstAt(v.addr+offset) != nil {
				s.enter(v.addr+offset, start{inVariables, int32(i), offset, to})
			}
			return true
		})
	}
}

// firstAt returns the root to begin with that has an address, nil if none has.
func (s *search) firstAt(addr uintptr) *Root {
	for i := range s.first {
		if r := &s.first[i]; addr-r.Addr < r.Type.Size() {
			return r
		}
	}
	return nil
}

func (s *search) fromRoots() {
	for i := range s.frames {
		f := &s.frames[i]
		s.pointers(f.contents, f.fields, func(offset, to uintptr) bool {
			s.enter(f.addr+offset, start{inFrame, int32(i), offset, to})
			return true
		})
	}
	for i := range s.variables {
		v := &s.variables[i]
		s.pointers(v.contents, v.fields, func(offset, to uintptr) bool {
			s.enter(v.addr+offset, start{inVariables, int32(i), offset, to})
			return true
		})
	}
	for i, r := range s.others {
		s.enter(0, start{inOther, int32(i), 0, r.to})
	}
}

// fromStackWords leaves out the goroutine that writes the dump, on whose stack
// are the addresses of the targets, and those of the runtime, which forget to
// erase what they don't need any more; likewise the runtime's calls on others'
// stacks, such as gopark's in each goroutine that waits.
func (s *search) fromStackWords() {
	for i := range s.frames {
		f := &s.frames[i]
		if f.goroutine.system || f.goroutine.dumping() || f.ofRuntime() {
			continue
		}
		for offset := uintptr(0); offset < uintptr(len(f.contents)); offset += s.wordSize {
			if to := s.word(f.contents, offset); to != 0 {
				s.enter(f.addr+offset, start{perhapsInFrame, int32(i), offset, to})
			}
		}
	}
}

// fromUnseen begins with the objects that no other object that wasn't reached
// points to, and only if there is none such before the targets, as in a cycle,
// with those that point into the targets themselves.
func (s *search) fromUnseen() {
	held := make([]bool, len(s.from))
	direct := []int32{}
	for i := range s.from {
		if s.from[i] != unreached {
			continue
		}
		s.eachPointer(int32(i), func(_, to uintptr) bool {
			if o := s.objects.find(to); in(s.targets, to) {
				direct = append(direct, int32(i))
			} else if o >= 0 && o != int32(i) {
				held[o] = true
			}
			return true
		})
	}
	if len(direct) == 0 {
		return
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

func (s *search) enterUnseen(i int32) {
	if to := s.objects.addrs[i]; !in(s.targets, to) {
		s.enter(0, start{unseen, i, 0, to})
	}
}

// enter follows a pointer in a root, which is at an address.
func (s *search) enter(at uintptr, p start) {
	if in(s.silent, at) {
		return
	}
	if s.reach(link{ref(^len(s.starts)), 0, p.to}) {
		s.starts = append(s.starts, p)
	}
}

// follow goes on until all was reached, or enough found.
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

// reach takes account of a pointer, and tells whether it is the first to lead
// to an object, or leads to the targets.
func (s *search) reach(l link) bool {
	if in(s.targets, l.to) {
		if len(s.found) < enough {
			s.found = append(s.found, l)
			return true
		}
		return false
	}
	i := s.objects.find(l.to)
	if i < 0 || s.from[i] != unreached {
		return false
	}
	s.from[i] = l.from
	s.queue = append(s.queue, i)
	return true
}

// eachPointer calls f with the pointers of an object but for those in silent
// ranges.
func (s *search) eachPointer(i int32, f func(offset, to uintptr) bool) {
	addr := s.objects.addrs[i]
	inside := overlaps(s.silent, addr, addr+s.objects.size(i))
	s.pointers(s.contents(i), s.objects.fields[i], func(offset, to uintptr) bool {
		return inside && in(s.silent, addr+offset) || f(offset, to)
	})
}

// way returns the pointers that lead to a link, from the root on.
func (s *search) way(l link) []link {
	way := []link{l}
	for l.from >= 0 {
		l = s.pointerTo(s.from[l.from], int32(l.from))
		way = append(way, l)
	}
	slices.Reverse(way)
	return way
}

// pointerTo finds the pointer to an object again: to remember them all would
// take twice the memory.
func (s *search) pointerTo(from ref, object int32) link {
	if from < 0 {
		return link{from: from, to: s.starts[^from].to}
	}
	l := link{from: from}
	s.eachPointer(int32(from), func(offset, to uintptr) bool {
		if s.objects.find(to) == object {
			l.offset, l.to = offset, to
		}
		return l.to == 0
	})
	return l
}

// in says whether an address is in one of a few ranges.
func in(ranges []Range, addr uintptr) bool {
	for _, r := range ranges {
		if addr-r.Start < r.End-r.Start {
			return true
		}
	}
	return false
}

func overlaps(ranges []Range, start, end uintptr) bool {
	for _, r := range ranges {
		if r.Start < end && start < r.End {
			return true
		}
	}
	return false
}
