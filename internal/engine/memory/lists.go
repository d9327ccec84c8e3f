package memory

import (
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/tuning"
)

// This file holds the rules for lists of chunks, marks and the like, which grow as a life needs them. They count as
// reserved, and are released as chunks are. It must not depend on their items, except for lists of chunks.
//
// A list of up to 1 KiB is left alone. A longer one is released when the space keeps too
// much, or at the end of a period in which chunks may fall idle, if a quarter of it or
// less was used: for example one with room for 1,000 marks if 250 were used.

// Push adds to a list that belongs to the space, and makes sure that Retain is called
// when it has grown: a life that only makes marks adds no chunk, but takes memory.
func Push[T any](s *Space, list []T, v T) []T {
	if len(list) == cap(list) {
		s.grown = true
	}
	return append(list, v)
}

// A ListSize is the bytes of lists that count: all of them, and the part without elements.
// Unused never exceeds Total.
type ListSize struct{ Total, Unused uintptr }

// Count adds a list with room for room elements of size bytes; used of them are in use.
func (n *ListSize) Count(used, room int, size uintptr) {
	if bytes := uintptr(room) * size; bytes > tuning.ListKeep {
		n.Total += bytes
		n.Unused += bytes - uintptr(used)*size
	}
}

// CountLists adds the lists of chunks. Only their spare room counts: the entry for a
// chunk is a part of the chunk's cost.
func (s *Space) CountLists(n *ListSize) {
	for r := range s.Regions {
		r.countLists(n)
	}
}

func (r *Region) countLists(n *ListSize) {
	for _, l := range [...]*list{&r.chunks, &r.big} {
		n.countRoom(l.chunks)
		if l.shelf != nil {
			for _, b := range l.shelf.bins {
				n.countRoom(b.chunks)
			}
		}
	}
}

// countRoom adds the spare capacity of a list of chunks.
func (n *ListSize) countRoom(chunks []Chunk) {
	n.Count(0, cap(chunks)-len(chunks), unsafe.Sizeof(Chunk{}))
}

// FitShare returns a share, given the bytes of all lists: a list is released if at most 1/share of it was used. 0 means
// that none is released. 1 means that all are, as they and the chunks exceed MaxRetained. 4 means those with a quarter
// or less used, if idle is set.
func (s *Space) FitShare(n ListSize, idle bool) int {
	switch {
	case s.Reserved()+n.Total > s.config.MaxRetained:
		return 1
	case idle:
		return 1 + tuning.IdleShare
	}
	return 0
}

// FitLists releases the excess room of long lists of chunks.
func (s *Space) FitLists(share int) {
	for r := range s.Regions {
		for _, l := range [...]*list{&r.chunks, &r.big} {
			l.chunks = fitChunks(l.chunks, share)
			if l.shelf != nil {
				for i := range l.shelf.bins {
					b := &l.shelf.bins[i]
					b.chunks = fitChunks(b.chunks, share)
				}
			}
		}
	}
}

// FitList returns a list that will be emptied, or nil if it is long and too small a part of it was
// used. The caller must not need the elements: the result still has them, or has none.
func FitList[T any](list []T, used, share int) []T {
	var n ListSize
	// n.Total is 0 if the list is too short to count.
	if n.Count(0, cap(list), unsafe.Sizeof(*new(T))); n.Total > 0 && share*used <= cap(list) {
		return nil
	}
	return list
}

// fitChunks is FitList for chunks, which stay: where a list has too much room, a copy with
// no room to spare takes its place.
func fitChunks(chunks []Chunk, share int) []Chunk {
	var n ListSize
	if n.Count(0, cap(chunks)-len(chunks), unsafe.Sizeof(Chunk{})); n.Total > 0 && share*len(chunks) <= cap(chunks) {
		return slices.Clip(append([]Chunk(nil), chunks...))
	}
	return chunks
}
