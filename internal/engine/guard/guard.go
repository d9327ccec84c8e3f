// Package guard takes away the access to dead memory, so that any use of it faults, at its line: also the
// reads of a string's bytes, which Go's compiler shows to none of its sanitizers. It is a fence around
// mprotect; it knows neither what was in the memory, nor who has found it dead.
//
// What is guarded is heap memory. That is possible since the GC never looks into blocks without pointers,
// nor into others behind their last pointer, and lives as long as the block does: a block that the GC gives
// to somebody else must be accessible. So guard itself keeps whatever is guarded (block's fact 1), and who wants the
// GC to decide on it lifts all guards first, has them forgotten, and guards what is left again.
//
//	Guard ──▶ no access, kept ──▶ Lift ──▶ access, kept ──▶ Lower ──▶ no access
//	                                          └─▶ Forget ──▶ the GC's
//
// Guards are lifted, too, for dumps of the heap, which the runtime writes without asking anybody.
package guard

import (
	"sync"
	"unsafe"

	"github.com/harena-go/arena/internal/tuning"
)

// Pages are whole pages of a heap block.
type Pages struct {
	Start unsafe.Pointer
	Size  uintptr // a multiple of PageSize
}

// guards is what is guarded. While lifted isn't 0, all of it is accessible.
var guards struct {
	mu     sync.Mutex
	lifted int
	pages  []Pages
}

// Guard takes away the access to pages that nobody may use again, and reports whether it has: not while guards are
// lifted, and not if there were too many. Either all of the pages are guarded or none.
func Guard(pages []Pages) bool {
	guards.mu.Lock()
	defer guards.mu.Unlock()
	if guards.lifted > 0 || len(guards.pages)+len(pages) > tuning.MaxGuarded {
		return false
	}
	for i, p := range pages {
		if !protect(p, true) {
			allow(pages[:i])
			return false
		}
	}
	guards.pages = append(guards.pages, pages...)
	return true
}

// Lift makes all that is guarded accessible, until Lower is called as often as Lift.
func Lift() {
	guards.mu.Lock()
	defer guards.mu.Unlock()
	if guards.lifted++; guards.lifted == 1 {
		allow(guards.pages)
	}
}

// Lower guards again what was when Lift was called, but for what was forgotten. What can't be is forgotten.
func Lower() {
	guards.mu.Lock()
	defer guards.mu.Unlock()
	if guards.lifted--; guards.lifted > 0 {
		return
	}
	kept := guards.pages[:0]
	for _, p := range guards.pages {
		if protect(p, true) {
			kept = append(kept, p)
		}
	}
	clear(guards.pages[len(kept):])
	guards.pages = kept
}

// Forget releases all that is guarded, while guards are lifted.
func Forget() {
	guards.mu.Lock()
	defer guards.mu.Unlock()
	if guards.lifted == 0 {
		panic("arena: guard: pages are forgotten that nobody may touch")
	}
	guards.pages = nil
}

// allow gives back the access. Without it the GC would end the program when the memory has another use, and
// so does a failure.
func allow(pages []Pages) {
	for _, p := range pages {
		if !protect(p, false) {
			panic("arena: guard: access to memory can't be given back")
		}
	}
}
