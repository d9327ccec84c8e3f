package memory

import (
	"slices"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
)

// TestTaken: what goes to quarantine are the parts of chunks that were allocated, and nothing else.
func TestTaken(t *testing.T) {
	if asan.On {
		t.Skip("red zones go with what lies above them")
	}
	r := newRegion(Config{})
	q := &collector{}
	r.space.SetQuarantine(q)
	r.TakeLow(104, 8, false)
	r.TakeTop(24)
	p := r.Position()
	low := r.TakeLow(40, 8, false)
	top := r.TakeTop(16)
	r.Rewind(&p)
	r.Rewind(&p)
	if want := []taken{{low, 40}, {top, 16}}; !slices.Equal(q.taken, want) {
		t.Errorf("taken: %v, want %v", q.taken, want)
	}
	r.restart()
	if len(q.dead) != 1 || q.dead[0].lo != 104 || q.dead[0].hi != q.dead[0].Size-24 {
		t.Errorf("dead: %+v, want the only chunk", q.dead)
	}
}

// A taken is a part of a chunk.
type taken struct {
	mem  unsafe.Pointer
	size uintptr
}

// A collector is a quarantine that notes its calls.
type collector struct {
	taken []taken
	dead  []Chunk
}

func (q *collector) Intact() bool                      { return false }
func (q *collector) Single() bool                      { return false }
func (q *collector) Page() uintptr                     { return 0 }
func (q *collector) Label(_, _ uintptr) unsafe.Pointer { return nil }
func (q *collector) Done()                             {}
func (q *collector) Dead(_ *Region, c []Chunk)         { q.dead = append(q.dead, c...) }
func (q *collector) Taken(c *Chunk, from, to uintptr) {
	q.taken = append(q.taken, taken{unsafe.Add(c.Mem, from), to - from})
}
