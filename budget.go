package arena

import "github.com/harena-go/arena/internal/block"

// This file holds how a limit is kept without counting on the fast path.
//
// What the fast path may hand out is bounded by the open windows. So it is
// enough that, whenever a slow path runs, the bytes handed out and those in all
// open windows together stay within the limit. Near the limit the windows are
// closed first, which makes each allocation slow, but lets the last byte be
// used.

// admit is called before r hands out n bytes for a request of size bytes, from
// its window if top is set. It panics if the budget doesn't allow for them, and
// returns how many bytes more a new window may have.
func (a *Arena) admit(r *region, top bool, size, n uintptr) (ahead uintptr) {
	b := a.budget
	if b == nil {
		return ^uintptr(0)
	}
	limit := b.config.limit
	open := b.claimed()
	if top {
		open -= r.left // takes from it, and replaces it
	}
	if open+n > limit {
		b.closeWindows()
		if open = b.claimed(); open+n > limit {
			panic(&LimitError{Name: b.config.name, Used: int(open), Asked: int(size), Limit: int(limit)})
		}
	}
	return limit - open - n
}

// rest returns how many bytes the budget still allows to be handed out.
func (a *Arena) rest() uintptr {
	b := a.budget
	if b == nil {
		return maxBytes
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
	n := a.usedBytes() + a.left
	for _, s := range a.slabs {
		n += s.left
	}
	for _, c := range a.children {
		n += c.claimed()
	}
	return n
}

// closeWindows closes all windows of the arena and its children.
func (a *Arena) closeWindows() {
	a.closeWindow()
	for _, s := range a.slabs {
		s.closeWindow()
	}
	for _, c := range a.children {
		c.closeWindows()
	}
}

// cutToLimit returns the size of a block for need bytes, total if there is no
// limit, and no more than what the budget has left otherwise.
func (a *Arena) cutToLimit(need, total uintptr) uintptr {
	if b := a.budget; b != nil {
		left := b.config.limit - min(b.config.limit, b.claimed())
		total = min(total, max(need, left)+block.OwnedOverhead)
	}
	return total
}
