package collections

import (
	"unsafe"

	"github.com/harena-go/arena/internal/engine/layout"
)

// cloning is the type of a field at the start of each container C. Through it arena.DeepClone calls
// methods of *C for what it can't see (internal/deepclone.Hook). slices, if there is one, calls
// reach with the slices that C refers to only by pointers to elements. cloned completes a clone.
type cloning[C any] struct{}

func (cloning[C]) Slices(c unsafe.Pointer, reach func(slice any)) {
	if c, ok := any((*C)(c)).(interface{ slices(func(any)) }); ok {
		c.slices(reach)
	}
}

func (cloning[C]) Cloned(c unsafe.Pointer) { any((*C)(c)).(interface{ cloned() }).cloned() }

// A clone is on the Go heap. It must not depend on the arena of the source.

func (b *Buffer) cloned()   { b.arena = nil }
func (d *Deque[T]) cloned() { d.arena = nil }
func (l *List[T]) cloned()  { l.arena = nil }
func (s *Slice[T]) cloned() { s.arena = nil }

func (s *Segmented[T]) cloned() { s.arena = nil }

// cloned makes entries findable by their keys again: pointers in a clone differ from the source's.
func (m *Map[K, V]) cloned() {
	m.arena = nil
	if m.n > 0 && layout.Of((*K)(nil)).PtrBytes > 0 {
		m.rehash()
	}
}

// rehash makes tags or index anew. Keys that became equal, as pointers to values of size
// zero do, get one entry.
func (m *Map[K, V]) rehash() {
	m.tags = tags{}
	m.index.clear()
	for i := range uint32(m.used) {
		if !m.live(int(i)) {
			continue
		}
		k := m.at(i).key
		h := m.hash(k)
		if _, e := m.search(h, k); e != nil {
			m.entries.remove(i)
			m.n--
			continue
		}
		m.link(i, h)
	}
}

// link lets entry i be found by the hash of its key.
func (m *Map[K, V]) link(i, h uint32) {
	if m.none() {
		m.tags.set(i, h)
		return
	}
	for m.full() {
		m.index = m.grown(m.arena)
	}
	m.insert(m.home(h), uint64(h)<<32|uint64(i))
}

// slices shows the segments, in full.
func (m *Map[K, V]) slices(reach func(slice any)) {
	for i, first := range m.segs {
		reach(unsafe.Slice(first, min(segLen, m.cap-i*segLen)))
	}
}
