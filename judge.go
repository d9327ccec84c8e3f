package arena

import (
	"runtime"
	"slices"
	"sync"
	"time"
	"unsafe"
	"weak"

	"github.com/harena-go/arena/internal/inspect"
	"github.com/harena-go/arena/internal/race"
)

// This file holds the judge, who finds out whether somebody still points to what
// checked arenas have taken back.
//
//	(1) A trial opens: an arena has taken something back, and has let go of it.
//	    The judge has a weak pointer to each block.
//	(2) GC cycles pass, in their own time. A block that nobody points to dies in
//	    the first full one.
//	(3) After three full cycles the judge looks, for the first and only time. A
//	    block that is still there has a holder, which is an Escape.
//
// One cycle should be enough, but the GC takes some dead pointers on stacks for
// live ones: of 45,384 blocks that nobody used, 7 survived one cycle, 1 survived
// two, and none survived three. The judge must not look before: the strong
// pointer that it would get makes a GC that is just marking keep the block.

// cyclesNeeded is how many full GC cycles a block must survive.
const cyclesNeeded = 3

// sittingEvery is how often the judge counts cycles, while there is a trial. It
// costs a microsecond. GC cycles that follow each other faster count as one.
const sittingEvery = time.Second

// maxTrials is how many trials there may be at a time. Further ones are
// dismissed: a program that resets checked arenas much more often than the GC
// runs is sampled, and doesn't run out of memory.
const maxTrials = 4096

// A trial is about what one operation has taken back.
type trial struct {
	name     string // of the arena
	handler  *func(Escape)
	suspects []suspect
	stack    pcs // of the operation

	number uint64 // the trials are numbered

	cycles  int  // full ones that have passed since
	counted bool // since a cycle that begins now will be a full one
}

// A judge decides on trials. There is one.
type judge struct {
	finding sync.Mutex // by FindEscapes: to look at the tick keeps it through another's GC
	sitting sync.Mutex // held from looking to reporting

	mu     sync.Mutex // for what follows
	trials []*trial   // oldest first
	opened uint64     // the number of the newest
	tick   weak.Pointer[tick]
	timer  *time.Timer
	armed  bool // the timer is
}

var court judge

// A tick is an object that nobody points to. It dies in the first GC cycle that
// begins after it was made.
type tick [4]uint64

// open opens a trial.
func (j *judge) open(t *trial) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.trials) >= maxTrials {
		return
	}
	j.opened++
	t.number = j.opened
	j.trials = append(j.trials, t)
	j.arm()
}

// arm sees to it that the judge sits again.
func (j *judge) arm() {
	switch {
	case j.armed:
		return
	case j.timer == nil:
		j.timer = time.AfterFunc(sittingEvery, j.sit)
	default:
		j.timer.Reset(sittingEvery)
	}
	j.armed = true
}

// sit is what the timer calls.
func (j *judge) sit() {
	j.mu.Lock()
	j.armed = false
	j.mu.Unlock()
	j.advance()
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.trials) > 0 {
		j.arm()
	}
}

// advance counts a cycle if one has passed, and decides on the trials that are
// due.
func (j *judge) advance() {
	j.sitting.Lock()
	defer j.sitting.Unlock()
	report(judged(j.due()))
}

// due returns the trials that have seen enough cycles.
func (j *judge) due() (due []*trial) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.tick.Value() != nil {
		return nil
	}
	j.trials = slices.DeleteFunc(j.trials, func(t *trial) bool {
		if t.counted {
			t.cycles++
		}
		t.counted = true
		if t.cycles < cyclesNeeded {
			return false
		}
		due = append(due, t)
		return true
	})
	j.tick = weak.Make(new(tick))
	return due
}

// A verdict is on one suspect.
type verdict struct {
	*trial
	*suspect
	addr    uintptr // of the block: a pointer would be one more that holds it
	written bool
}

// judged returns the suspects that are still alive.
func judged(trials []*trial) (guilty []verdict) {
	for _, t := range trials {
		for i := range t.suspects {
			s := &t.suspects[i]
			if s.leash.Value() != nil { // before the block, which it holds
				continue
			}
			if p := unsafe.Pointer(s.block.Value()); p != nil {
				guilty = append(guilty, verdict{t, s, uintptr(p), s.written(p)})
			}
		}
	}
	return guilty
}

// written says whether somebody has written to a dead block. In builds with a
// sanitizer that has been reported before, and looking would be, too.
func (s *suspect) written(p unsafe.Pointer) bool {
	return s.site != nil && !race.Instrumented && s.touched(p)
}

// extent returns the bytes of the block: for all of a self-contained arena it is
// the owner that is watched.
func (s *suspect) extent() uintptr {
	if s.all {
		return unsafe.Sizeof(owner{})
	}
	return s.size
}

// report calls the handlers.
func report(guilty []verdict) {
	if len(guilty) == 0 {
		return
	}
	holders := make([]string, len(guilty))
	if inspect.Holders != nil {
		blocks := make([]inspect.Block, len(guilty))
		for i, v := range guilty {
			blocks[i] = inspect.Block{Addr: v.addr, Size: v.extent()}
		}
		holders = inspect.Holders(blocks)
	}
	for i, v := range guilty {
		e := v.escape(holders[i])
		all := inspect.All.Load()
		switch {
		case v.handler != nil:
			(*v.handler)(e)
		case all != nil:
			(*all)(e)
		default:
			escapeLog.write(e)
		}
	}
}

// FindEscapes runs the GC until all that checked arenas have taken back before
// has been judged, and calls the handlers of [OnEscape] for what is still
// referenced. It returns when they have returned; they must not call it. Of several
// goroutines that call it one waits for the other. It is for
// tests and for debugging, and takes four GC cycles, seldom more, and none if there is
// nothing to judge; without it the judge waits for those that happen anyhow.
func FindEscapes() {
	court.finding.Lock()
	defer court.finding.Unlock()
	last := court.verify()
	for range maxCycles {
		court.advance()
		if court.decided(last) {
			return
		}
		runtime.GC()
	}
}

// maxCycles is after how many GC cycles FindEscapes gives up. It takes more than
// four if a tick survives one, as the GC finds a dead pointer to it on a stack.
const maxCycles = 20

// decided says whether all trials up to one are over, and have been reported.
func (j *judge) decided(last uint64) bool {
	j.sitting.Lock()
	defer j.sitting.Unlock()
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.trials) == 0 || j.trials[0].number > last
}

// verify reports dead blocks that were written to, before those are gone. It
// returns the number of the last trial.
func (j *judge) verify() (last uint64) {
	j.sitting.Lock()
	defer j.sitting.Unlock()
	j.mu.Lock()
	trials, last := slices.Clone(j.trials), j.opened
	j.mu.Unlock()
	var written []verdict
	for _, v := range judged(trials) {
		if v.written {
			written = append(written, v)
			v.suspect.block = weak.Pointer[byte]{} // reported
		}
	}
	report(written)
	return last
}
