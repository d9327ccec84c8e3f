package learn

import (
	"sync"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file decides which kinds of work learn the sizes of slabs for themselves. A hint takes half a KiB, and a pool
// may have a thousand kinds of work with hundreds of types each, most of them rare. It must not depend on the contents
// of a hint.
//
// A kind of work has hints of its own after some looks, as long as all have MostHints at most. Before that it uses
// common ones. These count the uses of a type alone: the other kinds of work, which may not have it, say nothing about
// its sizes.

// Types are the hints for the slabs of a pool. The zero Types has none. Any number of goroutines may
// use it.
type Types struct {
	mu       sync.Mutex // taken after that of a Work; the other way round only tried
	looks    uint64     // of all kinds of work
	common   map[memory.Key]*sizeHint
	works    map[*Work]bool // that may have hints of their own
	own      int            // how many these have together
	relieved uint64         // looks, when relief was called last
}

const (
	// ownAfter is the number of looks after which a kind of work gets hints of its own: as many as these need for an
	// answer.
	ownAfter = tuning.EnoughWeight / tuning.UseWeight

	// rareAfter is the number of looks at a pool after which hints go that none of them was about.
	rareAfter = 4 * forgetEvery

	// hintSize is the bytes of a hint, with its place in a map.
	hintSize = unsafe.Sizeof(sizeHint{}) + unsafe.Sizeof(memory.Key{}) + unsafe.Sizeof(&sizeHint{})
)

// Share declares that w is one of several kinds of work of a pool. It is called before w is used.
func (w *Work) Share(t *Types) { w.types = t }

// hint returns the hint for regions like r, and the number of the present look at it; or nil if there are too many
// hints. The locks are held.
func (w *Work) hint(r *memory.Region) (h *sizeHint, look uint64) {
	key, ok := r.Key()
	if !ok {
		return &w.plain, w.looks
	}
	h = w.slabs[key]
	switch t := w.types; {
	case h != nil:
		return h, w.looks
	case t == nil && len(w.slabs) >= tuning.MostHints:
		return nil, 0
	case t == nil:
	case w.looks <= ownAfter, t.own >= tuning.MostHints && !t.relief():
		return t.hint(key, r), t.looks
	default:
		if t.works == nil {
			t.works = map[*Work]bool{}
		}
		t.works[w] = true
		t.own++
	}
	h = newHint(r, w.looks)
	if w.slabs == nil {
		w.slabs = map[memory.Key]*sizeHint{}
	}
	w.slabs[key] = h
	return h, w.looks
}

// newHint returns a hint without earlier looks.
func newHint(r *memory.Region, look uint64) *sizeHint {
	return &sizeHint{typ: layout.Name(r.Type()), notedAt: look - 1}
}

// hint returns the common hint of a key, as if no look had missed it; or nil if there are too many, or r wasn't used.
func (t *Types) hint(key memory.Key, r *memory.Region) *sizeHint {
	h := t.common[key]
	switch {
	case r.Peak() == 0:
		return nil
	case h != nil:
		h.notedAt = t.looks - 1
		return h
	case len(t.common) >= tuning.MostHints:
		return nil
	case t.common == nil:
		t.common = map[memory.Key]*sizeHint{}
	}
	h = newHint(r, t.looks)
	t.common[key] = h
	return h
}

// first returns the first size of the common hint of a key, or 0.
func (t *Types) first(key memory.Key) uintptr {
	if t == nil {
		return 0
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if h := t.common[key]; h != nil {
		return h.first
	}
	return 0
}

// forget drops common hints of types that no look has seen for long.
func (t *Types) forget() {
	for key, h := range t.common {
		if h.missed(t.looks) >= rareAfter {
			delete(t.common, key)
		}
	}
}

// relief drops the hints of kinds of work that had no look for long. It reports whether there may be further ones.
func (t *Types) relief() bool {
	if t.looks-t.relieved < forgetEvery {
		return false
	}
	t.relieved = t.looks
	for w := range t.works {
		if t.looks-w.seen >= rareAfter && w.mu.TryLock() {
			t.own -= len(w.slabs)
			w.slabs = nil
			w.mu.Unlock()
			delete(t.works, w)
		}
	}
	return t.own < tuning.MostHints
}

// Bytes returns the size of the hints of a pool, with those of one kind of work that doesn't share.
func (t *Types) Bytes(alone *Work) uintptr {
	alone.mu.Lock()
	n := len(alone.slabs)
	alone.mu.Unlock()
	t.mu.Lock()
	defer t.mu.Unlock()
	return hintSize * uintptr(n+len(t.common)+t.own)
}
