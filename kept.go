package arena

import (
	"sync"
	"sync/atomic"
	"weak"

	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file finds out whether lives of a Pool without reuse keep values, and makes such lives allocate object by
// object: a value in a chunk keeps the chunk. It must not depend on who keeps a value, which is no mistake.
//
//	one life in some ──▶ has chunks of its own ──▶ weak pointers ──▶ two cycles of the GC ──▶ kept, or gone
//
// Invariant: the score is the number of kept lives times tuning.KeptWeight, less the lives since that were gone, and
// not negative. So two kept ones among KeptWeight sampled lives make all lives of the class allocate apart, unless half
// of them are kept, or in use for so long: then values that share a chunk stay for as long, too. A life of an epoch's
// size shares no chunk.

// A keeping records how often the lives of a class keep values.
type keeping struct {
	apart   atomic.Bool   // each value of a life is allocated by itself
	every   atomic.Int32  // about one life in this number is sampled; 0 before the first
	waiting atomic.Int32  // pending lives
	onHeap  atomic.Uint32 // counts calls of lendBatch in apart
	epoch   atomic.Int32  // bytes of an epoch; 0 before the first

	mu      sync.Mutex // guards the fields below
	pending []sampledLife
	score   int
	gone    int // sampled lives since the last one that was kept
	kept    int // all that were
	all     int // with those that were too large to be looked at
	seen    int // without
	dense   int // kept ones less others, of the last few
}

// A sampledLife has ended, and its chunks may still be in use.
type sampledLife struct {
	cycle  uint32 // memory.Cycle at its end
	chunks []weak.Pointer[byte]
}

// add adds a life that ends, unless enough others are pending. One of an epoch's size counts as gone.
func (k *keeping) add(s *memory.Space) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if s.Used() >= tuning.Epoch {
		k.note(false)
	} else if len(k.pending) < tuning.PendingLives {
		k.pending = append(k.pending, sampledLife{memory.Cycle(), s.Weak()})
		k.waiting.Add(1)
	}
}

// looked returns how many sampled lives were looked at, and how many were kept.
func (k *keeping) looked() (all, kept int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.seen, k.kept
}

// look checks the pending lives that ended two GC cycles ago or earlier, unless another goroutine does.
func (k *keeping) look(now uint32) {
	if !k.mu.TryLock() {
		return
	}
	defer k.mu.Unlock()
	rest := k.pending[:0]
	for _, s := range k.pending {
		if now-s.cycle < 2 {
			rest = append(rest, s)
			continue
		}
		k.seen++
		k.note(s.kept())
	}
	clear(k.pending[len(rest):])
	k.pending = rest
	k.waiting.Store(int32(len(rest)))
}

// kept reports whether something points to the life's chunks.
func (s *sampledLife) kept() bool {
	for _, c := range s.chunks {
		if c.Value() != nil {
			return true
		}
	}
	return false
}

// note counts a sampled life. The longer none was kept the fewer are sampled, and the larger are epochs.
func (k *keeping) note(kept bool) {
	k.all++
	if kept {
		k.kept++
		k.gone = 0
		k.dense = min(k.dense+1, tuning.PendingLives)
		k.score = min(k.score+tuning.KeptWeight, 2*tuning.KeptWeight)
	} else {
		k.gone++
		k.dense = max(k.dense-1, -tuning.PendingLives)
		k.score = max(0, k.score-1)
	}
	k.apart.Store(k.dense < 0 && (k.score > tuning.KeptWeight || k.apart.Load() && k.score > 0))
	every, epoch := int32(tuning.SampleLives), int32(tuning.Epoch)
	switch {
	case k.gone >= tuning.KeptWeight || k.apart.Load():
		every *= 128
	case k.gone >= tuning.KeptWeight/16:
		every *= 32
	case k.all >= tuning.KeptWeight/32:
		every, epoch = 4*every, epoch/4
	default:
		epoch = tuning.EpochFirst
	}
	k.every.Store(every)
	k.epoch.Store(epoch)
}
