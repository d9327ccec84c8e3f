package arena

import "fmt"

// This file lets tests compare what is kept count of with what follows from the
// chunks themselves. It is for moments at which no goroutine uses the arenas.

// CheckBooks compares the books of an arena and its children: of what their chunks
// add up to, of what the budget has left, and for an arena of a Pool of what its
// lease says.
func CheckBooks(a *Arena) error {
	if a == nil || a.over() {
		return nil
	}
	sum, err := a.reservedByFamily()
	if err != nil {
		return err
	}
	if l := a.lease; l != nil && a.family.parent == nil && l.reserved.Load() != int64(sum) {
		return fmt.Errorf("the lease says %d bytes are reserved; the arena and its children have %d", l.reserved.Load(), sum)
	}
	return a.checkBudget()
}

// CheckPoolBooks does so for all arenas of a pool, and compares what the pool's
// limit counts with the sum of those that are lent.
func CheckPoolBooks(p *Pool) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	sum := int64(0)
	for _, l := range p.leases {
		if a := l.arena.Value(); a != nil {
			if err := CheckBooks(a); err != nil {
				return err
			}
		}
		if l.turns.Load()%2 == 1 {
			sum += l.reserved.Load()
		}
		if n := l.reserved.Load(); l.freed.Load() && n != 0 {
			return fmt.Errorf("the lease of a freed arena says %d bytes are reserved", n)
		}
	}
	if n := p.total.bytes.Load(); p.total.limit > 0 && (n != sum || n > p.total.limit) {
		return fmt.Errorf("the pool's limit of %d counts %d bytes; arenas that are lent have %d", p.total.limit, n, sum)
	}
	return nil
}

// CheckSharedBooks does so for the locals of a Shared.
func CheckSharedBooks(s *Shared) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.freed.Load() {
		return nil
	}
	sum, err := s.root.reservedByFamily()
	if err != nil {
		return err
	}
	if o := s.root.owner; o != nil { // what freed locals have left
		for _, c := range o.chunks {
			sum += c.Total
		}
	}
	if n := s.account.bytes.Load(); s.account.limit > 0 && (n != int64(sum) || n > s.account.limit) {
		return fmt.Errorf("the limit of %d counts %d bytes; all locals have %d", s.account.limit, n, sum)
	}
	return nil
}

// reservedByFamily returns what an arena and its children have reserved, by looking at each
// chunk.
func (a *Arena) reservedByFamily() (sum uintptr, err error) {
	for r := range a.memory.Regions {
		n := uintptr(0)
		for c := range r.Chunks {
			n += c.Total
		}
		if n != r.Total() {
			return 0, fmt.Errorf("a region counts %d bytes; its chunks have %d", r.Total(), n)
		}
		sum += n
	}
	var younger *Arena
	for c := range a.family.children {
		if c.family.parent != a || c.family.younger != younger || c.budget.account != a.budget.account || c.lease != a.lease || c.budget.of != a.budget.of {
			return 0, fmt.Errorf("child %d isn't its parent's", c.family.born)
		}
		younger = c
		n, err := c.reservedByFamily()
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// checkBudget says whether all that may be handed out without a look at the budget
// is within it: what is, what is in open windows, and what was allowed in advance.
func (a *Arena) checkBudget() error {
	b := a.budget.of
	if b == nil || a.idle() {
		return nil
	}
	sum := b.budget.allow
	var add func(a *Arena)
	add = func(a *Arena) {
		for r := range a.memory.Regions {
			sum += r.Used() + r.Left
		}
		for c := range a.family.children {
			add(c)
		}
	}
	add(b)
	if sum > b.config.limit {
		return fmt.Errorf("%d bytes can be handed out, %d of them in advance; the limit is %d", sum, b.budget.allow, b.config.limit)
	}
	return nil
}
