package arena

import (
	"iter"
	"reflect"
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/stray"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds what becomes of memory that a self-contained arena takes back while
// values live on that may point to it.
//
// The GC doesn't see such stale pointers, and nobody may follow them. But the program
// may store something else over one at any time, or load it in passing. While the GC
// marks, it is then shown the old pointer, and ends the program if there is no heap
// object. So what a stale pointer may lead to must stay allocated until no value has it:
//
//	(1) Chunks of which something was taken back stay with the arena until its life ends. The
//	    engine doesn't let go of them, nor lend them to a child, which could let go of them.
//	(2) What is let go of all the same goes to limbo, which keeps it: chunks that are
//	    in quarantine, and what KeepAlive was given.
//	(3) Now and then the arena looks what its values still point to, taking each word
//	    for a pointer, and lets go of the rest. Of that the tracker is told now.
//	(4) When the life ends there are no values. All goes the way that they do.
//	(5) Values that stay valid, since a child or a local was freed with them, may point
//	    to what was taken back later, even by Reset: the owner of that life keeps all. Arenas
//	    know the owners of such survivors by weak pointers, and look through them in (3), too.
//
// The locals of a Shared point to each other, so that their life is that of the Shared,
// whatever each of them takes back: while there are several, (3) has to wait. Arenas that
// aren't self-contained need none of this:
// the GC sees stale pointers in them. This file may not know what a block holds: it asks the
// engine for what is in use, and package stray for what that leads to.

// A limbo is what an owner keeps for the sake of stale pointers. Looking through it costs
// time in proportion to what is in use, and is put off until as much has come as remained
// the last time: the cost is in proportion to what was taken back.
type limbo struct {
	list   []remains
	bytes  uintptr // of all, about
	due    uintptr // how many are reason enough to look through it
	looked uintptr // how many bytes were looked at the last time
}

// remains are what one operation has let go of.
type remains struct {
	chunks []memory.Chunk // keep their owner, which may be what is watched
	kept   []any
	batch  *watch.Batch // to be submitted when nothing points to the chunks; or nil
}

// keepsAll says whether Reset is in the midst of a life, that of a Shared.
func (a *Arena) keepsAll() bool { return a.owner != nil && a.isLocal() }

// forget takes what KeepAlive was given from the n-th value on away from the arena, in the
// midst of a life.
func (a *Arena) forget(n int) {
	kept := a.kept()
	if n == len(kept) {
		return
	}
	if a.owner != nil {
		if q := a.quarantine; q != nil && q.rewound != nil { // whose values may be held
			q.rewound.kept = slices.Clone(kept[n:])
		}
		a.toLimbo(remains{kept: slices.Clone(kept[n:])})
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
	if a.isLocal() && !a.family.parent.family.only(a) {
		return // there are others, of which this one can't know what they point to
	}
	if l.bytes >= l.due || a.watch() != nil && l.looked <= tuning.LimboFew && l.bytes <= tuning.LimboFew {
		a.sift()
		l.due = 2*l.bytes + max(tuning.LimboLeast, l.looked/8)
	}
}

// bytes returns for how many bytes the remains count.
func (r *remains) bytes() uintptr {
	n := tuning.KeptSize * uintptr(len(r.kept))
	for _, v := range r.kept {
		p := stray.SpanOf(v)
		n += p.End - p.Start
	}
	for i := range r.chunks {
		n += r.chunks[i].Total
	}
	return n
}

// sift releases what is in limbo and what no value of the arena, its children and survivors has
// a pointer to. A word that happens to look like such a pointer keeps it until the next time.
func (a *Arena) sift() {
	l := &a.owner.limbo
	if len(l.list) == 0 {
		return
	}
	s := newSieve(a, l.list)
	s.scan(a)
	l.looked = s.looked
	kept := l.list[:0]
	l.bytes = 0
	for _, r := range l.list {
		if s.strip(&r); len(r.chunks) > 0 || len(r.kept) > 0 {
			kept = append(kept, r)
			l.bytes += r.bytes()
		}
	}
	clear(l.list[len(kept):])
	l.list = kept
	if unsafe.Sizeof(remains{})*uintptr(cap(kept)) > tuning.ListKeep+4*l.bytes {
		l.list = slices.Clip(slices.Clone(kept))
	}
}

// A sieve finds out what of some remains has pointers to it.
type sieve struct {
	arena   *Arena
	spans   []stray.Span // of what is looked for; sorted and apart from each other
	reached []bool       // by the same index

	known   []stray.Span // of the family, which lead nowhere else; likewise
	outside bool         // some word may lead anywhere

	looked uintptr // bytes, about
}

func newSieve(a *Arena, list []remains) *sieve {
	s := &sieve{arena: a}
	opaque := false
	for i := range list {
		for j := range list[i].chunks {
			s.spans = append(s.spans, stray.OfChunk(&list[i].chunks[j]))
		}
		for _, v := range list[i].kept {
			if p, all := reach(v); !all {
				opaque = true
			} else if p.End > p.Start {
				s.spans = append(s.spans, p)
			}
		}
	}
	s.spans = stray.Join(s.spans)
	s.reached = make([]bool, len(s.spans))
	if opaque {
		s.addFamily(a.top())
		s.known = stray.Join(s.known)
	} else {
		s.outside = true // which nobody asks
	}
	return s
}

// addFamily adds what values of the arena, its children and survivors point to as a rule.
func (s *sieve) addFamily(a *Arena) {
	for c := range a.generations {
		for k := range c.plain.Chunks {
			s.known = append(s.known, stray.OfChunk(k))
		}
		s.addKnown(c, c.kept())
		for o := range s.left(c) {
			for i := range o.chunks {
				s.known = append(s.known, stray.OfChunk(&o.chunks[i]))
			}
			s.addKnown(o.header, o.kept)
			for _, l := range o.locals {
				s.addKnown(l, nil)
			}
		}
	}
	s.looked += knownCost * uintptr(len(s.known))
}

// knownCost is what a known span counts for, in bytes that are looked at.
const knownCost = 256

// addKnown adds the memory of an arena itself, and what KeepAlive was given.
func (s *sieve) addKnown(a *Arena, kept []any) {
	if a != nil {
		s.known = append(s.known, headerOf(a))
	}
	for _, v := range kept {
		if p := stray.SpanOf(v); p.End > p.Start {
			s.known = append(s.known, p)
		}
	}
}

// left yields the owners of what values were left in. Those that locals have left may only be looked at
// under the lock of the Shared, which is held if the sieve is a local's.
func (s *sieve) left(a *Arena) iter.Seq[*owner] {
	if a.isLocal() && a != s.arena {
		return func(func(*owner) bool) {}
	}
	return a.owner.withSurvivors
}

// scan looks at all words that are in use in the arena, its children and survivors.
func (s *sieve) scan(a *Arena) {
	for c := range a.generations {
		for k := range c.plain.InUse {
			k.Words(s.look)
		}
		s.looked += c.plain.Used()
		for o := range s.left(c) {
			if o.ended {
				continue
			}
			for i := range o.chunks {
				o.chunks[i].Words(s.look)
				s.looked += o.chunks[i].Total
			}
		}
	}
}

// look takes a word for a pointer.
func (s *sieve) look(word uintptr) {
	if i := stray.Find(s.spans, word); i >= 0 {
		s.reached[i] = true
	} else if !s.outside {
		s.outside = word >= firstPage && stray.Find(s.known, word) < 0 && !stray.Static(word)
	}
}

// firstPage is where no program has memory.
const firstPage = 4 << 10

// strip takes out of r what nothing points to.
func (s *sieve) strip(r *remains) {
	if !slices.ContainsFunc(r.chunks, func(c memory.Chunk) bool { return s.reaches(stray.OfChunk(&c)) }) {
		if r.batch != nil {
			tracker.Submit(r.batch)
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
func (s *sieve) reaches(p stray.Span) bool {
	i := stray.Find(s.spans, p.Start)
	return p.End > p.Start && s.reached[i]
}

// reach returns the memory that a value given to KeepAlive points to, and whether
// nothing else is reached from there.
func reach(v any) (s stray.Span, all bool) {
	t := reflect.TypeOf(v)
	switch {
	case t == nil || !layout.HasPointers(t):
		return s, true
	case t.Kind() == reflect.String:
	case t.Kind() != reflect.Pointer && t.Kind() != reflect.Slice || layout.HasPointers(t.Elem()):
		return s, false
	}
	return stray.SpanOf(v), true
}

// markSurvivors notes that the values of an arena that is freed stay valid in the midst of
// its parents' lives.
func (a *Arena) markSurvivors() {
	if a.owner == nil || a.plain.Used() == 0 && !a.owner.survived() {
		return
	}
	a.owner.leash.owner.addSurvivor(a.owner)
}

// close is called when a life ends. Where values were overwritten nothing points into
// limbo any more; else it goes on with them, and counts as a part of what they are.
func (l *limbo) close(overwritten bool) {
	for i := range l.list {
		if b := l.list[i].batch; b != nil && overwritten {
			tracker.Submit(b)
		}
		l.list[i].batch = nil
	}
	if overwritten {
		*l = limbo{}
	}
}
