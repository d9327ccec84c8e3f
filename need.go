package arena

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
	unfit = c.plain.note(&a.region)
	used := a.region.peak() + a.lent
	for _, s := range a.slabs {
		used += s.peak()
		n := c.slabs[s.key]
		if n == nil {
			n = c.addSlab(s.key)
		}
		unfit = n.note(&s.region) || unfit
	}
	c.all.note(min(used, reserved))
	c.room.Store(c.all.room())
	return unfit
}

func (c *class) addSlab(key slabKey) *need {
	if c.slabs == nil {
		c.slabs = map[slabKey]*need{}
	}
	n := new(need)
	c.slabs[key] = n
	return n
}

// note is class.note for one region.
func (n *need) note(r *region) (unfit bool) {
	if n.sizes.note(r.peak()) || n.first == 0 {
		n.first = r.firstFor(n.sizes.cover())
	}
	if n.first == 0 {
		return false
	}
	r.first = n.first
	if len(r.chunks.chunks) == 0 {
		r.next = n.first
		return false
	}
	head := r.chunks.chunks[0].total
	r.unfit = head < n.first ||
		head/shrinkFactor >= n.first && (n.sizes.rare(head/shrinkFactor) || head > n.sizes.room())
	return r.unfit
}

// peak returns the most that the region has had in use since the turn began.
func (r *region) peak() uintptr { return max(r.most, r.used()) }

// shrinkFactor is how many times too large the first chunk must be for nearly
// all uses before a smaller one takes its place.
const shrinkFactor = 4

// firstFor returns the size of a first chunk for n bytes, within what the
// options allow, or 0 if n is.
func (r *region) firstFor(n uintptr) uintptr {
	if n == 0 {
		return 0
	}
	options := &r.arena.config
	most := options.maxRetained / 4
	if options.maxChunkSet {
		most = min(most, options.maxChunk)
	}
	size := r.blockSize(n, 0)
	if size > most {
		size = r.blockSize(min(r.unit, most), most)
	}
	return max(size, r.blockSize(1, r.smallestFirst())) // which may be less than was asked for
}

// learnedFirst returns what firstFor has returned for the arenas of the class,
// or else: for slabs of a type, or for the arenas' own regions if key is nil.
func (c *class) learnedFirst(key slabKey, floor uintptr) uintptr {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := &c.plain
	if key != nil {
		n = c.slabs[key]
	}
	if n == nil {
		return floor
	}
	return max(n.first, floor)
}

// refit lets go of the chunks of a region that was reset that are smaller than
// the first one should be; or if that is much too large, of it and of those as
// large. The next allocation then makes one of the right size.
func (r *region) refit() {
	if !r.unfit {
		return
	}
	r.unfit = false
	if len(r.chunks.chunks) == 0 { // Reset has let go of it
		return
	}
	most := ^uintptr(0)
	if head := r.chunks.chunks[0].total; head >= r.first {
		most = head - 1
	}
	r.vacate()
	r.dropIf(&r.chunks, func(c *chunk) bool { return c.total < r.first || c.total > most })
	r.resetNext()
}
