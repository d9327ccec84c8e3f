package arena

import (
	"slices"
	"unsafe"
)

// This file holds what becomes of an arena's own lists, of marks, of what KeepAlive
// was given and the like, which grow as a life needs them: they count as reserved, and
// Reset lets go of them as it does of chunks.

// listKeep is up to how many bytes a list is neither counted nor let go. That is nothing
// beside the Arena itself.
const listKeep = 1 << 10

// push adds to a list of the arena's, and sees to it that Reset looks at those that have
// grown.
func push[T any](a *Arena, list []T, v T) []T {
	if len(list) == cap(list) {
		a.grown = true
	}
	return append(list, v)
}

// A listSize is the bytes of lists that count.
type listSize struct{ total, unused uintptr }

func (s *listSize) add(used, room int, size uintptr) {
	if n := uintptr(room) * size; n > listKeep {
		s.total += n
		s.unused += n - uintptr(used)*size
	}
}

// listSize returns the bytes of the arena's lists. Those of chunks count only as far as
// they have room for more: what is noted of a chunk is a part of its cost.
func (a *Arena) listSize() (s listSize) {
	s.add(len(a.marks), cap(a.marks), unsafe.Sizeof(mark{}))
	s.add(len(a.positions), cap(a.positions), unsafe.Sizeof(position{}))
	s.add(len(a.kept), cap(a.kept), unsafe.Sizeof(any(nil)))
	a.eachChunkList(func(chunks *[]chunk) { s.add(0, cap(*chunks)-len(*chunks), unsafe.Sizeof(chunk{})) })
	return s
}

func (a *Arena) eachChunkList(f func(chunks *[]chunk)) {
	a.region.eachChunkList(f)
	for _, s := range a.slabs {
		s.eachChunkList(f)
	}
}

func (r *region) eachChunkList(f func(chunks *[]chunk)) {
	for _, l := range [...]*list{&r.chunks, &r.big} {
		f(&l.chunks)
		for i := range l.shelf.bins {
			f(&l.shelf.bins[i].chunks)
		}
	}
}

// fitLists lets go of long lists before Reset is done: of those of which the life that
// ends has used little, or that are empty by now, if idle is set; and of all, if they
// and the reserved bytes of chunks are more than Reset keeps.
func (a *Arena) fitLists(idle bool, reserved uintptr, kept int) {
	share := 0 // up to which part of it a list must have been used to be let go
	switch {
	case reserved+a.listSize().total > a.config.maxRetained:
		share = 1
	case idle:
		share = 1 + idleShare
	default:
		return
	}
	a.marks = fitList(a.marks, share)
	a.positions = fitList(a.positions, share)
	a.kept = fitList(a.kept[:kept], share)[:0]
	a.eachChunkList(func(chunks *[]chunk) { *chunks = fitChunks(*chunks, share) })
}

// fitList returns a list that will be emptied, or nil if it is long and no more than so
// small a part of it was used.
func fitList[T any](list []T, share int) []T {
	var s listSize
	if s.add(0, cap(list), unsafe.Sizeof(*new(T))); s.total > 0 && share*len(list) <= cap(list) {
		return nil
	}
	return list
}

// fitChunks is fitList for chunks, which stay.
func fitChunks(chunks []chunk, share int) []chunk {
	var s listSize
	if s.add(0, cap(chunks)-len(chunks), unsafe.Sizeof(chunk{})); s.total > 0 && share*len(chunks) <= cap(chunks) {
		return slices.Clip(append([]chunk(nil), chunks...))
	}
	return chunks
}
