package memory

import "unsafe"

// This file holds the seams: the interfaces through which a space calls its owner. All of
// them are nil in a plain space, and are called on slow paths only. It must not depend on
// who implements them.
//
// An implementation must not allocate from the space that calls it: the region is in the
// midst of an allocation. Admit may close windows, and Charge may release unused chunks.
// Both may panic, and the region is then as it was.

// A Budget bounds the allocations of spaces.
type Budget interface {
	// Ask panics, as Admit does, if size bytes can't be allocated. It counts nothing: Admit
	// is called when they are.
	Ask(size uintptr)

	// Admit is called before n bytes of r are allocated for a request of size bytes. It
	// panics if the budget doesn't allow it. Otherwise it returns how many bytes more a
	// new window may have, if the bytes are from the Top.
	Admit(r *Region, from Place, size, n uintptr) (ahead uintptr)

	// Cut returns the size of a block that has to offer need bytes: total, or less if the
	// rest could never be allocated.
	Cut(need, total uintptr) uintptr
}

// A Place is where in a region memory is allocated.
type Place uint8

const (
	Low       Place = iota // the low end, or a chunk of its own instead of it
	Top                    // the top, where a window is opened
	TopsChunk              // a chunk of its own, instead of the top
)

// An Account counts the blocks of spaces.
type Account interface {
	// Charge returns the size of the block for a chunk of r that offers need bytes, of
	// about total bytes if there is room, and counts it. It panics if there is none.
	Charge(r *Region, need, total uintptr) uintptr

	// Credit is the opposite, for n bytes of blocks that were released.
	Credit(n uintptr)
}

// A Lender knows the spaces from which this one may borrow unused chunks.
type Lender interface {
	// Lend calls Lend of such spaces, until one of them lends a chunk.
	Lend(to *Region, least, want uintptr) (Chunk, bool)
}

// A Quarantine gets the memory that a space reclaims, which is then not used again.
type Quarantine interface {
	// Intact reports whether values must stay as they are.
	Intact() bool

	// Taken reports that the part of a chunk from from to to was reclaimed.
	Taken(c *Chunk, from, to uintptr)

	// Dead passes on chunks of r that were reclaimed whole.
	Dead(r *Region, gone []Chunk)

	// Single reports whether each allocation has a chunk of its own.
	Single() bool

	// Page returns the bytes of a page if the memory of the next chunk without pointers should be
	// whole pages, else 0.
	Page() uintptr

	// Label returns a note for an allocation of size bytes, which got room bytes. Only the
	// quarantine knows its type.
	Label(size, room uintptr) unsafe.Pointer

	// Done is called when an allocation with a label is over.
	Done()
}

// seams are those of a space, except for the lender. They are behind one pointer since most spaces
// have none, and each would take two words in every arena. Each child has a lender, and so do arenas of pools.
type seams struct {
	budget     Budget
	account    Account
	quarantine Quarantine
}

// SetBudget makes b bound the allocations of s. From then on s calls it before each allocation.
func (s *Space) SetBudget(b Budget) {
	s.seam().budget = b
	s.setCareful()
}

// SetAccount makes c count the blocks that s makes from now on. nil ends that.
func (s *Space) SetAccount(c Account) { s.seam().account = c }

// SetLender makes l lend chunks to s.
func (s *Space) SetLender(l Lender) { s.lender = l }

// SetQuarantine makes q get the memory that s reclaims.
func (s *Space) SetQuarantine(q Quarantine) { s.seam().quarantine = q }

func (s *Space) seam() *seams {
	if s.seams == nil {
		s.seams = new(seams)
	}
	return s.seams
}

// admit calls the budget, if there is one.
func (r *Region) admit(from Place, size, n uintptr) (ahead uintptr) {
	s := r.space
	if s.seams == nil || s.seams.budget == nil {
		return ^uintptr(0)
	}
	return s.seams.budget.Admit(r, from, size, n)
}

// ask calls the budget, if there is one.
func (s *Space) ask(size uintptr) {
	if s.limited() {
		s.seams.budget.Ask(size)
	}
}

func (s *Space) limited() bool { return s.seams != nil && s.seams.budget != nil }

// cut returns the size of a block, which the budget decides if there is one.
func (s *Space) cut(need, total uintptr) uintptr {
	if !s.limited() {
		return total
	}
	return s.seams.budget.Cut(need, total)
}

// charge returns the size of a block, which the account decides if there is one.
func (r *Region) charge(need, total uintptr) uintptr {
	if s := r.space.seams; s != nil && s.account != nil {
		return s.account.Charge(r, need, total)
	}
	return r.BlockSize(need, total)
}

// release accounts for n bytes of chunks that the region has released. The chunks must be
// off its lists before anything else is called.
func (r *Region) release(n uintptr) {
	r.lose(n)
	if s := r.space.seams; s != nil && s.account != nil {
		s.account.Credit(n)
	}
}

// quarantined returns the quarantine, or nil.
func (s *Space) quarantined() Quarantine {
	if s.seams == nil {
		return nil
	}
	return s.seams.quarantine
}

// single reports whether each allocation has a chunk of its own.
func (s *Space) single() bool {
	q := s.quarantined()
	return q != nil && q.Single()
}
