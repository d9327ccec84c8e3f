package memory

import (
	"fmt"
	"github.com/harena-go/arena/internal/tuning"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/layout"
)

// This file runs random programs on a Space and compares it with a plain shadow: memory is zero when it is allocated,
// keeps its contents, and belongs to one allocation alone; the counts are right.

// element is the type of the values in the model's slabs.
type element struct {
	p *uintptr
	n [2]uintptr
}

// A held is an allocation that is in use.
type held struct {
	p    unsafe.Pointer
	size uintptr
	fill byte
	slab bool
}

// A shadow is a Space and what should be in it.
type shadow struct {
	t      testing.TB
	config Config
	region Region
	space  Space
	units  *Slab // for single values; on 64-bit machines the same
	slices *Slab // for slices of them

	held  []held
	marks []shadowMark
	fill  byte

	charged uintptr // by the account
	limit   uintptr // of the budget; 0 if there is none
	metered bool    // the budget sets Due
	kept    bool    // a quarantine gets reclaimed memory
	dead    []Chunk // which it got

	past []held // in a lasting space: memory that was left, and must stay as it is
	pins []*Window
}

type shadowMark struct {
	positions []Position
	held      int
	used      uintptr
}

// newShadow makes a space of one of several kinds.
func newShadow(t testing.TB, kind int) *shadow {
	m := &shadow{t: t, config: Config{Chunk: 256 << (kind % 5), MaxChunk: 8 << 10, MaxRetained: 64 << 10, Scrub: kind&8 != 0}}
	m.space.Init(&m.region, new(Window), &m.config, kind&16 != 0)
	if kind&32 != 0 {
		m.space.SetOwner(unsafe.Pointer(new([4]uintptr)))
	}
	if kind&64 != 0 {
		m.space.SetAccount(m)
	}
	if kind&128 != 0 {
		m.limit = 40 << 10
		m.space.SetBudget(m)
	}
	if kind&256 != 0 {
		m.kept = true
		m.space.SetQuarantine(m)
	}
	if kind&lastingKind != 0 {
		m.space.SetLasting()
		m.space.SetLearned(true)
	}
	if kind&512 != 0 {
		m.limit, m.metered = max(m.limit, 200<<10), true
		m.space.SetBudget(m)
		m.space.SetMetered(true)
	}
	m.units, m.slices = m.slab(true), m.slab(false)
	return m
}

func (m *shadow) slab(single bool) *Slab {
	key := KeyOf(layout.Of((*element)(nil)), single)
	if b := m.space.Find(key); b != nil {
		return b
	}
	return m.space.AddSlab(key, key.Elem(reflect.TypeFor[element]()), 0)
}

// The shadow implements all seams of a space.

func (m *shadow) Charge(r *Region, need, total uintptr) uintptr {
	size := r.BlockSize(need, total)
	m.charged += size
	return size
}

func (m *shadow) Credit(n uintptr) { m.charged -= n }

type overLimit struct{}

// claimed returns the bytes allocated and those in open windows, which may be allocated
// without asking the budget. A limit has to count these.
func claimed(s *Space) uintptr {
	n := s.Used() + s.plain.w.Left
	for _, b := range s.busy() {
		n += b.w.Left
	}
	return n
}

func (m *shadow) Admit(r *Region, from Place, size, n uintptr) (ahead uintptr) {
	if claimed(&m.space)+n > m.limit {
		m.space.CloseWindows()
		if claimed(&m.space)+n > m.limit {
			panic(overLimit{})
		}
	}
	ahead = m.limit - claimed(&m.space) - n
	if from == Low || !r.Metered() {
		return ahead
	}
	due, known := r.Due()
	if !known || n > due {
		due = n + size*7%500 // the result need not follow from anything
	}
	due -= n
	if from == Top {
		r.SetDue(n + due)
	} else {
		r.SetDue(due)
	}
	return min(ahead, due)
}

func (m *shadow) Ask(size uintptr) { m.Admit(nil, Low, size, size) }

func (m *shadow) Cut(need, total uintptr) uintptr { return max(need, min(total, m.limit)) }

func (m *shadow) Intact() bool                            { return true }
func (m *shadow) Taken(c *Chunk, from, to uintptr)        {}
func (m *shadow) Dead(r *Region, gone []Chunk)            { m.dead = append(m.dead, gone...) }
func (m *shadow) Single() bool                            { return false }
func (m *shadow) Page() uintptr                           { return 0 }
func (m *shadow) Label(size, room uintptr) unsafe.Pointer { return nil }
func (m *shadow) Done()                                   {}

// take notes an allocation, after a look at it.
func (m *shadow) take(what string, p unsafe.Pointer, size, align uintptr, zeroed, slab bool) {
	m.t.Helper()
	if uintptr(p)&(align-1) != 0 {
		m.t.Fatalf("%s: %d bytes at %p are not aligned to %d", what, size, p, align)
	}
	b := unsafe.Slice((*byte)(p), size)
	if zeroed {
		if i := slices.IndexFunc(b, func(x byte) bool { return x != 0 }); i >= 0 {
			m.t.Fatalf("%s: byte %d of %d is %#x", what, i, size, b[i])
		}
	}
	m.fill++
	h := held{p, size, m.fill, slab}
	h.each(func(b *byte) { *b = h.fill })
	m.held = append(m.held, h)
}

// each calls f with the bytes that the model stores to: all but pointers.
func (h *held) each(f func(b *byte)) {
	const pointer = unsafe.Sizeof(uintptr(0))
	unit := unsafe.Sizeof(element{})
	for i := range h.size {
		if !h.slab || i%unit >= pointer {
			f((*byte)(unsafe.Add(h.p, i)))
		}
	}
}

// step does one operation, and reports whether a limit allowed for it.
func (m *shadow) step(op, x byte) (ok bool) {
	defer func() {
		if v := recover(); v != nil {
			if _, limited := v.(overLimit); !limited {
				panic(v)
			}
		}
	}()
	size := uintptr(x)*uintptr(x)/16 + 1
	unit := unsafe.Sizeof(element{})
	switch op % 12 {
	case 0:
		m.take("TakeTop", m.region.TakeTop(size), size, ObjectAlign, true, false)
	case 1: // a string, which may begin and end anywhere
		if w := m.region.w; size < w.Left {
			w.Left -= size
			m.take("string", unsafe.Add(w.Base, w.Left), size, 1, true, false)
			break
		}
		m.take("TakeTopUninit", m.region.TakeTopUninit(size), size, 1, false, false)
	case 2, 3:
		p := m.region.ReadyLow(max(size, ObjectAlign))
		if p == nil {
			p = m.region.TakeLow(max(size, ObjectAlign), ObjectAlign, false)
		}
		m.take("TakeLow", p, max(size, ObjectAlign), ObjectAlign, true, false)
	case 4:
		align := uintptr(1) << (x % 8)
		m.take("TakeLow, uninit", m.region.TakeLow(size, align, true), size, align, false, false)
	case 5:
		m.take("TakeUnit", m.units.TakeUnit(), unit, unsafe.Alignof(element{}), true, true)
	case 6:
		n := uintptr(x%9) + 1
		m.take("slice", m.slices.TakeLow(n*unit, unsafe.Alignof(element{}), false), n*unit, unsafe.Alignof(element{}), true, true)
	case 7:
		m.extend(size)
	case 8:
		m.marks = append(m.marks, shadowMark{m.space.Mark(nil, m.last()), len(m.held), m.space.Used()})
		m.space.SetMarked(true)
		if m.kept {
			m.space.Part(nil)
		}
	case 9:
		m.rewind(int(x))
	case 10:
		m.restart(x)
	case 11:
		switch x % 6 {
		case 5:
			m.pin()
		case 0:
			m.space.Reserved()
			m.region.Reserve(size)
		case 1:
			m.space.DropUnused()
		case 2:
			m.space.Shed(uintptr(x) << 6)
		case 3:
			m.space.Shut()
			m.space.Open()
		default:
			m.space.CloseWindows()
		}
	}
	return true
}

// extend makes the newest allocation longer, if it can be.
func (m *shadow) extend(n uintptr) {
	if len(m.held) == 0 {
		return
	}
	h := &m.held[len(m.held)-1]
	if h.slab || !MayLengthen(h.p, h.size) || !m.region.Extend(uintptr(h.p)+h.size, n) {
		return
	}
	m.take("Extend", unsafe.Add(h.p, h.size), n, 1, true, false) // a part, which a Rewind may reclaim by itself
}

// last returns the positions at the newest mark.
func (m *shadow) last() []Position {
	if len(m.marks) == 0 {
		return nil
	}
	return m.marks[len(m.marks)-1].positions
}

func (m *shadow) rewind(i int) {
	if len(m.marks) == 0 {
		return
	}
	i %= len(m.marks)
	to := m.marks[i]
	m.space.Rewind(to.positions)
	if used := m.space.Used(); used != to.used {
		m.t.Fatalf("%d bytes are used after Rewind; at the mark it was %d", used, to.used)
	}
	m.leave(to.held)
	m.marks = m.marks[:i+1]
}

// leave forgets all allocations but the first n. In a lasting space they stay, and nobody owns them.
func (m *shadow) leave(n int) {
	if m.space.Lasting() {
		for _, h := range m.held[n:] {
			if m.space.Owns(h.p) {
				m.t.Fatalf("%d bytes that were left are still owned", h.size)
			}
		}
		m.past = append(m.past, m.held[n:]...)
	}
	m.held = m.held[:n:n]
}

func (m *shadow) restart(x byte) {
	m.space.Restart()
	if used := m.space.Used(); used != 0 {
		m.t.Fatalf("%d bytes are used after Restart", used)
	}
	if odd := m.region.hi() % ObjectAlign; odd != 0 && m.space.Lasting() {
		m.t.Fatalf("the first object would lose %d bytes", odd)
	}
	m.leave(0)
	m.marks = nil
	m.space.SetMarked(false)
	m.space.EndLife()
	if m.space.Lasting() {
		m.endLasting(x)
		return
	}
	m.space.Retain(x%4 == 0)
	if reserved := m.space.Reserved(); reserved > m.config.MaxRetained {
		m.t.Fatalf("%d bytes are retained, %d may be", reserved, m.config.MaxRetained)
	}
}

// endLasting ends a life of a lasting space as a Pool does.
func (m *shadow) endLasting(x byte) {
	if x%4 == 0 {
		m.space.Retain(x%8 == 0)
	}
	switch x >> 4 % 4 {
	case 0:
		m.space.EndEpoch()
	case 1:
		m.space.AgeEpoch(Cycle(), tuning.Epoch)
	case 2:
		return // the handle goes on, as after Reset
	}
	old := m.region.Window()
	m.space.Detach()
	m.pins = append(m.pins, old)
	m.space.Attach(new(Window))
	for _, w := range m.pins {
		if w.Left != 0 || w.Base != nil || w.Region() != nil {
			m.t.Fatalf("a window of an ended life has %d bytes", w.Left)
		}
	}
	m.pins = nil
}

// pin takes an element from a window that a Typed may keep.
func (m *shadow) pin() {
	w := m.units.Pin()
	if !slices.Contains(m.pins, w) && m.space.Lasting() {
		m.pins = append(m.pins, w)
	}
	if w.Left > w.Unit {
		w.Left -= w.Unit
		m.take("Pin", unsafe.Add(w.Base, w.Left), unsafe.Sizeof(element{}), unsafe.Alignof(element{}), true, true)
	}
}

// check compares the space with what should be there.
func (m *shadow) check() {
	m.t.Helper()
	sum := uintptr(0)
	index := m.space.Index()
	all := append(m.past, m.held...)
	spans := make([][2]uintptr, len(all))
	for i := range all {
		h := &all[i]
		spans[i] = [2]uintptr{uintptr(h.p), uintptr(h.p) + h.size}
		h.each(func(b *byte) {
			if *b != h.fill {
				m.t.Fatalf("allocation %d of %d bytes has %#x, not %#x", i, h.size, *b, h.fill)
			}
		})
		if i >= len(m.past) {
			sum += h.size
			if !m.space.Owns(h.p) || !index.Owns(h.p) {
				m.t.Fatalf("allocation %d isn't owned, or not by the index", i)
			}
		} else if m.space.Owns(h.p) || index.Owns(h.p) {
			m.t.Fatalf("allocation %d, which was left, is owned", i)
		}
	}
	slices.SortFunc(spans, func(a, b [2]uintptr) int { return int(int64(a[0]) - int64(b[0])) })
	for i := 1; i < len(spans); i++ {
		if spans[i-1][1] > spans[i][0] {
			m.t.Fatalf("%#x and %#x overlap", spans[i-1], spans[i])
		}
	}
	if used := m.space.Used(); used < sum {
		m.t.Fatalf("%d bytes are used; allocations have %d", used, sum)
	}
	if m.limit > 0 && m.space.Used() > m.limit {
		m.t.Fatalf("%d bytes are used, the limit is %d", m.space.Used(), m.limit)
	}
	if m.metered {
		for r := range m.space.Regions {
			if due, known := r.Due(); r.w.Left > 0 && (!known || due < r.w.Left) {
				m.t.Fatalf("a window has %d bytes; in %d, if that is known (%v), somebody wants to be asked", r.w.Left, due, known)
			}
		}
	}
	blocks := uintptr(0)
	for r := range m.space.Regions {
		for c := range r.Chunks {
			blocks += c.Total
		}
	}
	if reserved := m.space.Reserved(); reserved != blocks || m.region.space.seams != nil && m.space.seams.account != nil && m.charged != blocks {
		m.t.Fatalf("%d bytes are reserved, %d charged; blocks have %d", reserved, m.charged, blocks)
	}
}

// run runs a program, and looks at everything after each step, or after every tenth of a long one.
func (m *shadow) run(program []byte) {
	for i := 0; i+1 < len(program); i += 2 {
		m.step(program[i], program[i+1])
		if len(program) < 400 || i%20 == 0 {
			m.check()
		}
	}
	m.check()
}

const shadowKinds = 1024

// lastingKind makes a space a lasting one. The other bits that may go with it are those of lastingKinds.
const (
	lastingKind  = 1024
	lastingKinds = 7 | 16 | 64 | 128 | 512
)

// TestSpaceModel runs random programs on spaces of all kinds, in short on a quarter of them.
func TestSpaceModel(t *testing.T) {
	programs, length := 2*shadowKinds, 400
	switch {
	case testing.Short():
		programs = shadowKinds / 4
	case asan.On:
		programs = shadowKinds
	}
	for i := range programs {
		seed := uint64(i)
		r := rand.New(rand.NewPCG(seed, 1))
		program := make([]byte, length)
		for j := range program {
			program[j] = byte(r.Uint32())
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) { newShadow(t, 5*i%shadowKinds).run(program) })
	}
}

// TestLastingModel does so with lasting spaces, which use nothing again.
func TestLastingModel(t *testing.T) {
	programs, length := shadowKinds, 600
	if testing.Short() || asan.On {
		programs /= 4
	}
	for i := range programs {
		r := rand.New(rand.NewPCG(uint64(i), 2))
		program := make([]byte, length)
		for j := range program {
			program[j] = byte(r.Uint32())
			if restart := j%2 == 0 && program[j]%12 == 10; restart && r.IntN(4) > 0 {
				program[j] = 9 // Rewind
			}
		}
		t.Run(fmt.Sprint(i), func(t *testing.T) { newShadow(t, lastingKind|5*i&lastingKinds).run(program) })
	}
}

// FuzzSpace does so with programs of its own.
func FuzzSpace(f *testing.F) {
	f.Add(uint16(0), []byte("\x00\x20\x02\x30\x08\x00\x05\x00\x09\x00\x0a\x01\x06\x05\x07\x40"))
	f.Add(uint16(0x1e8), []byte("\x02\x20\x07\x30\x08\x00\x02\xff\x09\x00\x0b\x02\x0b\x03\x00\xf0"))
	f.Fuzz(func(t *testing.T, kind uint16, program []byte) {
		k := int(kind) % (2 * shadowKinds)
		if k&lastingKind != 0 {
			k &= lastingKind | lastingKinds
		}
		newShadow(t, k).run(program[:min(len(program), 300)])
	})
}
