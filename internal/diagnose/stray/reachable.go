package stray

import "github.com/harena-go/arena/internal/engine/memory"

// This file finds the memory to which values of a self-contained arena may point, without a heap dump. It must not
// depend on their actual pointers.
//
//	a value may point to        because
//	its arena's objects         they live and die with it
//	the parent's, and up        they live longer
//	what KeepAlive was given    the arena keeps it
//	the Arena itself            the owner of the values keeps it
//	a sibling's, if local       the locals of a Shared have one owner

// reachable is the memory to which values of an arena may point. Memory of its ancestors isn't listed: the search goes
// up by parent.
type reachable struct {
	// Invariant: once made, objects and spans are sorted; objects don't overlap, as each is a separate block.
	objects []Span // sorted
	kept    []any
	spans   []Span // the direct targets of kept values, and arenas; sorted
	parent  *reachable
}

// of returns the memory to which values of an arena may point; all locals of a Shared have the same. It is computed
// once for each survey: nothing is allocated meanwhile.
func (s *survey) of(a Arena) *reachable {
	if a.IsLocal() {
		a = a.Parent()
	}
	if l := s.reachable[a]; l != nil {
		return l
	}
	l := &reachable{}
	s.reachable[a] = l
	l.add(a.Plain().Big(), a.Kept())
	l.spans = append(l.spans, a.Header())
	// Computed once for all children of the parent.
	if p := a.Parent(); p != nil {
		l.parent = s.of(p)
	}
	l.add(a.Left()) // of locals
	// Children that aren't locals have values of their own, to which a's must not point.
	for c := range a.Children {
		if c.IsLocal() {
			l.add(c.Plain().Big(), c.Kept())
			l.spans = append(l.spans, c.Header())
		}
	}
	order(l.objects)
	order(l.spans)
	return l
}

// add adds objects and values given to KeepAlive: the values themselves for the dump, and their direct targets for the
// search here.
func (l *reachable) add(chunks []memory.Chunk, kept []any) {
	for i := range chunks {
		l.objects = append(l.objects, ofChunk(&chunks[i]))
	}
	for _, v := range kept {
		if s := SpanOf(v); s.End > s.Start {
			l.spans = append(l.spans, s)
		}
	}
	l.kept = append(l.kept, kept...)
}

// allows reports whether a pointer to addr is certainly correct. Others may be correct too: memory reached from a map
// that KeepAlive was given isn't known here.
func (l *reachable) allows(addr uintptr) bool {
	for ; l != nil; l = l.parent {
		if in(l.objects, addr) || in(l.spans, addr) {
			return true
		}
	}
	return false
}
