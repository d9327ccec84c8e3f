package arena

import "github.com/harena-go/arena/internal/memory"

// This file holds the lives of children, and how parents and children pass on chunks. It may
// not know how a chunk is chosen, nor what is in it.
//
//	parent ── youngest ──▶ child 3 ── older ──▶ child 2 ── older ──▶ child 1
//	                       born 7               born 4               born 2
//
// A mark has a serial number too, from the same counter: a Rewind to mark 5 ends child 3.
// Chunks go down when a child borrows one that nothing is in use of, and up when it ends.

// Child returns an arena for scratch within a's life. It has a's options, takes
// chunks that a keeps unused before it asks the Go heap, and has a Reset and a
// Free of its own.
//
// Free gives those chunks to a that are not in use. To give back all of them,
// Reset the child first: Free alone promises, as always, that values stay valid
// while something points to them, and leaves the chunks they are in to the GC.
//
// A Reset or Free of a, and a Rewind to a mark from before, frees the child.
// What it hands out counts towards a's budget. Values in the child may point to
// values in a. In self-contained arenas the other way round is a bug: for a,
// the child is another arena.
//
// Parent and child belong to the same goroutine. Child panics if a was freed;
// the child of a nil arena is nil.
func (a *Arena) Child() *Arena {
	if a == nil {
		return nil
	}
	a.check("Child")
	a.enter("Child")
	c := a.newChild(a.shared)
	if c.owner != nil {
		c.owner.leash = a.lead()
	}
	a.leave()
	return c
}

// newChild returns a new child, which is a local of s or a child of one unless
// s is nil.
func (a *Arena) newChild(s *Shared) *Arena {
	a.marks.serial++
	c := &Arena{config: a.config, family: family{parent: a, born: a.marks.serial},
		shared: s, lease: a.lease, budget: budget{of: a.budget.of, account: a.budget.account}}
	c.init()
	if a.lease != nil {
		c.memory.SetLearned()
	}
	if c.isObserved() {
		c.setObserved()
	}
	a.family.add(c)
	return c
}

// ancestors calls f with a's parent and those further up, until f returns true.
// Many goroutines share the root of a Shared: f has it to itself.
func (a *Arena) ancestors(f func(p *Arena) bool) {
	for ; !a.isLocal(); a = a.family.parent {
		if a.family.parent == nil || f(a.family.parent) {
			return
		}
	}
	a.shared.mu.Lock()
	defer a.shared.mu.Unlock()
	f(a.family.parent)
}

// endChildren frees the children that were born after a serial number. If they
// are dead, because their parent was reset, all of their chunks come back.
//
// A child's own children end first, so that their chunks come back to it, and with its own
// to the parent.
func (a *Arena) endChildren(after uint64, dead bool) {
	for c := range a.family.children {
		if c.family.born <= after {
			return
		}
		c.noteUse()
		c.endChildren(0, dead)
		if dead {
			c.setEnding(a.isEnding() && c.isLocal())
			c.endLife()
			c.memory.Rewind(nil)
			c.dropKept(0)
			c.beginLife()
			c.submitDead()
		} else {
			c.markSurvivors()
		}
		a.disown(c)
		c.free(ended)
	}
}

// disown takes a child and its unused chunks back. What the child has used counts, in a pool,
// as the parent's; how many bytes are reserved in the family stays the same.
func (a *Arena) disown(c *Arena) {
	a.family.remove(c)
	a.family.byChildren += c.highWater + c.family.byChildren
	a.memory.SetGrown()

	keepStale := c.owner != nil && (c.plain.Used() > 0 || c.owner.survivors)
	c.plain.GiveTo(&a.plain, keepStale)
	for s := range c.memory.Slabs {
		key, _ := s.Key()
		p := a.memory.Find(key)
		if p == nil && a.shared == nil { // listing another slab takes a lock that Reset of a Shared holds
			p = a.newSlab(key, s.Elem())
		}
		if p != nil {
			s.GiveTo(&p.Region, keepStale)
		}
	}
}

// A borrower is an arena that may take unused chunks of those above it.
type borrower Arena

// Lenders implements memory.Lender.
func (b *borrower) Lenders(f func(s *memory.Space) bool) {
	(*Arena)(b).ancestors(func(p *Arena) bool { return f(&p.memory) })
}

// A family is what an arena knows of its relatives. The children of one are linked in the
// order of their births. So those that were born after a mark are found
// without a look at the others, and each can leave at any time.
type family struct {
	parent     *Arena
	youngest   *Arena // child
	older      *Arena // siblings
	younger    *Arena
	leash      *leash  // of the children, in a self-contained arena; nil if there were none in this life
	born       uint64  // parent's serial at the birth
	byChildren uintptr // in a Pool: what children that have ended have used, since the turn began
}

// add adds a child that was just born.
func (f *family) add(c *Arena) {
	c.family.older = f.youngest
	if f.youngest != nil {
		f.youngest.family.younger = c
	}
	f.youngest = c
}

// remove removes a child, in constant time. Its own pointers to siblings are cleared, lest it
// keep them alive.
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

// bornAfter says whether there is a child with a larger serial number.
func (f *family) bornAfter(serial uint64) bool {
	return f.youngest != nil && f.youngest.family.born > serial
}

// only says whether c is the only child.
func (f *family) only(c *Arena) bool { return f.youngest == c && c.family.older == nil }
