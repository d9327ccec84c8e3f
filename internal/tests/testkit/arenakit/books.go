package arenakit

import (
	"fmt"
	"sync"
	"sync/atomic"
	"unsafe"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file compares an arena's counters with its chunks. It is for moments when no goroutine uses the arenas.

// CheckBooks checks the counters of an arena and its children: against the sum of their chunks, against the rest of the
// budget, and for an arena of a Pool against its lease.
func CheckBooks(a *arena.Arena) error {
	if a == nil || pointer(a, "core") == nil || a.Freed() { // nil, zero or freed
		return nil
	}
	sum, err := reservedByFamily(a)
	if err != nil {
		return err
	}
	if pointer(a, "account.lease") != nil && pointer(a, "family.parent") == nil {
		if n := testkit.Field[atomic.Int64](a, "account.lease.reserved").Load(); n != int64(sum) {
			return fmt.Errorf("the lease says %d bytes are reserved; the arena and its children have %d", n, sum)
		}
	}
	return checkBudget(a)
}

// CheckPoolBooks checks the counters of all arenas of a pool, and compares the pool's count for its limit with the sum
// of the lent arenas.
func CheckPoolBooks(p *arena.Pool) error {
	mu := testkit.Field[sync.Mutex](p, "state.mu")
	mu.Lock()
	defer mu.Unlock()
	sum, held := int64(0), int64(0)
	leases := testkit.Value(p, "state.leases")
	for i := range leases.Len() {
		l := leases.Index(i).Interface()
		if a := testkit.Field[weak.Pointer[arena.Arena]](l, "arena").Value(); a != nil {
			if err := CheckBooks(a); err != nil {
				return err
			}
		}
		reserved := testkit.Field[atomic.Int64](l, "reserved").Load()
		if testkit.Field[atomic.Uint64](l, "turns").Load()%2 == 1 {
			sum += reserved
		}
		if *testkit.Field[unsafe.Pointer](l, "gear") == nil { // else the GC alone decides which bytes are held
			held += reserved
		}
		if testkit.Field[atomic.Bool](l, "freed").Load() && reserved != 0 {
			return fmt.Errorf("the lease of a freed arena says %d bytes are reserved", reserved)
		}
	}
	if n := testkit.Field[atomic.Int64](p, "state.held").Load(); n != held {
		return fmt.Errorf("the pool holds %d bytes; its arenas have %d", n, held)
	}
	limit := *testkit.Field[int64](p, "state.total.limit")
	n := testkit.Field[atomic.Int64](p, "state.total.bytes").Load()
	if limit > 0 && (n != sum || n > limit) {
		return fmt.Errorf("the pool's limit of %d counts %d bytes; arenas that are lent have %d", limit, n, sum)
	}
	return nil
}

// CheckSharedBooks checks the counters of the locals of a Shared.
func CheckSharedBooks(s *arena.Shared) error {
	mu := testkit.Field[sync.Mutex](s, "mu")
	mu.Lock()
	defer mu.Unlock()
	if testkit.Field[atomic.Bool](s, "freed").Load() {
		return nil
	}
	root := testkit.Field[arena.Arena](s, "root")
	sum, err := reservedByFamily(root)
	if err != nil {
		return err
	}
	sum += chargedByFamily(root)
	if pointer(root, "core") != nil && pointer(root, "owner") != nil { // chunks that freed locals have left
		for _, c := range *testkit.Field[[]memory.Chunk](root, "owner.chunks") {
			sum += c.Total
		}
	}
	limit, n := *testkit.Field[int64](s, "total.limit"), testkit.Field[atomic.Int64](s, "total.bytes").Load()
	if limit > 0 && (n != int64(sum) || n > limit) {
		return fmt.Errorf("the limit of %d counts %d bytes; all locals have %d", limit, n, sum)
	}
	return nil
}

// reservedByFamily returns the bytes reserved by an arena and its children, by looking at each chunk.
func reservedByFamily(a *arena.Arena) (sum uintptr, err error) {
	if pointer(a, "core") == nil {
		return 0, nil // a zero Arena
	}
	for r := range space(a).Regions {
		n := uintptr(0)
		for c := range r.Chunks {
			n += c.Total
		}
		if n != r.Total() {
			return 0, fmt.Errorf("a region counts %d bytes; its chunks have %d", r.Total(), n)
		}
		sum += n
	}
	if n := space(a).Reserved(); n != sum {
		return 0, fmt.Errorf("a space counts %d bytes; its regions have %d", n, sum)
	}
	var younger *arena.Arena
	for c := range children(a) {
		if *relative(c, "parent") != a || *relative(c, "younger") != younger || !sameBooks(a, c) {
			return 0, fmt.Errorf("child %d isn't its parent's", *testkit.Field[uint64](c, "family.born"))
		}
		younger = c
		n, err := reservedByFamily(c)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// sameBooks reports whether the uses of two arenas are counted in the same places.
func sameBooks(a, b *arena.Arena) bool {
	return pointer(a, "account.total") == pointer(b, "account.total") &&
		pointer(a, "account.lease") == pointer(b, "account.lease") &&
		(pointer(a, "account.share") == nil) == (pointer(b, "account.share") == nil)
}

// checkBudget checks that a limit counts the bytes claimed by an arena and its children, including all that they may
// allocate without asking.
func checkBudget(a *arena.Arena) error {
	pooled := pointer(a, "self") == nil && pointer(a, "account.shared") == nil
	if pointer(a, "account.share") == nil || pooled {
		return nil
	}
	for pointer(a, "family.parent") != nil {
		a = *relative(a, "parent")
	}
	sum, err := claimed(a)
	claimed := *testkit.Field[uintptr](a, "account.share.limit.claimed")
	most := *testkit.Field[uintptr](a, "account.share.limit.most")
	if err == nil && (claimed != sum || sum > most) {
		err = fmt.Errorf("%d bytes are claimed, and %d counted; the limit is %d", sum, claimed, most)
	}
	return err
}

// claimed returns the bytes claimed by an arena and its children.
func claimed(a *arena.Arena) (sum uintptr, err error) {
	open, used := uintptr(0), Charged(a)
	for r := range space(a).Regions {
		used += r.Used()
		open += r.Window().Left
	}
	sum = *testkit.Field[uintptr](a, "account.share.bytes")
	if loose := *testkit.Field[bool](a, "account.share.loose"); used+open > sum || !loose && used+open < sum {
		return 0, fmt.Errorf("%d bytes can be used without asking; claimed are %d (loose: %t)", used+open, sum, loose)
	}
	for c := range children(a) {
		n, err := claimed(c)
		if sum += n; err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// Charged returns the bytes that KeepAlive values count towards the limit of an arena.
func Charged(a *arena.Arena) uintptr {
	if a == nil || pointer(a, "core") == nil || pointer(a, "life.marks") == nil {
		return 0
	}
	return *testkit.Field[uintptr](a, "life.marks.charged")
}

// chargedByFamily returns the same of an arena and its children.
func chargedByFamily(a *arena.Arena) uintptr {
	if pointer(a, "core") == nil {
		return 0
	}
	sum := Charged(a)
	for c := range children(a) {
		sum += chargedByFamily(c)
	}
	return sum
}

func space(a *arena.Arena) *memory.Space { return testkit.Field[memory.Space](a, "memory") }

func pointer(a *arena.Arena, name string) unsafe.Pointer {
	return *testkit.Field[unsafe.Pointer](a, name)
}

// relative returns a link of an arena's family.
func relative(a *arena.Arena, name string) **arena.Arena {
	return testkit.Field[*arena.Arena](a, "family."+name)
}

// children goes through an arena's children, youngest first.
func children(a *arena.Arena) func(yield func(c *arena.Arena) bool) {
	return func(yield func(c *arena.Arena) bool) {
		for c := *relative(a, "youngest"); c != nil; c = *relative(c, "older") {
			if !yield(c) {
				return
			}
		}
	}
}
