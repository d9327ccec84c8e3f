package arena

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/engine/memory"
)

// This file keeps alive the targets of pointers in self-contained arenas. The GC doesn't look into these values. But
// when the program loads a pointer from one, or stores another one over it while the GC marks, the GC is shown the
// pointer, and ends the program if no heap object is there. That holds for stale pointers to rewound memory too: nobody
// may follow them, but they lie in values that are in use. So every object that a word in a value has ever rightly led
// to must stay allocated for as long as the value may be used. That takes no search:
//
//	(1) Each arena has one owner per life, which only grows. All chunks used in the life lead to it, and it keeps them
//	    and the KeepAlive values. A Rewind releases nothing: the engine keeps each chunk that was used in a life,
//	    and lends it to nobody, until that ends; see memory.Space.EndLife.
//	(2) Values of a child may point to its parent's, never the reverse: so its owner leads to the parent's. The locals
//	    of a Shared point to each other, and have the owner of its root.
//	(3) A life ends by Reset, or by a Rewind to where nothing was allocated. Its values are dead then, but for those
//	    that a freed child or local has left. If there may be some, the owner goes with them, and keeps its memory,
//	    and the arena gets a new one. It may use the memory again all the same: that stays allocated.
//
// An owner leads to an Arena only during its life, or as to something that values may point to:
//
//	value ──▶ chunk ──▶ owner ──▶ arena ──▶ all chunks, KeepAlive values           in its life
//	                      │  └──▶ chunks, kept                                     of Free and Rewind, and afterwards
//	                      └─────▶ parent's owner
//
// These are cycles, which are harmless for the GC as long as nothing in them has a finalizer. Nothing has.

// An owner is the object to which each chunk of a self-contained arena leads.
type owner struct {
	arena  *Arena // nil when its life, or that of a Shared's root, has ended
	parent *owner
	left   atomic.Bool // values of a freed child or local may lead here

	mu     sync.Mutex     // guards the fields below: locals of a Shared have one owner
	chunks []memory.Chunk // that an arena has no more, though values in them may be used
	kept   []any          // likewise, with the ended arenas, since values may point to their own

	gone  *owner         // of memory reclaimed in this life, in builds and arenas that don't use memory again
	bytes uintptr        // of its chunks
	waits []*watch.Batch // of memory that Rewinds have reclaimed, for the end of the life
}

// keep makes the owner keep something for the rest of the life.
func (o *owner) keep(chunks []memory.Chunk, kept ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.chunks, o.kept = append(o.chunks, chunks...), append(o.kept, kept...)
}

// setOwner makes o the owner of the arena's chunks.
func (a *Arena) setOwner(o *owner) {
	a.owner = o
	a.memory.SetOwner(unsafe.Pointer(o))
	for c := range a.plain.Chunks {
		block.SetOwner(c.Mem, unsafe.Pointer(o))
	}
}

// forget releases the KeepAlive values from number n on; in a self-contained arena its owner keeps them.
func (a *Arena) forget(n int) {
	if m := a.life.marks; a.owner == nil {
		a.dropKept(n)
	} else if m != nil && n < len(m.kept) {
		a.owner.keep(nil, m.kept[n:]...)
		m.forgotten += m.cutKept(n)
	}
}

// endLife is called when nothing that was allocated in the arena's life is in use any more. It releases the KeepAlive
// values from number n on. The life of a local is that of its Shared.
func (a *Arena) endLife(n int) {
	o := a.owner
	if o == nil || a.isLocal() {
		a.forget(n)
		return
	}
	if left := o.left.Load(); left || a.quarantines() {
		next := &owner{arena: a, parent: o.parent}
		o.leave(left)
		o.keep(nil, a.kept()...)
		for c := range a.plain.Chunks {
			o.chunks = append(o.chunks, *c)
		}
		o.keep(nil, a)
		o.arena = nil
		if a.quarantines() {
			a.watchEnd()
		}
		a.setOwner(next)
	} else {
		o.chunks, o.kept = nil, nil
	}
	a.dropKept(n)
	a.memory.EndLife()
}

// leave is called when an owner's life ends. left means that values which may be used lead to it.
func (o *owner) leave(left bool) {
	if left && o.parent != nil {
		o.parent.left.Store(true)
	}
}

// endWithValues leaves to the owner, when the arena is freed, everything that its values may point to.
func (a *Arena) endWithValues() {
	o := a.owner
	o.arena, o.waits = nil, nil
	if a.plain.Used() > 0 || o.left.Load() {
		o.leave(true)
		o.keep(nil, a.kept()...)
		o.keep(a.plain.Kept(), a)
	}
}
