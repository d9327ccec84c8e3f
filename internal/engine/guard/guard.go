// Package guard revokes access to dead memory, so that any use of it faults at its line. That includes reads of a
// string's bytes, which Go's compiler hides from all sanitizers. It wraps mprotect, and must not depend on the memory's
// contents or on how it was found to be dead.
//
// Guarded memory is heap memory. That works because the GC never reads blocks without pointers, or the part of a block
// after its last pointer. A guard lives as long as its block, since memory that the GC frees must be accessible to its
// next user. So guard itself keeps guarded memory alive (block's fact 1). To let the GC decide on it, lift all guards,
// forget them, and guard the surviving memory again.
//
//	Guard ──▶ no access, kept ──▶ Lift ──▶ access, kept ──▶ Lower ──▶ no access
//	        └─▶ Release ──▶ the GC's          └─▶ Forget ──▶ the GC's
//
// Guards are lifted for dumps of the heap too, since the runtime reads all of it.
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

// guards holds the guarded pages. All of them are accessible while lifted isn't 0.
var guards struct {
	mu     sync.Mutex
	lifted int
	pages  map[Pages]bool
}

// Guard revokes access to pages that nobody may use again, and reports whether it did. It doesn't
// while guards are lifted, or if there would be too many. Either all of the pages are guarded or
// none.
func Guard(pages []Pages) bool {
	guards.mu.Lock()
	defer guards.mu.Unlock()
	if guards.lifted > 0 || len(guards.pages)+len(pages) > tuning.MaxGuarded {
		return false
	}
	for i, p := range pages {
		if !protect(p, true) {
			for _, p := range pages[:i] {
				allow(p)
			}
			return false
		}
	}
	if guards.pages == nil {
		guards.pages = map[Pages]bool{}
	}
	for _, p := range pages {
		guards.pages[p] = true
	}
	return true
}

// Lift makes all guarded pages accessible, until Lower is called as often as Lift.
func Lift() {
	guards.mu.Lock()
	defer guards.mu.Unlock()
	if guards.lifted++; guards.lifted == 1 {
		for p := range guards.pages {
			allow(p)
		}
	}
}

// Lower restores the guards that Lift has lifted, except for forgotten ones. Pages that can't be guarded again are
// forgotten.
func Lower() {
	guards.mu.Lock()
	defer guards.mu.Unlock()
	if guards.lifted--; guards.lifted > 0 {
		return
	}
	for p := range guards.pages {
		if !protect(p, true) {
			delete(guards.pages, p)
		}
	}
}

// Forget releases all guarded pages, while guards are lifted.
func Forget() {
	guards.mu.Lock()
	defer guards.mu.Unlock()
	if guards.lifted == 0 {
		panic("arena: guard: pages are forgotten that nobody may touch")
	}
	guards.pages = nil
}

// Release makes guarded pages accessible, and forgets them. The caller keeps them alive until it returns.
func Release(pages []Pages) {
	guards.mu.Lock()
	defer guards.mu.Unlock()
	for _, p := range pages {
		delete(guards.pages, p)
		allow(p)
	}
}

// allow restores access. Without that the program would crash once the GC reuses the memory, so a
// failure ends the program here.
func allow(p Pages) {
	if !protect(p, false) {
		panic("arena: guard: access to memory can't be given back")
	}
}
