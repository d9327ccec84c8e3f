// Package reclaim keeps what a self-contained arena has reclaimed while values live on that may point to it. It must
// not depend on arenas.
//
// The GC doesn't see such stale pointers, and nobody may follow them. But the program may store something else over one
// at any time, or load it in passing. While the GC marks, it is then shown the old pointer, and ends the program if
// there is no heap object. So what a stale pointer may lead to must stay allocated until no value has the pointer:
//
//	(1) Chunks in which something was reclaimed stay with the arena until its life ends. The engine neither releases
//	    them nor lends them to a child, which could release them.
//	(2) What is released all the same goes to limbo, which keeps it: chunks in quarantine, and what KeepAlive was
//	    given.
//	(3) From time to time the arena looks at what its values still point to, taking each word for a pointer, and
//	    releases the rest. The tracker learns of that only now.
//	(4) When the life ends there are no values. All of limbo goes with them.
//	(5) Values that stay valid, since a child or a local was freed with them, may point to what was reclaimed later,
//	    even by Reset: the owner of that life keeps all of it. Arenas know the owners of such survivors by weak
//	    pointers, and look through their memory in (3), too.
//
// The locals of a Shared point to each other, so that they share one life, whatever each of them reclaims: while there
// are several, (3) has to wait. Arenas that aren't self-contained need none of this, since the GC sees stale pointers
// in them.
package reclaim

import (
	"slices"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/stray"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// A Limbo is what an owner keeps for the sake of stale pointers. Looking through it takes time in proportion to what is
// in use. It is put off until as much has come as remained the last time, so that the time is in proportion to what was
// reclaimed.
type Limbo struct {
	list   []Remains
	bytes  uintptr // of all, about
	due    uintptr // bytes at which it is looked through
	looked uintptr // bytes that were looked at the last time
}

// Remains are what one operation has released.
type Remains struct {
	Chunks []memory.Chunk // keep their owner, which may be watched
	Kept   []any
	Batch  *watch.Batch // to be submitted when nothing points to the chunks; or nil
}

// bytes returns for how many bytes the remains count.
func (r *Remains) bytes() uintptr {
	n := tuning.KeptSize * uintptr(len(r.Kept))
	for _, v := range r.Kept {
		p := stray.SpanOf(v)
		n += p.End - p.Start
	}
	for i := range r.Chunks {
		n += r.Chunks[i].Total
	}
	return n
}

// Bytes returns about how many bytes are in limbo.
func (l *Limbo) Bytes() uintptr { return l.bytes }

// Add puts remains into limbo.
func (l *Limbo) Add(r Remains) {
	l.list = append(l.list, r)
	l.bytes += r.bytes()
}

// Due reports whether Sift is due. In a checked arena, which is to report soon, it is while Sift is quick.
func (l *Limbo) Due(checked bool) bool {
	return l.bytes >= l.due || checked && l.looked <= tuning.LimboFew && l.bytes <= tuning.LimboFew
}

// Sift releases what no value of a family has a pointer to, and submits its batches to t. A word that happens to look
// like such a pointer keeps it until the next time.
func (l *Limbo) Sift(f Family, t *watch.Tracker) {
	if len(l.list) > 0 {
		l.sift(f, t)
	}
	l.due = 2*l.bytes + max(tuning.LimboLeast, l.looked/8)
}

func (l *Limbo) sift(f Family, t *watch.Tracker) {
	s := newSieve(f, l.list)
	f.InUse(s)
	l.looked = s.looked
	kept := l.list[:0]
	l.bytes = 0
	for _, r := range l.list {
		if s.strip(&r, t); len(r.Chunks) > 0 || len(r.Kept) > 0 {
			kept = append(kept, r)
			l.bytes += r.bytes()
		}
	}
	clear(l.list[len(kept):])
	l.list = kept
	if unsafe.Sizeof(Remains{})*uintptr(cap(kept)) > tuning.ListKeep+4*l.bytes {
		l.list = slices.Clip(slices.Clone(kept))
	}
}

// Close is called when a life ends. If its values were overwritten, nothing points into limbo any more. Else limbo
// stays with them, and counts as a part of them.
func (l *Limbo) Close(overwritten bool, t *watch.Tracker) {
	for i := range l.list {
		if b := l.list[i].Batch; b != nil && overwritten {
			t.Submit(b)
		}
		l.list[i].Batch = nil
	}
	if overwritten {
		*l = Limbo{}
	}
}

// SiteAt returns where what was at an address was allocated and reclaimed; nil if it isn't in limbo.
func (l *Limbo) SiteAt(addr uintptr, gone bool) (*watch.Site, *watch.Stack) {
	for _, r := range l.list {
		if site := r.Batch.SiteAt(addr, gone); site != nil {
			return site, &r.Batch.Stack
		}
	}
	return nil, nil
}
