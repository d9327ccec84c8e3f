package arena

import "github.com/harena-go/arena/internal/memory"

// This file holds how a Pool learns how large the first chunks of its arenas
// should be, and sees to it that they are.

// A need is what a class has learned of one region of its arenas.
type need struct {
	sizes sizes
	first uintptr // bytes of the first chunk's block; 0 if too little is known
}

// note adds what an arena that was reset has used to what its class knows, unless
// another goroutine is just doing that. With its children it had reserved so many
// bytes. It reports whether a region should begin with another chunk than it does.
func (c *class) note(a *Arena, reserved uintptr) (unfit bool) {
	if !c.mu.TryLock() {
		return false
	}
	defer c.mu.Unlock()
	unfit = c.plain.note(&a.plain)
	used := a.plain.Peak() + a.family.lent
	for s := range a.memory.Slabs {
		used += s.Peak()
		n := c.slabs[s.Key()]
		if n == nil {
			n = c.addSlab(s.Key())
		}
		unfit = n.note(&s.Region) || unfit
	}
	c.all.note(min(used, reserved))
	c.room.Store(c.all.room())
	return unfit
}

func (c *class) addSlab(key memory.Key) *need {
	if c.slabs == nil {
		c.slabs = map[memory.Key]*need{}
	}
	n := new(need)
	c.slabs[key] = n
	return n
}

// note is class.note for one region.
func (n *need) note(r *memory.Region) (unfit bool) {
	if n.sizes.note(r.Peak()) || n.first == 0 {
		n.first = r.FirstFor(n.sizes.cover())
	}
	if n.first == 0 {
		return false
	}
	r.SetFirst(n.first, n.misfit)
	return r.Misfit()
}

// misfit says whether a first chunk should be exchanged for one of the size that is
// needed.
func (n *need) misfit(head uintptr) bool {
	return head < n.first ||
		head/shrinkFactor >= n.first && (n.sizes.rare(head/shrinkFactor) || head > n.sizes.room())
}

// shrinkFactor is how many times too large the first chunk must be for nearly
// all uses before a smaller one takes its place.
const shrinkFactor = 4

// learnedFirst returns how large a slab's first chunk should be, or 0 if that isn't
// known.
func (c *class) learnedFirst(key memory.Key) uintptr {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n := c.slabs[key]; n != nil {
		return n.first
	}
	return 0
}

// learnedFirstPlain is learnedFirst for the arenas' plain regions, and least if that is
// more.
func (c *class) learnedFirstPlain(least uintptr) uintptr {
	c.mu.Lock()
	defer c.mu.Unlock()
	return max(c.plain.first, least)
}
