package arena

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds the lives of children, and how parents and children pass on chunks. It must not depend on how a chunk
// is chosen, nor on its contents.
//
//	parent ── youngest ──▶ child 3 ── older ──▶ child 2 ── older ──▶ child 1
//	                       born 7               born 4               born 2
//
// A mark has a serial number too, from the same counter: a Rewind to mark 5 ends child 3. Chunks go down when a child
// borrows an unused one, and up when it ends: not from child to parent but to the top of the family at once, where all
// of it finds them. Both take the same time at any depth. Nothing here is recursive: a parser may make a child for each
// level of its input, and the input may come from an attacker.

// Child returns an arena for scratch within a's life. It has a's options, takes chunks that a keeps unused before it
// takes new ones from the Go heap, and has a Reset and a Free of its own.
//
// Free returns the child's unused chunks to a, or, if a is a child itself, to the first of its ancestors, which keeps
// them for all descendants. To return all chunks, Reset the child first: after Free alone, as always, values stay valid
// while something points to them, and their chunks are left to the GC. In an arena of a [Pool] without reuse, values in
// a child stay valid in each of these cases, and after the end of a, too.
//
// A Reset or Free of a, and a Rewind to a mark from before, frees the child. The child's allocations count towards a's
// budget. Values in the child may point to values in a. In self-contained arenas the other way round is a bug: for a,
// the child is another arena.
//
// Parent and child belong to the same goroutine. Child panics if a was freed; the child of a nil arena is nil.
func (a *Arena) Child() *Arena {
	if a == nil {
		return nil
	}
	a.check("Child")
	a.enter("Child")
	c := a.newChild(a.account.shared)
	if c.owner != nil {
		c.owner.parent = a.owner
	}
	a.leave()
	return c
}

// newChild returns a new child: a local of s or a child of one, unless s is nil.
func (a *Arena) newChild(s *Shared) *Arena {
	a.family.serial++
	c := newArena(a.config)
	c.account = account{total: a.account.total, lease: a.account.lease, shared: s}
	c.family.parent, c.family.born, c.family.top = a, a.family.serial, a.top()
	c.init()
	if a.account.lease != nil {
		c.memory.SetLearned(false)
	}
	if c.isObserved() {
		c.setObserved()
	}
	a.family.add(c)
	return c
}

// top returns the arena that keeps the unused chunks of the family: the first ancestor; below a Shared, the local; for
// a local, the local itself. A local still leaves its chunks to the root, its family.top.
func (a *Arena) top() *Arena {
	if a.family.top == nil || a.isLocal() {
		return a
	}
	return a.family.top
}

// endChildren frees the children that were born after a serial number, and their children first. If they are dead,
// because their parent was reset, all of their chunks come back.
func (a *Arena) endChildren(after uint64, dead bool) {
	for c := a.family.youngest; c != nil; {
		p := c.family.parent
		switch y := c.family.youngest; {
		case p == a && c.family.born <= after:
			return
		case y != nil:
			c = y
			continue
		}
		c.endWithParent(dead)
		if c = p; p == a {
			c = a.family.youngest
		}
	}
}

// endWithParent frees a child without children, because an ancestor is reset, rewound or freed.
func (c *Arena) endWithParent(dead bool) {
	c.noteUse()
	if dead {
		c.memory.Rewind(nil)
		c.endLife(0)
		c.submitDead(true)
	}
	c.leaveFamily()
	if f := c.family.onDeath; f != nil {
		f(dead || c.config.Scrub)
	}
	c.free(ended)
}

// leaveFamily gives the unused chunks of a child to the top of the family. In a pool, the child's use counts as the
// top's. The bytes reserved in the family stay the same.
func (c *Arena) leaveFamily() {
	p, top := c.family.parent, c.family.top
	p.family.remove(c)
	if c.account.lease != nil {
		c.account.lease.byChildren += c.life.highWater
	}
	top.memory.SetGrown()
	top.family.reclaims++

	c.plain.GiveTo(&top.plain)
	for s := range c.memory.Slabs {
		key, _ := s.Key()
		to := top.memory.Find(key)
		if to == nil && top.account.shared == nil { // listing another slab takes a lock that Reset of a Shared holds
			to = top.newSlab(key, s.Elem())
		}
		if to != nil {
			s.GiveTo(&to.Region)
		}
	}
	p.trimFamily()
}

// trimFamily is called when a child of a has ended, or all of them. If little more than a is left of its family, that
// was the end of a piece of work; after many of those in one life of the top it releases the chunks that none of them
// needed.
func (a *Arena) trimFamily() {
	if a.family.youngest != nil {
		return
	}
	top := a.top()
	for range 4 {
		if a == top {
			if top.life.works++; top.life.works%tuning.FamilyPeriod == 0 {
				top.memory.TrimUnused()
			}
			return
		}
		p := a.family.parent
		if !p.family.only(a) {
			return
		}
		a = p
	}
}

// A borrower is an arena that may take unused chunks of its ancestors, and of the lender of the topmost.
type borrower Arena

// Lend implements memory.Lender: the parent has the chunks that it has reclaimed itself, the top of the family those of
// others. Arenas between them aren't tried, as there may be any number.
func (b *borrower) Lend(to *memory.Region, least, want uintptr) (c memory.Chunk, ok bool) {
	a := (*Arena)(b)
	if p, top := a.family.parent, a.family.top; !a.isLocal() {
		if c, ok = p.memory.Lend(to, least, want); !ok && p != top {
			c, ok = top.memory.Lend(to, least, want)
		}
		if a = top; !ok && !a.isLocal() {
			c, ok = a.memory.LendOn(to, least, want)
		}
		if ok || !a.isLocal() {
			return c, ok
		}
	}
	a.account.shared.mu.Lock()
	defer a.account.shared.mu.Unlock()
	return a.family.parent.memory.Lend(to, least, want)
}

// A family links an arena to its relatives. Children are linked in the order of their births, so that children born
// after a mark are found without a look at the others, and each can leave at any time.
type family struct {
	parent   *Arena
	top      *Arena // see Arena.top; nil at the top
	youngest *Arena // child
	older    *Arena // siblings
	younger  *Arena
	born     uint64          // parent's serial at the birth
	serial   uint64          // of the newest child or mark
	onDeath  func(dead bool) // called when the end of an ancestor ends the arena; or nil

	reclaims uint32 // at the top: how often an arena of the family may have got unused chunks
	swept    uint32 // 1 + the top's reclaims when dropSpare last released those of this arena; 0 for never
}

// add adds a child that was just born.
func (f *family) add(c *Arena) {
	c.family.older = f.youngest
	if f.youngest != nil {
		f.youngest.family.younger = c
	}
	f.youngest = c
}

// remove removes a child, in constant time. It clears the child's pointers to siblings, which would keep them alive.
func (f *family) remove(c *Arena) {
	older, younger := c.family.older, c.family.younger
	if younger != nil {
		younger.family.older = older
	} else {
		f.youngest = older
	}
	if older != nil {
		older.family.younger = younger
	}
	c.family.older, c.family.younger = nil, nil
}

// children yields the children, the youngest first. It may be removed meanwhile.
func (f *family) children(yield func(c *Arena) bool) {
	for c := f.youngest; c != nil; {
		older := c.family.older
		if !yield(c) {
			return
		}
		c = older
	}
}

// generations yields an arena and all its descendants. None may be added or removed meanwhile.
func (a *Arena) generations(yield func(c *Arena) bool) {
	for c := a; yield(c); {
		if c.family.youngest != nil {
			c = c.family.youngest
			continue
		}
		for c != a && c.family.older == nil {
			c = c.family.parent
		}
		if c == a {
			return
		}
		c = c.family.older
	}
}

// bornAfter reports whether there is a child with a larger serial number.
func (f *family) bornAfter(serial uint64) bool {
	return f.youngest != nil && f.youngest.family.born > serial
}

// only reports whether c is the only child.
func (f *family) only(c *Arena) bool { return f.youngest == c && c.family.older == nil }

// This part keeps alive the targets of pointers in self-contained arenas. The GC doesn't look into these values. But
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
