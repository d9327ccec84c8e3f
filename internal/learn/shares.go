package learn

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/harena-go/arena/internal/tuning"
)

// This file decides how much memory the arenas of a pool may keep for all kinds of work
// together. It depends on how many arenas there are, and must not depend on which.
//
// Each arena keeps the memory that its kind of work needs. In total that is too much if there are many more arenas than
// are lent at a time: with a thousand kinds of work, each has some that wait. So there is a bound in proportion to the
// needs of the lent arenas. While all arenas together exceed the bound, each that comes back keeps no more than its
// share. For example, if 64 are lent at a time and need 34 KiB each, and there are 1,300 arenas:
//
//	bound = 3 x 64 x 34 KiB = 6.4 MiB, share = 6.4 MiB / 1,300 = 5 KiB

// Shares holds the needs of a pool's work of all kinds. The zero Shares knows nothing, and bounds nothing. Any number
// of goroutines may use it.
type Shares struct {
	mu    sync.Mutex
	needs Histogram // of arenas that come back
	lent  int       // about the most that were lent at a time of late
	bytes uintptr   // likewise
	looks int       // to go until Review is due

	room, most, bound, crowd, share, free atomic.Uintptr // 0 if too little is known
}

// Note adds an arena's need in bytes of blocks. It reports whether Review is due.
func (s *Shares) Note(need uintptr) (due bool) {
	if !s.mu.TryLock() {
		return false
	}
	defer s.mu.Unlock()
	s.needs.Note(need, 1)
	s.room.Store(s.needs.Room())
	s.most.Store(s.needs.Recurring())
	s.looks--
	return s.looks < 0
}

// Review sets bound and share, given how many arenas are lent now, at least one, how many bytes
// these have, and how many arenas there are.
func (s *Shares) Review(lent int, bytes uintptr, arenas int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looks = max(tuning.ReviewEvery, arenas/8)
	s.lent = max(lent, s.lent*7/8)
	mean := s.needs.Mean()
	if mean == 0 {
		return
	}
	s.bytes = max(bytes, uintptr(s.lent)*mean, s.most.Load(), s.bytes/8*7)
	bound := min(max(tuning.PoolFree, tuning.PoolFactor*s.bytes), math.MaxInt/2)
	free := min(bound/uintptr(2*s.lent), tuning.FreeSize)
	crowd := max(bound/4, s.bytes+s.bytes/2)
	s.bound.Store(bound)
	s.crowd.Store(crowd)
	s.share.Store(crowd / uintptr(2*max(arenas, 1)))
	s.free.Store(free)
	s.needs.SetFree(free)
}

// Excess returns how many bytes all arenas together have too much, given those that they have.
func (s *Shares) Excess(bytes uintptr) uintptr {
	bound := s.bound.Load()
	if bound == 0 {
		return 0
	}
	return bytes - min(bytes, bound)
}

// Crowded reports whether arenas, lent or idle, have so much that too little of the bound is left
// for memory that any of them may take.
func (s *Shares) Crowded(bytes uintptr) bool {
	crowd := s.crowd.Load()
	return crowd > 0 && bytes > crowd
}

// Share returns how many bytes an arena may have while the bound is exceeded.
func (s *Shares) Share() uintptr {
	if n := s.share.Load(); n > 0 {
		return n
	}
	return math.MaxInt
}

// Free returns the size in bytes up to which any first chunk is worthwhile, or 0 if too little is
// known. With first chunks of this size, the arenas lent at a time have half of the bound.
func (s *Shares) Free() uintptr { return s.free.Load() }

// Most returns the most bytes of blocks of an arena that are worth keeping for other arenas.
func (s *Shares) Most() uintptr { return s.most.Load() }

// Room returns how many bytes of blocks an arena may keep if too little was learned of its kind of work, or 0 if too
// little was learned of any.
func (s *Shares) Room() uintptr { return s.room.Load() }
