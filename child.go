package arena

import (
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
