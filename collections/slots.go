package collections

import (
	"cmp"
	"fmt"
	"iter"
	"math/bits"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/block"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tuning"
)

// A Slots has values of one type that come and go one by one, in an arena: the nodes of a graph, an index or a cache.
// New takes a slot, and Free gives it back for the next New. A slot never moves. [NewSlots] makes a Slots; the zero
// Slots is an empty one on the Go heap. It must not be copied after its first use.
//
// Nodes may point to each other, or hold a [Ref] of 32 bits instead of each pointer. A self-contained arena suits
// pointers, since the GC doesn't scan it. Nodes with Refs and no pointers are never scanned in any arena. A [Handle] is
// for references that outlive the slot.
//
// All operations take constant time, except that those that take a pointer search among blocks. Only New allocates
// memory, for a new block. Blocks grow with the Slots, up to 65,536 slots. Beyond its size a value takes 4 bytes, which
// lie elsewhere, and on average 3% for the newest blocks' unused slots. Free erases the value, and keeps its memory for
// the Slots until the arena ends.
//
// Free is the caller's promise that no pointer to the slot is used any more: also in an arena of a Pool without reuse
// the memory is used again. Arenas with CheckObjects, such as those of arenatest, and builds with -race or -asan find
// later uses. They also leave freed slots unused for a while, so that a stale Ref panics.
//
// A Reset of the arena, Put, and a Rewind to before New last took memory from it end the Slots, and its next use
// panics. Any New may take memory, so don't rewind to a mark that is older than the last New. The Slots itself is on
// the Go heap, so that it sees its end. After Free of the arena it can be used until it needs memory.
// program with many goroutines has a Slots and a lock for each shard of its data.
type Slots[T any] struct {
	_ noCopy
	_ cloning[Slots[T]]

	arena  *arena.Arena
	newest *arena.Arena // a child as old as the newest memory, which ends with it; nil on the heap

	blocks []slotBlock[T] // by the upper half of an index; the first one is empty
	bases  []slotBase     // of the others, by their addresses
	n      int            // slots in use; negative once the memory is gone
	used   int            // slots of the newest block that have been in use
	free   uint32         // 1 + number of the first group in the list of groups with free slots; or 0
	recent uint32         // block of the newest value
	key    uint32         // mixed into Handles

	held Deque[heldSlot] // freed slots that aren't reused yet; always empty in most arenas
}

// A slotBlock has up to blockLen slots.
type slotBlock[T any] struct {
	slots  []T
	words  []uint32    // inUse, the next free slot of the group (the last one's is itself), and the generation
	groups []slotGroup // in the same memory
	single bool        // the only slot is an object of its own, of a checked arena, and a new one after each Free
}

// at returns a slot.
func (b *slotBlock[T]) at(i int) *T {
	offset := uintptr(i) * unsafe.Sizeof(*new(T))
	return (*T)(unsafe.Add(unsafe.Pointer(unsafe.SliceData(b.slots)), offset)) // fact 11
}

const (
	inUse       = 1 << 31
	nextShift   = 24
	generations = 1 << nextShift
	blockShift  = 16
	blockLen    = 1 << blockShift
	groupLen    = 1 << 7
	blockGroups = blockLen / groupLen
	cacheLine   = 64
)

// maxBlocks is the largest number of blocks, with the empty one. A test lowers it.
var maxBlocks = 1 << (32 - blockShift)

// A slotGroup is the list of the free slots among groupLen: words have no room for longer links.
type slotGroup struct {
	head uint32 // 1 + number of a slot; or 0
	next uint32 // 1 + number of another group with free slots; or 0
}

// A slotBase is the address of a block.
type slotBase struct {
	addr  uintptr
	block uint32
}

// A heldSlot is a freed slot that isn't reused for a while.
type heldSlot struct {
	index uint32
	dead  *race.Ranges
}

// A Ref stands for a slot of a [Slots]: its number, and nothing else. It takes 4 bytes and is no pointer, so that nodes
// with Refs may lie in any arena, and be written to a file. [Slots.RefTo] returns one. The zero Ref stands for no slot.
//
// A Ref is valid until its slot is freed. It can't tell that the slot was reused; a [Handle] can.
type Ref[T any] uint32

// A Handle stands for a slot of a [Slots] until that is freed, and for nothing afterwards, even if the slot is reused.
// It takes 8 bytes and is no pointer. [Slots.HandleOf] returns one. The zero Handle stands for no slot.
//
// A slot has 16,777,216 generations. After that many uses of one slot an old Handle stands for it again.
type Handle[T any] uint64

// NewSlots returns an empty Slots in a. T must have a size.
func NewSlots[T any](a *arena.Arena) *Slots[T] {
	s := &Slots[T]{arena: a}
	s.check("NewSlots")
	return s
}

// Len returns the number of slots in use.
func (s *Slots[T]) Len() int {
	s.check("Slots.Len")
	return s.n
}

// New returns a zero value in a slot: a freed one, if there is any. It panics as [arena.MakeSlice] does, and if there
// are 2^32 slots.
func (s *Slots[T]) New() *T {
	if s.free == 0 {
		return s.unused()
	}
	g := s.free - 1
	b := &s.blocks[g/blockGroups]
	if b.single {
		b.slots = s.take(1, g/blockGroups)
	}
	group := &b.groups[g%blockGroups]
	slot := group.head - 1
	w := &b.words[g%blockGroups*groupLen+slot]
	if next := *w >> nextShift; next != slot {
		group.head = next + 1
	} else {
		group.head, s.free = 0, group.next
	}
	*w = *w%generations | inUse
	s.n++
	s.recent = g / blockGroups
	return b.at(int(g%blockGroups*groupLen + slot))
}

// unused returns a slot that was never in use.
func (s *Slots[T]) unused() *T {
	if len(s.blocks) == 0 || s.used == len(s.blocks[len(s.blocks)-1].words) {
		s.grow()
	}
	b := &s.blocks[len(s.blocks)-1]
	p := b.at(s.used)
	b.words[s.used] = inUse
	s.used++
	s.n++
	s.recent = uint32(len(s.blocks) - 1)
	return p
}

// grow adds a block.
func (s *Slots[T]) grow() {
	s.check("Slots.New")
	if len(s.blocks) == maxBlocks {
		panic("arena: Slots.New: there are 2^32 slots, the most that a Ref can tell apart")
	}
	n := min(max(s.n/tuning.SlotsGrowth, 1), blockLen)
	if size := unsafe.Sizeof(*new(T)); size < tuning.FirstSlots/2 { // else the rest of its memory hardly matters
		all := block.RoundOwned(max(uintptr(n)*size, tuning.FirstSlots))
		n = min(int((all-block.OwnedOverhead-cacheLine)/size), blockLen)
	}
	b := slotBlock[T]{single: inspect.Arenas.Checks(s.arena) && len(s.blocks) < tuning.CheckedSlots}
	if b.single {
		n = 1
	}
	groups := (n + groupLen - 1) / groupLen
	size := n + groups*int(unsafe.Sizeof(slotGroup{})/unsafe.Sizeof(b.words[0]))
	b.words = arena.MakeSlice[uint32](s.arena, size, size)
	b.groups = unsafe.Slice((*slotGroup)(unsafe.Pointer(&b.words[n])), groups) // fact 11
	b.words = b.words[:n:n]
	b.slots = s.take(n, uint32(max(1, len(s.blocks))))
	if s.blocks == nil {
		s.blocks, s.key = make([]slotBlock[T], 1), newSlotsKey()
	}
	s.blocks = append(s.blocks, b)
	s.used = 0
}

// take allocates n slots, for the block with a number.
func (s *Slots[T]) take(n int, number uint32) (slots []T) {
	size, unscanned := unsafe.Sizeof(*new(T)), s.arena.SelfContained() || layout.Of((*T)(nil)).PtrBytes == 0
	switch {
	case n == 1:
		slots = unsafe.Slice(arena.New[T](s.arena), 1)
	case size%cacheLine == 0 && unscanned && !inspect.Arenas.Checks(s.arena):
		slots = unsafe.Slice((*T)(s.arena.Alloc(uintptr(n)*size, cacheLine)), n)
	default:
		slots = arena.MakeSlice[T](s.arena, n, n)
	}
	if child := s.arena.Child(); child != nil {
		inspect.Arenas.OnDeath(child, s.end)
		s.newest.Free() // its death would also end the new one
		s.newest = child
	}
	s.place(slots, number)
	return slots
}

// place enters slots into the search by address.
func (s *Slots[T]) place(slots []T, number uint32) {
	base := slotBase{uintptr(unsafe.Pointer(unsafe.SliceData(slots))), number}
	at, _ := slices.BinarySearchFunc(s.bases, base, func(b, c slotBase) int { return cmp.Compare(b.addr, c.addr) })
	s.bases = slices.Insert(s.bases, at, base)
}

// end is called when the arena reclaims or frees the newest memory. reclaimed is false if values stay valid.
func (s *Slots[T]) end(reclaimed bool) {
	for s.held.Len() > 0 {
		s.release()
	}
	if reclaimed {
		*s = Slots[T]{arena: s.arena, n: -1}
	}
}

// Free gives the slot at p back. The value must not be used any more: the next New may return its slot. Free erases it.
// Free panics if p isn't a pointer returned by New, or if its slot is free already.
func (s *Slots[T]) Free(p *T) {
	b, index := s.find("Slots.Free", p)
	w := &b.words[index%blockLen]
	*w = (*w + 1) % generations
	*p = *new(T)
	s.n--
	if b.single || race.Enabled || asan.On {
		s.hold(b, index, unsafe.Pointer(p))
		return
	}
	s.put(index)
}

// hold keeps a slot unused for a while, and finds uses of it.
func (s *Slots[T]) hold(b *slotBlock[T], index uint32, p unsafe.Pointer) {
	if b.single {
		inspect.Arenas.Moved(s.arena, p)
		b.slots = nil
		s.bases = slices.DeleteFunc(s.bases, func(b slotBase) bool { return b.block == index>>blockShift })
	}
	asan.Poison(p, unsafe.Sizeof(*new(T)))
	dead := new(race.Ranges)
	dead.Remember(p, unsafe.Sizeof(*new(T)))
	dead.Report(true)
	s.held.PushBack(heldSlot{index, dead})
	if s.held.Len() > int(max(1, tuning.HeldBytes/unsafe.Sizeof(*new(T)))) {
		s.release()
	}
}

// release makes the slot that was held longest available again.
func (s *Slots[T]) release() {
	h := s.held.PopFront()
	s.forgive(h)
	s.put(h.index)
}

// forgive allows accesses to a freed slot.
func (s *Slots[T]) forgive(h heldSlot) {
	h.dead.Forgive()
	if b := &s.blocks[h.index>>blockShift]; !b.single {
		asan.Unpoison(unsafe.Pointer(b.at(int(h.index%blockLen))), unsafe.Sizeof(*new(T)))
	}
}

// put adds a slot to the free ones.
func (s *Slots[T]) put(index uint32) {
	b := &s.blocks[index>>blockShift]
	group, slot := &b.groups[index%blockLen/groupLen], index%groupLen
	next := slot
	if group.head > 0 {
		next = group.head - 1
	} else {
		group.next, s.free = s.free, index/groupLen+1
	}
	b.words[index%blockLen] |= next << nextShift
	group.head = slot + 1
}

// RefTo returns the Ref of the slot at p, which New must have returned. RefTo(nil) is the zero Ref. It panics as Free
// does.
func (s *Slots[T]) RefTo(p *T) Ref[T] {
	if p == nil {
		return 0
	}
	_, index := s.find("Slots.RefTo", p)
	return Ref[T](index)
}

// At returns the slot for which r stands, and nil for the zero Ref. It panics if the slot is free.
func (s *Slots[T]) At(r Ref[T]) *T {
	if block, i := int(r>>blockShift), int(r%blockLen); block < len(s.blocks) {
		if b := &s.blocks[block]; i < len(b.words) && b.words[i] >= inUse {
			return b.at(i)
		}
	}
	if r == 0 {
		return nil
	}
	panic(noSlot{int(r), s.n})
}

// A noSlot is the value with which At panics, a Ref and Slots.n: if At made the message itself, it couldn't be inlined.
type noSlot [2]int

func (e noSlot) Error() string {
	if e[1] < 0 {
		return "arena: Slots.At: " + endedSlots
	}
	return fmt.Sprintf("arena: Slots.At: the slot of Ref %d is free", uint32(e[0]))
}

const endedSlots = "the arena's Reset, Rewind, Put or, WithScrub, Free has ended the Slots"

// HandleOf returns the Handle of the slot at p, which New must have returned. HandleOf(nil) is the zero Handle. It
// panics as Free does.
func (s *Slots[T]) HandleOf(p *T) Handle[T] {
	if p == nil {
		return 0
	}
	b, index := s.find("Slots.HandleOf", p)
	return Handle[T](uint64(index)<<32 | uint64(b.words[index%blockLen]%generations^s.key))
}

// Get returns the slot for which h stands, or false if the slot was freed since or h is zero. It panics if h is a
// Handle of another Slots: always if fewer than 255 Slots were made between the two, otherwise in 254 of 255 cases.
func (s *Slots[T]) Get(h Handle[T]) (p *T, ok bool) {
	w := uint32(h) ^ s.key
	if block := int(h >> (32 + blockShift)); block < len(s.blocks) && w < generations {
		b := &s.blocks[block]
		if i := uint32(h>>32) % blockLen; int(i) < len(b.words) && b.words[i] == w|inUse {
			return b.at(int(i)), true
		}
	}
	return s.missing(h)
}

// missing is Get without a value to return.
func (s *Slots[T]) missing(h Handle[T]) (*T, bool) {
	s.check("Slots.Get")
	if h != 0 && (uint32(h)^s.key) >= generations {
		panic(fmt.Sprintf("arena: Slots.Get: Handle %d is of another Slots", h))
	}
	return nil, false
}

// All yields the slots in use with their Refs. The program may free slots meanwhile; new ones may be missing.
func (s *Slots[T]) All() iter.Seq2[Ref[T], *T] {
	return func(yield func(Ref[T], *T) bool) {
		s.check("Slots.All")
		for block := 0; block < len(s.blocks); block++ {
			for i := uint32(0); block < len(s.blocks) && int(i) < len(s.blocks[block].words); i++ {
				b := &s.blocks[block]
				if b.words[i] >= inUse && !yield(Ref[T](uint32(block)<<blockShift|i), b.at(int(i))) {
					return
				}
			}
		}
	}
}

// slices lets DeepClone read freed slots.
func (s *Slots[T]) slices(func(any)) {
	for _, h := range s.held.All() {
		s.forgive(h)
	}
}

// cloned rebuilds the search by address in the clone.
func (s *Slots[T]) cloned() {
	s.arena, s.newest, s.bases = nil, nil, nil
	for i := range s.blocks {
		b := &s.blocks[i]
		if b.single = false; len(b.slots) < len(b.words) { // the object was freed
			b.slots = make([]T, len(b.words))
		}
		if i > 0 {
			s.place(b.slots, uint32(i))
		}
	}
	s.end(false)
}

// find returns the block and the index of the slot in use at p, and panics if there is none.
func (s *Slots[T]) find(op string, p *T) (b *slotBlock[T], index uint32) {
	block, addr := s.recent, uintptr(unsafe.Pointer(p))
	if block >= uint32(len(s.blocks)) || addr-s.blocks[block].addr() >= s.blocks[block].bytes() {
		block = search(s.bases, addr)
	}
	why := "isn't a pointer that Slots.New has returned"
	if block > 0 {
		b = &s.blocks[block]
		offset := addr - b.addr()
		i := offset / unsafe.Sizeof(*p)
		switch {
		case offset >= b.bytes():
		case offset%unsafe.Sizeof(*p) != 0:
			why = "points into a slot, and not to its beginning"
		case b.words[i] >= inUse:
			return b, block<<blockShift | uint32(i)
		default:
			why = "points to a slot that is free"
		}
	}
	s.check(op)
	panic(fmt.Sprintf("arena: %s: %p %s", op, p, why))
}

// addr and bytes return the memory of the slots.
func (b *slotBlock[T]) addr() uintptr  { return uintptr(unsafe.Pointer(unsafe.SliceData(b.slots))) }
func (b *slotBlock[T]) bytes() uintptr { return uintptr(len(b.slots)) * unsafe.Sizeof(*new(T)) }

// search returns the block with the highest address up to addr, or the first one; 0 if there is none. It has no
// branches that the processor would have to guess.
func search(bases []slotBase, addr uintptr) (block uint32) {
	at := 0
	for n := len(bases); n > 1; {
		half := n / 2
		_, less := bits.Sub(uint(addr), uint(bases[at+half].addr), 0)
		at += half & (int(less) - 1)
		n -= half
	}
	if len(bases) == 0 {
		return 0
	}
	return bases[at].block
}

// check panics if the Slots can't be used.
func (s *Slots[T]) check(op string) {
	if unsafe.Sizeof(*new(T)) == 0 {
		panic("arena: " + op + ": a Slots of values of size 0 can't tell them apart")
	}
	if s.n < 0 {
		panic("arena: " + op + ": " + endedSlots)
	}
}

// slotsMade counts the Slots with a key.
var slotsMade atomic.Uint32

// newSlotsKey returns a key that differs in the upper byte from the next 254, and in the others from far more.
func newSlotsKey() uint32 {
	n := slotsMade.Add(1) - 1
	return (n%255+1)<<nextShift | n/255*0x9e3779%generations
}
