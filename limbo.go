package arena

import (
	"reflect"
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/block"
	"github.com/harena-go/arena/internal/layout"
)

// This file holds what becomes of memory that a self-contained arena takes back while
// values live on that may point to it.
//
// The GC doesn't see such stale pointers, and nobody may follow them. But the program
// may store something else over one at any time, or load it in passing. While the GC
// marks, it is then shown the old pointer, and ends the program if there is no heap
// object. So what a stale pointer may lead to must stay allocated until no value has it:
//
//	(1) Chunks of which something was taken back stay with the arena until its life ends. They
//	    are not let go of, nor lent to a child, which could let go of them.
//	(2) What is let go of all the same goes to limbo, which keeps it: chunks that are
//	    abandoned, and what KeepAlive was given.
//	(3) Now and then the arena looks what its values still point to, taking each word
//	    for a pointer, and lets go of the rest. Of that the judge is told now.
//	(4) When the life ends there are no values. All goes the way that they do.
//	(5) Values that stay valid, since a child or a local was freed with them, may point
//	    to what was taken back later, even by Reset: the owner of that life keeps all.
//
// The locals of a Shared point to each other, so that their life is that of the Shared,
// whatever each of them takes back. Arenas that aren't self-contained need none of this:
// the GC sees stale pointers in them.

// A limbo is what an owner keeps for the sake of stale pointers.
type limbo struct {
	list  []remains
	bytes uintptr // of all, about
	due   uintptr // how many are reason enough to look through it
}

// remains are what one operation has let go of.
type remains struct {
	chunks []chunk // keep their owner, which may be what is watched
	kept   []any
	trial  *trial // to be opened when nothing points to the chunks; or nil
}

const (
	// keptSize is what a value given to KeepAlive counts for.
	keptSize = 256

	// limboFew: a checked arena with so little in use looks through its limbo at once,
	// so that the judge is told soon. That takes some 10 microseconds.
	limboFew = 64 << 10

	// limboLeast is how many bytes are let be, at least.
	limboLeast = 16 << 10
)

// life numbers the lives of what may point to the arena's values: those of a Shared for
// its locals.
func (a *Arena) life() uint32 {
	if a.isLocal() {
		return a.sharedLife
	}
	return uint32(a.resets) + 1
}

// mayBePointedTo says whether something in an unused chunk was taken back in this life of
// a self-contained arena.
func (a *Arena) mayBePointedTo(c *chunk) bool {
	return a.owner != nil && c.life == a.life()
}

// takenBack notes that values may point to what was in a chunk.
func (c *chunk) takenBack(a *Arena) {
	if a.owner != nil {
		c.life = a.life()
	}
}

// rewindUnseen is rewind for a single allocation, to which no value points.
func (r *region) rewindUnseen(p *position) {
	var lives [2]uint32
	lists := [...]*list{&r.chunks, &r.big}
	last := [...]int{r.chunks.used - 1, r.big.used - 1}
	for i, l := range lists {
		if last[i] >= 0 {
			lives[i] = l.chunks[last[i]].life
		}
	}
	r.rewind(p)
	if r.arena.abandons() {
		return // which has let go of the chunks
	}
	for i, l := range lists {
		if last[i] >= 0 {
			l.chunks[last[i]].life = lives[i]
		}
	}
}

// keepsAll says whether Reset is in the midst of a life, that of a Shared.
func (a *Arena) keepsAll() bool { return a.owner != nil && a.isLocal() }

// forget takes what KeepAlive was given from the n-th value on away from the arena, in the
// midst of a life.
func (a *Arena) forget(n int) {
	if n == len(a.kept) {
		return
	}
	if a.owner != nil {
		if a.rewound != nil { // whose values may be held
			a.rewound.kept = slices.Clone(a.kept[n:])
		}
		a.toLimbo(remains{kept: slices.Clone(a.kept[n:])})
	}
	a.dropKept(n)
}

// toLimbo puts remains into limbo, and perhaps lets go of some.
func (a *Arena) toLimbo(r remains) {
	if a.isLocal() {
		a.shared.mu.Lock()
		defer a.shared.mu.Unlock()
	}
	l := &a.owner.limbo
	l.list = append(l.list, r)
	l.bytes += r.bytes()
	if a.owner.orphans || a.isLocal() && !a.parent.children.only(a) {
		return // there are others, of which this one can't know what they point to
	}
	if live := a.claimed(); l.bytes >= l.due || a.watch != nil && live <= limboFew && l.bytes <= limboFew {
		a.sift()
		l.due = 2*l.bytes + max(limboLeast, live/8)
	}
}

func (r *remains) bytes() uintptr {
	n := keptSize * uintptr(len(r.kept))
	for i := range r.chunks {
		n += r.chunks[i].total
	}
	return n
}

// sift lets go of what is in limbo and what no value of the arena and its children has
// a pointer to.
func (a *Arena) sift() {
	l := &a.owner.limbo
	s := newSieve(a, l.list)
	s.scan(a)
	kept := l.list[:0]
	l.bytes = 0
	for _, r := range l.list {
		if s.settle(&r); len(r.chunks) > 0 || len(r.kept) > 0 {
			kept = append(kept, r)
			l.bytes += r.bytes()
		}
	}
	clear(l.list[len(kept):])
	l.list = kept
}

// A sieve finds out what of some remains has pointers to it.
type sieve struct {
	spans   []span // of what is looked for; sorted and apart from each other
	reached []bool // by the same index

	known   []span // of the family, which lead nowhere else; likewise
	outside bool   // some word may lead anywhere
}

func newSieve(a *Arena, list []remains) *sieve {
	s := &sieve{}
	opaque := false
	for i := range list {
		for j := range list[i].chunks {
			s.spans = append(s.spans, list[i].chunks[j].span())
		}
		for _, v := range list[i].kept {
			if p, all := reach(v); !all {
				opaque = true
			} else if p.end > p.start {
				s.spans = append(s.spans, p)
			}
		}
	}
	s.spans = apart(s.spans)
	s.reached = make([]bool, len(s.spans))
	if opaque {
		for !a.isLocal() && a.parent != nil { // the root of a Shared belongs to other goroutines
			a = a.parent
		}
		s.addKnown(a)
		s.known = apart(s.known)
	} else {
		s.outside = true // which nobody asks
	}
	return s
}

// addKnown adds what values of the arena and its children point to as a rule.
func (s *sieve) addKnown(a *Arena) {
	start := uintptr(unsafe.Pointer(a))
	s.known = append(s.known, span{start, start + unsafe.Sizeof(*a)})
	for _, l := range [...]*list{&a.chunks, &a.big} {
		for c := range l.all {
			s.known = append(s.known, c.span())
		}
	}
	for _, v := range a.kept {
		if p := spanOf(v); p.end > p.start {
			s.known = append(s.known, p)
		}
	}
	for c := range a.children.all {
		s.addKnown(c)
	}
}

// scan looks at all words that are in use in the arena and its children.
func (s *sieve) scan(a *Arena) {
	for c := range a.region.inUse {
		block.Words(c.mem, 0, c.lo, s.look)
		block.Words(c.mem, c.hi, c.size, s.look)
	}
	for c := range a.children.all {
		s.scan(c)
	}
}

// look takes a word for a pointer.
func (s *sieve) look(word uintptr) {
	if i := find(s.spans, word); i >= 0 {
		s.reached[i] = true
	} else if !s.outside {
		s.outside = word >= firstPage && find(s.known, word) < 0 && !static.holds(word)
	}
}

// firstPage is where no program has memory.
const firstPage = 4 << 10

// settle takes out of r what nothing points to.
func (s *sieve) settle(r *remains) {
	if !slices.ContainsFunc(r.chunks, func(c chunk) bool { return s.reaches(c.span()) }) {
		if r.trial != nil {
			court.open(r.trial)
		}
		*r = remains{kept: r.kept}
	}
	r.kept = slices.DeleteFunc(r.kept, func(v any) bool {
		p, all := reach(v)
		return all && !s.reaches(p) || !all && !s.outside
	})
}

// reaches says whether a word led to a span that was looked for, or to one with which
// that overlaps.
func (s *sieve) reaches(p span) bool {
	i := find(s.spans, p.start)
	return p.end > p.start && s.reached[i]
}

// span returns the block of a chunk, with the pad, to which a value of no size may lie.
func (c *chunk) span() span {
	start := uintptr(c.mem)
	return span{start, start + c.size + 1}
}

// reach returns the memory that a value given to KeepAlive points to, and whether
// nothing else is reached from there.
func reach(v any) (s span, all bool) {
	t := reflect.TypeOf(v)
	switch {
	case t == nil || !layout.HasPointers(t):
		return s, true
	case t.Kind() == reflect.String:
	case t.Kind() != reflect.Pointer && t.Kind() != reflect.Slice || layout.HasPointers(t.Elem()):
		return s, false
	}
	return spanOf(v), true
}

// apart sorts spans and joins those that overlap.
func apart(spans []span) []span {
	sortSpans(spans)
	n := 0
	for _, p := range spans {
		if n > 0 && p.start < spans[n-1].end {
			spans[n-1].end = max(spans[n-1].end, p.end)
			continue
		}
		spans[n] = p
		n++
	}
	return spans[:n]
}

// isOfLife says whether values may point to a chunk that goes to another arena in the
// midst of the life that both share.
func (a *Arena) isOfLife(c *chunk, to *Arena) bool { return a.owner == to.owner && a.mayBePointedTo(c) }

// mayLend says whether a chunk that the arena has unused may go to another.
func (a *Arena) mayLend(c *chunk, to *Arena) bool {
	return a.owner == to.owner || !a.mayBePointedTo(c)
}

// mustKeep says whether an arena that ends must keep an unused chunk rather than leave it
// to its parent: values may stay valid that point to it.
func (a *Arena) mustKeep(c *chunk, parent *Arena) bool {
	return a.owner != parent.owner && a.mayBePointedTo(c) && (a.region.used() > 0 || a.owner.orphans)
}

// outlives notes that the values of an arena that was freed stay valid in the midst of
// its parents' lives.
func (a *Arena) outlives() {
	if a.owner == nil || a.region.used() == 0 && !a.owner.orphans {
		return
	}
	if a.shared != nil {
		a.shared.mu.Lock()
		defer a.shared.mu.Unlock()
	}
	for l := a.owner.leash; l != nil; l = l.owner.leash {
		l.owner.orphans = true
	}
}

// leaveAll leaves all chunks to the owner, for the sake of values that outlive this life.
// The arena may use them again all the same, with another owner.
func (a *Arena) leaveAll() {
	o := a.owner
	a.succeed()
	o.keep(a)
	for c := range a.children.all {
		if c.isLocal() {
			o.keep(c)
			o.locals = append(o.locals, c)
			c.ownedBy(a.owner)
		}
	}
}

func (o *owner) keep(a *Arena) {
	for c := range a.chunks.all {
		o.chunks = append(o.chunks, *c)
	}
	for c := range a.big.all {
		o.big = append(o.big, *c)
	}
	o.kept = append(o.kept, a.kept...)
}

// succeed gives the arena a new owner, which has the arena's chunks.
func (a *Arena) succeed() {
	o := a.owner
	o.arena, o.header = nil, a
	a.ownedBy(&owner{arena: a, leash: o.leash})
}

// ownedBy makes o the owner of the arena's chunks.
func (a *Arena) ownedBy(o *owner) {
	a.owner, a.leash = o, nil
	for _, l := range [...]*list{&a.chunks, &a.big} {
		for c := range l.all {
			block.SetOwner(c.mem, unsafe.Pointer(o))
		}
	}
}

// endWithValues leaves to the owner, when the arena is freed, what its values may point to.
func (a *Arena) endWithValues() {
	o := a.owner
	if a.abandons() && !o.orphans {
		a.sift()
	}
	o.limbo.close(false)
	*o = owner{header: a, kept: a.kept, leash: o.leash, limbo: o.limbo,
		chunks: a.pointedTo(&a.chunks), big: a.pointedTo(&a.big)}
}

// pointedTo returns the chunks of a list that are in use, and those to which values may
// point.
func (a *Arena) pointedTo(l *list) []chunk {
	var rest []chunk
	for c := range l.unused {
		if a.mayBePointedTo(c) {
			rest = append(rest, *c)
		}
	}
	return append(l.inUse(), rest...)
}

// close is called when a life ends. Where values were overwritten nothing points into
// limbo any more; else it goes on with them, and counts as a part of what they are.
func (l *limbo) close(overwritten bool) {
	for i := range l.list {
		if t := l.list[i].trial; t != nil && overwritten {
			court.open(t)
		}
		l.list[i].trial = nil
	}
	if overwritten {
		*l = limbo{}
	}
}
