package arena

import (
	"sync"
	"sync/atomic"
	"weak"

	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file ends the lives of arenas of Pools without reuse. It must not depend on how a space leaves its memory to the
// values of a life (lasting.go of the engine).
//
//	Get ──▶ handle ──▶ core ──▶ open chunks          Put ──▶ handle ──▶ core of the ended: panics
//	                    │                                    core ──▶ store ──▶ the next Get
//	                    └──▶ lease of the class
//
// A handle ends with its life and is never lent again, so that a use of it at any later time panics, and harms nobody.
// The core goes on to the next handle, with the open parts of its chunks, in which no life has allocated yet.

// A store has the cores without a handle. It survives a cycle of the GC, as the values in a sync.Pool do.
type store struct {
	cores sync.Pool
	apart sync.Pool // those that allocate each value by itself
}

// pool returns the cores for lives that allocate each value by itself, or for others.
func (s *store) pool(apart bool) *sync.Pool {
	if apart {
		return &s.apart
	}
	return &s.cores
}

// open is the store of all Pools without options that concern memory.
var open store

// A gear is the state that the leases of a Pool without reuse share.
type gear struct {
	made       sync.Once
	put, freed core // of the handles that were put back, or freed
	store      *store
}

// A ticket is the part of a lease that a lent arena holds: if the GC collects it in between, the arena was lost.
type ticket struct{ lease *lease }

// attach makes a the handle of a core that has none.
func (k *core) attach(a *Arena, c *config) {
	a.core, a.self, a.types = k, a, k.memory.Catalog()
	k.handle, k.config = a, c
	k.life, k.family = life{}, family{}
	k.memory.Attach(&a.window)
	k.memory.SetConfig(&c.Config)
}

// detach ends a handle. Its core is another one from now on, which only says how it has ended.
func (a *Arena) detach(ended *core) {
	k := a.core
	k.memory.Detach()
	a.core, a.self, a.types = ended, nil, nil
	k.handle = &nobody
	k.account.lease = nil
}

// nobody is the handle of cores in a store, and of those of ended handles.
var nobody Arena

// endLasting ends the life of an arena without reuse, and leaves ended to the handle. reserved is the bytes that it had
// before it was settled.
func (l *lease) endLasting(a *Arena, reserved uintptr, ended *core) {
	k := a.core
	if l.skip--; l.skip < 0 {
		l.learn(a, l.turns.Load(), reserved)
	}
	now := memory.Cycle()
	if l.checkedAt != now {
		l.checkedAt = now
		l.class.check(now)
	}
	k.memory.AgeEpoch(now, max(uintptr(l.class.epoch.Load()), tuning.EpochFirst))
	if k.account.total != nil {
		k.account.total.bytes.Add(-l.reserved.Load())
	}
	l.reserved.Store(0)
	a.detach(ended)
	if l.sampled {
		l.class.idle.Put(k.account.ticket)
	} else {
		l.gear.store.pool(k.memory.Apart()).Put(k)
	}
}

// due reports whether the next life of a lease is to be sampled. most is the rate that the Pool was made with, or 0.
func (l *lease) due(most int) bool {
	if l.untilSample--; l.untilSample >= 0 {
		return false
	}
	every := max(int(l.class.keeping.every.Load()), tuning.SampleLives)
	if most > 0 {
		every = min(every, most)
	}
	l.untilSample = every - 1
	return l.class.waiting.Load() < tuning.PendingLives
}

// lost reports whether the GC has collected the arena, idle or lent.
func (l *lease) lost() bool { return l.arena.Value() == nil && l.ticket.Value() == nil }

// ended returns the number of turns, and the number of turns that Free has ended. Both are of one moment: their
// difference is the number of puts, which must never fall, even while another goroutine is in Free.
func (l *lease) ended() (turns, frees uint64) {
	if l.gear == nil {
		turns = l.turns.Load()
		if turns%2 == 0 && l.freed.Load() { // which is set before
			frees = 1
		}
		return turns, frees
	}
	for turns = l.turns.Load(); ; {
		frees = l.frees.Load()
		now := l.turns.Load()
		if now == turns {
			break
		}
		turns = now
	}
	if frees%2 == 1 && turns%2 == 1 { // it counts already, and the turn doesn't
		frees -= 2
	}
	return turns, frees / 2
}

// This part finds out whether lives of a Pool without reuse keep values, and makes such lives allocate object by
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
	onHeap  atomic.Uint32 // counts calls of LendBatch in apart
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

// checked returns how many sampled lives were looked at, and how many were kept.
func (k *keeping) checked() (all, kept int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.seen, k.kept
}

// check checks the pending lives that ended two GC cycles ago or earlier, unless another goroutine does.
func (k *keeping) check(now uint32) {
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
