package arena

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/stray"
	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file keeps limits without counting on the fast path: that of an arena, which is on allocated bytes, and that of
// a Pool or a Shared, which is on the bytes of chunks. It must not depend on the allocated values. WithLimit also
// counts KeepAlive values, which a self-contained arena keeps until its life ends.
//
// The open windows bound the fast path. So it is enough that, whenever a slow path runs, the bytes allocated and those
// in all open windows together stay within the limit. Near the limit the windows are closed first. That makes each
// allocation slow, but allows the last byte to be used.
//
//	0            claimed = 70 KiB                       limit = 100 KiB
//	├───────────────────────┬─────────┬─────────────────────┤
//	│ allocated             │ windows │ left = 30 KiB       │
//	└───────────────────────┴─────────┴─────────────────────┘
//
// An arena claims bytes when it allocates them or opens a window for them. Reclaimed bytes and the rest of a window
// stay claimed without need: the arena's share is loose. Loose shares are tightened only when a request exceeds the
// bytes left. With the numbers above, a request of 1 KiB that opens a window of 8 KiB leaves 21 KiB; a request of 25
// KiB then closes all windows, and panics only if 25 KiB are really not left.
//
// An arena that was tightened isn't looked at again before it claims or reclaims something: the cost is in proportion
// to the work, and doesn't grow with the number of children.
//
// Invariant: claimed <= limit, and claimed is the sum of all shares. A share that isn't loose equals its arena's use,
// and the arena's windows are closed.

// An account holds the counters that an arena's allocations change. All of it is nil in a plain arena.
type account struct {
	share  *share  // of its own limit or its parents'
	total  *total  // of the chunks of a Pool or a Shared, if that has a limit
	lease  *lease  // of an arena from a Pool, and of its children
	ticket *ticket // of an arena from a Pool without reuse
	shared *Shared // if this is a local of it, or a local's child
}

// A limit bounds the allocations of an arena and its descendants together.
type limit struct {
	name    string
	most    uintptr
	claimed uintptr
	loose   *share // a list
}

// A share holds the bytes that one arena has claimed.
type share struct {
	limit      *limit
	core       *core
	bytes      uintptr
	loose      bool // in the list
	prev, next *share
}

// setLimit gives an arena its share of a limit.
func (a *Arena) setLimit(l *limit) {
	a.account.share = &share{limit: l, core: a.core}
	a.memory.SetBudget((*limited)(a.core))
}

// left returns how many bytes can be claimed before the loose shares are tightened.
func (l *limit) left() uintptr { return l.most - l.claimed }

// tighten reduces the loose shares to the use of their arenas, and closes the windows of these arenas. A window opens
// again with the next allocation, as far as the limit allows.
func (l *limit) tighten() {
	for s := l.loose; s != nil; s = l.loose {
		s.core.memory.CloseWindows()
		used := s.core.memory.Used()
		if m := s.core.life.marks; m != nil {
			used += m.charged
		}
		l.claimed -= s.bytes - used
		s.bytes = used
		s.unlink()
	}
}

// claim adds n bytes to a share.
func (s *share) claim(n uintptr) {
	s.bytes += n
	s.limit.claimed += n
	s.loosen()
}

// loosen is called when the arena has claimed or reclaimed something. s is nil without a limit.
func (s *share) loosen() {
	if s == nil || s.loose {
		return
	}
	l := s.limit
	if s.next = l.loose; s.next != nil {
		s.next.prev = s
	}
	l.loose, s.loose = s, true
}

// unlink removes s from the list of loose shares.
func (s *share) unlink() {
	if s.prev != nil {
		s.prev.next = s.next
	} else {
		s.limit.loose = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	}
	s.prev, s.next, s.loose = nil, nil, false
}

// end returns the share of an arena that ends.
func (s *share) end() {
	if s == nil {
		return
	}
	s.limit.claimed -= s.bytes
	if s.loose {
		s.unlink()
	}
}

// limited is an arena with a budget, as the engine sees it.
type limited core

// Admit implements memory.Budget. A window is claimed when it is opened, as if it had been allocated; allocations from
// it claim no more.
func (l *limited) Admit(r *memory.Region, from memory.Place, size, n uintptr) (ahead uintptr) {
	b := l.account.share.limit
	if n > b.left() {
		if b.tighten(); n > b.left() {
			e := &LimitError{Name: b.name, Used: int(b.claimed), Asked: int(size), Limit: int(b.most)}
			panic(l.handle.overLimit(e))
		}
	}
	if from == memory.Top {
		ahead = min(tuning.Window, r.Room(), b.left()-n)
	}
	l.account.share.claim(n + ahead)
	return ahead
}

// Ask implements memory.Budget.
func (l *limited) Ask(size uintptr) { l.handle.demand(size) }

// Cut implements memory.Budget: no block is larger than the bytes left.
func (l *limited) Cut(need, total uintptr) uintptr {
	b := l.account.share.limit
	if total <= b.left() {
		return total
	}
	b.tighten()
	return min(total, max(need, b.left())+block.OwnedOverhead)
}

// demand panics if the budget doesn't allow for n bytes. It doesn't claim them.
func (a *Arena) demand(n uintptr) {
	if s := a.account.share; s != nil {
		(*limited)(a.core).Admit(nil, memory.Low, n, n)
		s.bytes -= n
		s.limit.claimed -= n
	}
}

// chargeKept counts a KeepAlive value towards WithLimit, and returns the size that it counts.
func (a *Arena) chargeKept(v any) (n uintptr) {
	switch {
	case a.account.share != nil:
		n = keptSize(v)
		(*limited)(a.core).Admit(nil, memory.Low, n, n)
	case a.account.shared != nil && a.account.total != nil:
		n = keptSize(v)
		a.retry(n, func() bool { return a.account.total.tryCharge(int64(n)) })
	}
	return n
}

// creditKept is the opposite, for n released bytes.
func (a *Arena) creditKept(n uintptr) {
	if n == 0 {
		return
	}
	a.life.marks.charged -= n
	if s := a.account.share; s != nil {
		s.bytes -= n
		s.limit.claimed -= n
	} else if c := a.account.total; c != nil {
		c.bytes.Add(-int64(n))
	}
}

// keptSize returns the size that a KeepAlive value counts: with its target, if the size of that is known.
func keptSize(v any) uintptr {
	s := stray.SpanOf(v)
	if n := s.End - s.Start; n != 1 {
		return unsafe.Sizeof(v) + n
	}
	return tuning.KeptSize // of a map, say, only the first byte is known
}

// rest returns how many bytes the budget still allows, or fewer if these are LastMoves times want anyway: the exact
// number takes time for each type.
func (a *Arena) rest(want uintptr) uintptr {
	s := a.account.share
	if s == nil {
		return maxBytes
	}
	b := s.limit
	if want > b.left()/tuning.LastMoves {
		b.tighten()
	}
	return b.left()
}

// A total counts the bytes of the chunks of several arenas, and keeps them below a limit. The arenas may belong to
// different goroutines, so their allocations can't be added up at any moment; chunks are taken rarely.
//
// Invariant: bytes is the sum of the bytes reserved by those arenas and their children. A lease has the same sum for
// one arena. A block is charged once, when it is made, and credited once, by the arena that releases it; a move from
// one region of a family to another changes nothing.
type total struct {
	name   string
	limit  int64
	bytes  atomic.Int64
	relief func() // looks for bytes that nobody will give back; or nil
	last   func() // does so where that costs much; or nil
}

// tryCharge adds n bytes, unless they would exceed the limit.
func (t *total) tryCharge(n int64) bool {
	for {
		bytes := t.bytes.Load()
		if n > t.limit-bytes {
			return false
		}
		if t.bytes.CompareAndSwap(bytes, bytes+n) {
			return true
		}
	}
}

// available returns how many bytes a chunk of any kind may have now: somewhat less than the bytes left, since its block
// is larger. Other arenas may take them meanwhile.
func (t *total) available() uintptr {
	left := uintptr(max(0, t.limit-t.bytes.Load()))
	return left - min(left, left/16+block.OwnedOverhead) // see block.RoundOwned
}

// counted is an arena whose blocks count, as the engine sees it.
type counted core

// Charge implements memory.Account: it counts towards the limit of a Pool or a Shared, and in the lease. The limit
// comes first, as that may panic.
func (c *counted) Charge(r *memory.Region, need, total uintptr) uintptr {
	size := r.BlockSize(need, total)
	if c.account.total != nil && !c.account.total.tryCharge(int64(size)) {
		size = c.handle.chargeLast(r, need)
	}
	if l := c.account.lease; l != nil {
		l.reserved.Add(int64(size))
		l.growths.Add(1)
		l.taken.Add(uint64(size))
		if !c.config.lasts {
			l.pool.held.Add(int64(size))
		}
	}
	return size
}

// Credit implements memory.Account.
func (c *counted) Credit(n uintptr) { c.handle.credit(n) }

// chargeLast is Charge near the limit: it takes a small block, so that others get one too, and releases unused chunks
// if it must.
func (a *Arena) chargeLast(r *memory.Region, need uintptr) (size uintptr) {
	c := a.account.total
	a.retry(need, func() bool {
		left := c.available()
		for _, size = range [...]uintptr{r.BlockSize(need, max(left/4, r.SmallestFirst())), r.BlockSize(need, left),
			r.BlockSize(need, 0), r.LeastSize(need)} {
			if c.tryCharge(int64(size)) {
				return true
			}
		}
		return false
	})
	return size
}

// retry calls take until it succeeds. Before each further call it releases something: the unused chunks of the arena
// and its parents, then arenas lost to the GC, which is run now and then to find more of them. If nothing helps it
// panics: n bytes are not to be had.
func (a *Arena) retry(n uintptr, take func() bool) {
	c := a.account.total
	for _, relief := range [...]func(){nil, a.dropSpare, c.relief, c.last} {
		if relief != nil {
			relief()
		}
		if take() {
			return
		}
	}
	panic(a.overLimit(&LimitError{
		Name: c.name, Used: int(c.bytes.Load()), Asked: int(n), Limit: int(c.limit), Total: true,
	}))
}

// credit is the opposite of Charge, for n bytes.
func (a *Arena) credit(n uintptr) {
	if a.account.lease != nil {
		a.account.lease.reserved.Add(-int64(n))
		if !a.config.lasts {
			a.account.lease.pool.held.Add(-int64(n))
		}
	}
	if c := a.account.total; c != nil {
		c.bytes.Add(-int64(n))
	}
}

// collect runs the GC to find arenas that were lost, if any but the caller's is lent. Otherwise the arenas of requests
// that have timed out would count towards the limit until the next cycle, which may be minutes away if little else is
// on the heap.
//
// Other goroutines at the limit of this pool wait for the result. Those of other pools don't wait.
func (s *poolState) collect() {
	s.collecting.Lock()
	defer s.collecting.Unlock()
	if !collected.due(false) || !s.lendsOthers() || !collected.due(true) {
		return
	}
	runtime.GC()
	before := s.total.bytes.Load()
	s.reap()
	collected.end(s.total.bytes.Load() < before)
}

// collected holds the time of the last GC run for any pool, and the wait until the next one.
var collected collection

type collection struct {
	sync.Mutex
	at   time.Time
	wait time.Duration
}

// due reports whether the GC may be run now; begins means that it will be. A time in the future is of another synctest
// bubble, or of none, and is ignored.
func (c *collection) due(begins bool) bool {
	c.Lock()
	defer c.Unlock()
	now := time.Now()
	if since := now.Sub(c.at); since >= 0 && since < c.wait {
		return false
	}
	if begins {
		c.at, c.wait = now, min(2*max(c.wait, tuning.CollectLeast/2), tuning.CollectMost)
	}
	return true
}

// end is called when the GC has run; useful means that the run has freed bytes of the pool.
func (c *collection) end(useful bool) {
	c.Lock()
	defer c.Unlock()
	if c.at = time.Now(); useful {
		c.wait = tuning.CollectLeast
	}
}

// A client is an arena that may take chunks from the depot of its pool, for itself and its children.
type client core

// Lend implements memory.Lender. An arena without chunks keeps its first one for good, so that must have the full size,
// unless the pool is crowded.
func (c *client) Lend(to *memory.Region, least, want uintptr) (chunk memory.Chunk, ok bool) {
	l, total := c.account.lease, c.account.total
	if to.Total() == 0 && !l.pool.crowded() {
		least = max(least, want-min(want, block.OwnedOverhead)) // a chunk offers less than its block has
	}
	// No chunk is larger than most, so that the limit of the pool isn't exceeded for a moment.
	most := int64(tuning.LendFactor * want)
	if total != nil && !total.tryCharge(most) {
		return
	}
	if chunk, ok = l.pool.depot.Lend(to, least, want); ok {
		l.reserved.Add(int64(chunk.Total))
		l.pool.held.Add(int64(chunk.Total))
	}
	if total != nil {
		total.bytes.Add(int64(chunk.Total) - most)
	}
	return chunk, ok
}

// dropSpare releases the unused chunks of the arena and of its ancestors, except where there can't be new ones since
// the last call.
func (a *Arena) dropSpare() {
	top := a.top()
	now := top.family.reclaims + 1
	for c := a; c.family.swept != now; c = c.family.parent {
		c.memory.DropUnused()
		c.family.swept = now
		if c == top {
			break
		}
	}
	if top.isLocal() {
		a.account.shared.mu.Lock()
		defer a.account.shared.mu.Unlock()
		top.family.parent.memory.DropUnused()
	}
}

// reclaimed is called when the arena has reclaimed something, or has got an unused chunk.
func (a *Arena) reclaimed() {
	a.account.share.loosen()
	if a.account.total != nil {
		a.top().family.reclaims++
	}
}

// observed is an arena that is observed, as the engine sees it: its windows end where the next sample is due, so that
// the allocation that needs more comes here. The fast paths of other arenas stay as they are.
type observed core

// Ask implements memory.Budget.
func (o *observed) Ask(size uintptr) { o.handle.demand(size) }

// Admit implements memory.Budget. The bytes of the top of each region are a stream that is sampled, and so are all
// other bytes together.
func (o *observed) Admit(r *memory.Region, from memory.Place, size, n uintptr) (ahead uintptr) {
	ahead = maxBytes
	if o.account.share != nil {
		ahead = (*limited)(o).Admit(r, from, size, n)
	}
	s := o.account.lease.sampler.Load()
	if from == memory.Low || !r.Metered() {
		s.Count(uintptr(unsafe.Pointer(o)), n) // which is only compared
		return 0
	}
	due, known := r.Due()
	due = s.CountTo(uintptr(unsafe.Pointer(o)), due, known, n) // likewise
	if from == memory.Top {
		r.SetDue(n + due)
	} else {
		r.SetDue(due)
	}
	return min(ahead, due)
}

// unsample is called when the last n bytes that weren't taken from the top were given back.
func (a *Arena) unsample(n uintptr) {
	if a.isObserved() {
		a.account.lease.sampler.Load().GiveBack(uintptr(unsafe.Pointer(a.core)), n) // which is only compared
	}
}

// Cut implements memory.Budget.
func (o *observed) Cut(need, total uintptr) uintptr {
	if o.account.share != nil {
		return (*limited)(o).Cut(need, total)
	}
	return total
}
