package arena

import (
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena/internal/block"
	"github.com/harena-go/arena/internal/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file holds how limits are kept without counting on the fast path: first
// that of an arena, which is one on the bytes handed out, then that of a Pool or
// a Shared, which is one on the bytes of chunks. It may not know what is allocated.
//
// What the fast path may hand out is bounded by the open windows. So it is
// enough that, whenever a slow path runs, the bytes handed out and those in all
// open windows together stay within the limit. Near the limit the windows are
// closed first, which makes each allocation slow, but lets the last byte be
// used.
//
//	0            claimed = 70 KiB                       limit = 100 KiB
//	├───────────────────────┬─────────┬─────────────────────┤
//	│ handed out            │ windows │ allow = 30 KiB      │
//	└───────────────────────┴─────────┴─────────────────────┘
//
// Adding that up takes time in proportion to the number of slabs and children.
// What it leaves is written down in allow, and used up until the next count. With the numbers
// above, a request of 1 KiB that opens a window of 8 KiB leaves an allow of 21 KiB; a
// request of 25 KiB then has all of it counted again, and panics only if 25 KiB are really
// not left when all windows are closed.
//
// Invariant: claimed + allow <= limit. What is given back makes claimed smaller, and allow
// stays as it is until it is used up, so that it is never too large.

// A budget is what an arena knows of the limits that it has to keep.
type budget struct {
	of      *Arena   // the arena whose limit counts: itself, its parent's; or nil
	allow   uintptr  // of that arena, what may be handed out until it is counted again
	account *account // counts chunks towards the limit of a Pool or a Shared; or nil
}

// limited is an arena with a budget, as the engine sees it.
type limited Arena

// Admit implements memory.Budget. A window is paid for when it is opened, as if it had been
// handed out; what is taken from it later costs nothing more.
func (l *limited) Admit(_ *memory.Region, from memory.Place, size, n uintptr) (ahead uintptr) {
	a := (*Arena)(l)
	b := a.budget.of
	if n > b.budget.allow {
		b.budget.allow = n + b.recount(a, size, n)
	}
	b.budget.allow -= n
	if from == memory.Top {
		ahead = min(tuning.Window, b.budget.allow)
		b.budget.allow -= ahead
	}
	return ahead
}

// Ask implements memory.Budget.
func (l *limited) Ask(size uintptr) { (*Arena)(l).demand(size) }

// Cut implements memory.Budget: no block is larger than what is left.
func (l *limited) Cut(need, total uintptr) uintptr {
	b := l.budget.of
	if total <= b.budget.allow { // which is part of what is left, and known
		return total
	}
	left := b.config.limit - min(b.config.limit, b.claimed())
	return min(total, max(need, left)+block.OwnedOverhead)
}

// demand panics if the budget doesn't allow for n bytes, which nobody gets yet.
func (a *Arena) demand(n uintptr) {
	if b := a.budget.of; b != nil {
		(*limited)(a).Admit(nil, memory.Low, n, n)
		b.budget.allow += n
	}
}

// recount returns how much the budget of b leaves when a has handed out n bytes
// more, and panics if it doesn't allow for them.
func (b *Arena) recount(a *Arena, size, n uintptr) uintptr {
	limit := b.config.limit
	open := b.claimed()
	if open+n > limit {
		b.closeWindows()
		if open = b.claimed(); open+n > limit {
			panic(a.refused(&LimitError{Name: b.config.name, Used: int(open), Asked: int(size), Limit: int(limit)}))
		}
	}
	return limit - open - n
}

// rest returns how many bytes the budget still allows to be handed out.
func (a *Arena) rest() uintptr {
	b := a.budget.of
	if b == nil {
		return maxBytes
	}
	if b.budget.allow > b.config.limit/2 {
		return b.budget.allow
	}
	if n := b.claimed(); n < b.config.limit/2 {
		return b.config.limit - n // at least: windows may be open
	}
	b.closeWindows()
	return b.config.limit - b.claimed()
}

// claimed returns the bytes handed out and those in open windows, of the arena
// and its children.
func (a *Arena) claimed() uintptr {
	n := a.memory.Claimed()
	for c := range a.family.children {
		n += c.claimed()
	}
	return n
}

// closeWindows closes all windows of the arena and its children. Each is open again after the
// next allocation there, as far as the limit allows.
func (a *Arena) closeWindows() {
	a.memory.CloseWindows()
	for c := range a.family.children {
		c.closeWindows()
	}
}

// An account counts the bytes of the chunks of several arenas, and keeps them
// below a limit. The arenas may belong to different goroutines, so that what
// they hand out can't be added up at any moment; chunks are taken rarely.
//
// Invariant: bytes is the sum of what those arenas and their children have
// reserved. A lease has the same sum for one arena. A block is charged once, when
// it is made, and credited once, by whoever has it when it is let go; to move from
// one region of a family to another changes nothing.
type account struct {
	name   string
	limit  int64
	bytes  atomic.Int64
	relief func() // looks for bytes that nobody will give back; or nil
	last   func() // does so where that costs much; or nil
}

// tryCharge adds n bytes, unless they would exceed the limit.
func (c *account) tryCharge(n int64) bool {
	for {
		bytes := c.bytes.Load()
		if n > c.limit-bytes {
			return false
		}
		if c.bytes.CompareAndSwap(bytes, bytes+n) {
			return true
		}
	}
}

// offer returns how many bytes a chunk may offer now, whatever its kind: somewhat less than
// what is left, since its block is larger. Others may take it meanwhile.
func (c *account) offer() uintptr {
	left := uintptr(max(0, c.limit-c.bytes.Load()))
	return left - min(left, left/16+block.OwnedOverhead) // see block.RoundOwned
}

// counted is an arena whose blocks count, as the engine sees it.
type counted Arena

// Charge implements memory.Account: towards the limit of a Pool or a Shared, and for
// what a Pool knows of the arena. It is counted in the account first, as that may panic.
func (c *counted) Charge(r *memory.Region, need, total uintptr) uintptr {
	size := r.BlockSize(need, total)
	if c.budget.account != nil && !c.budget.account.tryCharge(int64(size)) {
		size = (*Arena)(c).chargeLast(r, need)
	}
	if l := c.lease; l != nil {
		l.reserved.Add(int64(size))
		l.growths.Add(1)
		l.pool.held.Add(int64(size))
	}
	return size
}

// Credit implements memory.Account.
func (c *counted) Credit(n uintptr) { (*Arena)(c).credit(n) }

// chargeLast is Charge near the limit: it takes a small block, so that others
// get one too, and lets go of chunks that nothing is in use of, if it must.
func (a *Arena) chargeLast(r *memory.Region, need uintptr) (size uintptr) {
	c := a.budget.account
	a.insist(need, func() bool {
		left := c.offer()
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

// insist calls take, and lets go of chunks that nothing is in use of, until it
// succeeds: first of the arena's and its parents', then of what was lost to the GC, which is asked
// to look for more of that now and then. If that doesn't help it panics: n bytes are not to be had.
func (a *Arena) insist(n uintptr, take func() bool) {
	c := a.budget.account
	for _, relief := range [...]func(){nil, a.dropSpare, c.relief, c.last} {
		if relief != nil {
			relief()
		}
		if take() {
			return
		}
	}
	panic(a.refused(&LimitError{Name: c.name, Used: int(c.bytes.Load()), Asked: int(n), Limit: int(c.limit), Total: true}))
}

// credit is the opposite of charge, for n bytes.
func (a *Arena) credit(n uintptr) {
	if a.lease != nil {
		a.lease.reserved.Add(-int64(n))
		a.lease.pool.held.Add(-int64(n))
	}
	if c := a.budget.account; c != nil {
		c.bytes.Add(-int64(n))
	}
}

// dropSpare lets go of the unused chunks of the arena and those above it.
func (a *Arena) dropSpare() {
	a.memory.DropUnused()
	a.ancestors(func(p *Arena) bool {
		p.memory.DropUnused()
		return false
	})
}

// observed is an arena that is observed, as the engine sees it: its windows end where the next sample is due, so that the
// allocation that needs more asks. The fast paths of other arenas are as they were.
type observed Arena

// Ask implements memory.Budget.
func (o *observed) Ask(size uintptr) { (*Arena)(o).demand(size) }

// Admit implements memory.Budget. The bytes of the top of each region, and all others together, are streams
// of which each has its samples.
func (o *observed) Admit(r *memory.Region, from memory.Place, size, n uintptr) (ahead uintptr) {
	ahead = maxBytes
	if o.budget.of != nil {
		ahead = (*limited)(o).Admit(r, from, size, n)
	}
	s := o.lease.sampler.Load()
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

// Cut implements memory.Budget.
func (o *observed) Cut(need, total uintptr) uintptr {
	if o.budget.of != nil {
		return (*limited)(o).Cut(need, total)
	}
	return total
}
