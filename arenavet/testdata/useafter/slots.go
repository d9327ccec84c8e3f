package useafter

import (
	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

func afterFreeOfSlot() int {
	s := collections.NewSlots[node](arena.NewArena())
	x := s.New()
	s.Free(x)
	return x.n // want `a slot is used after Slots.Free in line 11`
}

func slotFreedTwice(s *collections.Slots[node]) {
	x := s.New()
	s.Free(x)
	s.Free(x) // want `a slot is freed after Slots.Free in line 17`
}

func refToFreedSlot(s *collections.Slots[node], again bool) collections.Ref[node] {
	x := s.New()
	if again {
		s.Free(x)
	}
	return s.RefTo(x) // want `a slot is passed on after Slots.Free`
}

func slotAfterReset(a *arena.Arena) {
	s := collections.NewSlots[node](a)
	x := s.New()
	a.Reset()
	x.n = 1 // want `arena memory is written to after Reset`
}

func fieldOfFreedSlot(s *collections.Slots[node]) {
	x, y := s.New(), s.New()
	x.next = y
	s.Free(y)
	x.next.n = 1 // want `a slot is written to after Slots.Free`
}

func OKFreeOfSlot(s *collections.Slots[node]) int {
	x := s.New()
	n := x.n
	s.Free(x)
	x = s.New()
	return n + x.n
}

func OKFreeOfOneSlotAmongMany(s *collections.Slots[node]) {
	var all []*node
	for range 10 {
		all = append(all, s.New())
	}
	s.Free(all[0])
	all[1].n = 1
	last := all[9]
	s.Free(last)
	all[2].n = 1
}

func OKReplaceInLoop(s *collections.Slots[node], first *node) {
	for range 10 {
		x := s.New()
		x.next = first
		if first != nil {
			s.Free(first)
		}
		first = x
		first.n++
	}
}

func OKEitherSlot(s *collections.Slots[node], which bool) int {
	x, y := s.New(), s.New()
	z := x
	if which {
		z = y
	}
	s.Free(z)
	if which {
		return x.n
	}
	return y.n
}

func OKDeferredFreeOfSlot(s *collections.Slots[node]) int {
	x := s.New()
	defer s.Free(x)
	x.n = 3
	return x.n
}

func OKUnlink(s *collections.Slots[node], list *node) *node {
	for x := list; x != nil; {
		next := x.next
		s.Free(x)
		x = next
	}
	return s.New()
}

func newSlot(s *collections.Slots[node], n int) *node {
	x := s.New()
	x.n = n
	return x
}

func OKSlotFromHelper(s *collections.Slots[node]) int {
	x, y := newSlot(s, 1), newSlot(s, 2)
	s.Free(x)
	return y.n
}

type slotList struct {
	slots *collections.Slots[node]
	first *node
}

func (l *slotList) push(n int) {
	x := l.slots.New()
	x.n, x.next = n, l.first
	l.first = x
}

func (l *slotList) pop() int {
	x := l.first
	l.first = x.next
	n := x.n
	l.slots.Free(x)
	return n
}

func OKSlotList(a *arena.Arena) int {
	l := slotList{slots: collections.NewSlots[node](a)}
	l.push(1)
	l.push(2)
	return l.pop() + l.pop()
}
