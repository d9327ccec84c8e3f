// Package block allocates the blocks of Go heap memory behind an arena's chunks, and
// erases parts of them. All of the arena's dealings with the garbage collector are here.
//
// # Facts about Go that the project relies on
//
// Unsafe code elsewhere cites these facts by number.
//
//  1. A pointer to anywhere inside a heap block keeps the whole block alive.
//  2. The GC scans a block by the type that it was allocated with, and stops
//     at the last pointer of that type: a block without pointers is never
//     scanned, and one whose only pointer is its first word costs one word.
//  3. Heap blocks don't move.
//  4. Heap blocks are aligned to 8 bytes at least, on 32-bit machines too.
//  5. An interface value is two words. The first leads to the type's descriptor, and a pointer
//     type's descriptor leads to its element's. Checked at start-up (layout.Trusted).
//  6. A descriptor starts with the size of the type and of its part that can
//     hold pointers. Checked at start-up.
//  7. A store of a pointer goes through the write barrier according to the type of the
//     store, not of the memory: storing into a block that is not scanned is legal,
//     but the GC doesn't find the stored pointer.
//  8. Memory that holds pointers is erased through reflect or the clear
//     builtin with its type, never as bytes: the GC must see the pointers go.
//  9. A slice is three words (pointer, length, capacity), a string two (pointer, length),
//     a pointer or a map one. An interface is two: its second word is the value itself if
//     that is shaped like a pointer, and otherwise points to a value that nobody changes.
//  10. A pointer just past the end of a block points to its neighbour, which may be free:
//     the GC crashes when it finds one. So ends are computed as uintptr, and blocks are
//     padded where a value of size zero might be allocated at their end.
//  11. An offset that comes from an object's type, or from another address in
//     the object, leads unsafe.Add to a place inside the object.
//  12. In builds with the address sanitizer the runtime unpoisons the blocks and stacks that it
//     allocates, even if they were poisoned. So chunks go back to the GC as they are, poisoned
//     in part, and a value in a chunk that Reset released stays poisoned while something holds it.
//  13. The clear builtin and reflect may erase poisoned memory: the sanitizer doesn't check them.
package block

import (
	"reflect"
	"sync"
	"unsafe"

	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/tuning"
)

// In builds with the address sanitizer blocks come poisoned, with a red zone before and after the memory on offer. The
// one before is extra memory, or in an owned block the owner's pointer. The one after is the pad, or the allocator's
// rounding.

// MaxBytes is the largest request that is tried at all: half of a Go program's address
// space. Larger ones panic with a message. A request this large can't be met either, and
// fails as it would with make.
const MaxBytes = 1<<(30+17*(^uintptr(0)>>63)) - 1

// The overhead of a block over the memory on offer, at most. A plain block has the pad at its end, an owned one the
// owner's pointer and the malloc header too.
const (
	PlainOverhead = pad
	OwnedOverhead = pad + front + MallocHeader
)

const (
	word = unsafe.Sizeof(uintptr(0))

	// pad is never allocated. A value of size zero may lie just past the last byte on
	// offer, and a pointer to it must still point into the block (fact 10).
	pad = 8

	// MallocHeader is the size of the Go allocator's header in front of a block with pointers of up to smallMax bytes;
	// a block of 4096 bytes would end up in the size class 4864.
	MallocHeader = 8
	smallMax     = 32 << 10
)

// Plain returns a zeroed block that the GC doesn't scan, and how many bytes it offers:
// size less the pad.
func Plain(size uintptr) (mem unsafe.Pointer, usable uintptr) {
	b := unsafe.Pointer(unsafe.SliceData(make([]uint64, (asan.RedZone+size)/8))) // fact 4
	asan.Poison(b, asan.RedZone+size)
	return unsafe.Add(b, asan.RedZone), size - pad // fact 1
}

// Owned returns a zeroed block that starts with a pointer to owner, and the bytes that it
// offers, which follow that pointer. The GC scans no further than the pointer (fact 2).
// Any pointer into the block keeps owner alive (fact 1).
func Owned(size uintptr, owner unsafe.Pointer) (mem unsafe.Pointer, usable uintptr) {
	data := size - front
	if size <= smallMax {
		data -= MallocHeader
	}
	var b unsafe.Pointer
	if make := shapes[data]; make != nil {
		b = make()
	} else {
		b = reflect.New(shapeOf(front, data)).UnsafePointer()
	}
	*(*unsafe.Pointer)(b) = owner
	asan.Poison(b, front+data)
	return unsafe.Add(b, front), data - pad
}

// SetOwner changes the owner of an owned block, given the memory it offers.
func SetOwner(mem, owner unsafe.Pointer) {
	b := asan.Allow(unsafe.Add(mem, -front), front)
	*(*unsafe.Pointer)(b) = owner
	asan.Poison(b, front)
}

// Clear erases the bytes from from to to of a plain or owned block.
//
// Up to 16 KiB it erases in pieces below 2 KiB. From 2 KiB on, the runtime uses an
// instruction on x86-64 (rep stosq) that takes long to start, and so does the compiler
// for a constant length. Objects of 64 B take 10% less time with 8 KiB windows erased in
// pieces, and 20% less with windows of 4 KiB.
func Clear(mem unsafe.Pointer, from, to uintptr) {
	step := to - from
	if step <= tuning.PiecesMax {
		step = tuning.Piece
	}
	for from < to {
		n := min(step, to-from)
		clear(unsafe.Slice((*byte)(unsafe.Add(mem, from)), n))
		from += n
	}
}

// front is the part of an owned block before the memory on offer: the owner's pointer, and on 32-bit machines a gap
// that keeps the alignment.
const front = 8

// owned is the type of an owned block.
type owned[A any] struct {
	owner unsafe.Pointer
	_     [front - word]byte
	data  A
}

func newOwned[A any]() unsafe.Pointer { return unsafe.Pointer(new(owned[A])) }

// shapes makes the usual owned blocks, the powers of two, by the size they offer with
// their pad. reflect makes the others, somewhat more slowly.
var shapes = map[uintptr]func() unsafe.Pointer{
	1<<9 - 16:  newOwned[[1<<9 - 16]byte],
	1<<10 - 16: newOwned[[1<<10 - 16]byte],
	1<<11 - 16: newOwned[[1<<11 - 16]byte],
	1<<12 - 16: newOwned[[1<<12 - 16]byte],
	1<<13 - 16: newOwned[[1<<13 - 16]byte],
	1<<14 - 16: newOwned[[1<<14 - 16]byte],
	1<<15 - 16: newOwned[[1<<15 - 16]byte],
	1<<16 - 8:  newOwned[[1<<16 - 8]byte],
	1<<17 - 8:  newOwned[[1<<17 - 8]byte],
	1<<18 - 8:  newOwned[[1<<18 - 8]byte],
	1<<19 - 8:  newOwned[[1<<19 - 8]byte],
	1<<20 - 8:  newOwned[[1<<20 - 8]byte],
}

// shapeCache holds the types that shapeOf has made. reflect never forgets a
// type, so sizes come rounded (see RoundOwned) and there are few.
var shapeCache sync.Map // of [2]uintptr to reflect.Type

// shapeOf returns the type of an owned block that offers data bytes and has ahead bytes before
// them. The last of those are front.
func shapeOf(ahead, data uintptr) reflect.Type {
	key := [2]uintptr{ahead, data}
	if t, ok := shapeCache.Load(key); ok {
		return t.(reflect.Type)
	}
	bytes := func(n uintptr) reflect.Type { return reflect.ArrayOf(int(n), reflect.TypeFor[byte]()) }
	t := reflect.StructOf([]reflect.StructField{
		{Name: "Ahead", Type: bytes(ahead - front)},
		{Name: "Owner", Type: reflect.TypeFor[unsafe.Pointer]()},
		{Name: "Gap", Type: bytes(front - word)},
		{Name: "Data", Type: bytes(data)},
	})
	shapeCache.Store(key, t)
	return t
}

// RoundOwned rounds the size of an owned block up to one of at most 16 sizes from one power of two
// to the next, which costs at most 1/16 and bounds the number of types that have to be made.
func RoundOwned(size uintptr) uintptr { return roundTo(16, size) }

// FitOwned is RoundOwned where there is little room: it rounds to at most 128 sizes
// from one power of two to the next, which costs at most 1/128.
func FitOwned(size uintptr) uintptr { return roundTo(128, size) }

// roundTo rounds size up to a multiple of 64 that is one of at most n sizes from one
// power of two to the next, where n is one itself.
func roundTo(n, size uintptr) uintptr {
	step := uintptr(64)
	for step*2*n <= size {
		step *= 2
	}
	return (size + step - 1) &^ (step - 1)
}

// A Typed makes and erases blocks of values of one type with pointers. A block is a []T. If the
// number of values is a multiple of 64 and not small, it is a [][64]T, which is laid out the same.
//
// The GC scans both correctly (fact 2), but the second faster: it looks up where the pointers are
// once for each element, and for up to 64 words at a time. A full GC over a tree of 8 million nodes
// of 24 bytes took 80-88 ms with groups of 64 against 117-152 ms without, in one run; groups of 16
// KiB and more were no better.
type Typed struct {
	elem   reflect.Type
	slice  reflect.Type  // []T
	groups reflect.Type  // [][64]T, when needed
	part   sliceHeader   // the slice that view shows
	view   reflect.Value // a []T stored in part
	from   *view         // the source of Copy, when needed
}

// A view is a []T as reflect sees it, and the slice behind it.
type view struct {
	part sliceHeader
	view reflect.Value
}

// groupLen is the length of a group, a multiple of 64 words for any T. Values of groupMax bytes and more are not
// grouped: they have 64 words themselves, and types with large pointer maps are costly to make.
const (
	groupLen = 64
	groupMax = 512
)

// sliceHeader is the layout of a slice (fact 9).
type sliceHeader struct {
	data     unsafe.Pointer
	len, cap int
}

// Init prepares t, which must not be moved afterwards, for elements of type elem.
func (t *Typed) Init(elem reflect.Type) {
	t.elem = elem
	t.slice = reflect.SliceOf(elem)
	t.view = reflect.NewAt(t.slice, unsafe.Pointer(&t.part)).Elem()
}

// Elem returns the type of the elements.
func (t *Typed) Elem() reflect.Type { return t.elem }

// Round returns a number of elements that a block can have: about n, and not less than least.
func (t *Typed) Round(n, least int) int {
	n = max(n, least)
	if !t.groupable(n) {
		return n
	}
	n -= n % groupLen
	if n < least {
		n += groupLen
	}
	return n
}

// Make returns a zeroed block of n elements. One that Round has returned is best.
func (t *Typed) Make(n int) unsafe.Pointer {
	if asan.On {
		return t.makeBehindRedZone(n)
	}
	return t.make(n, t.grouped(n))
}

// makeBehindRedZone is Make with some more elements in front that are never used.
func (t *Typed) makeBehindRedZone(n int) unsafe.Pointer {
	size, grouped := t.elem.Size(), t.grouped(n)
	ahead := int((asan.RedZone + size - 1) / size)
	if grouped {
		ahead = groupLen
	}
	b := t.make(ahead+n, grouped)
	asan.Poison(b, uintptr(ahead+n)*size)
	return unsafe.Add(b, uintptr(ahead)*size) // fact 1
}

func (t *Typed) make(n int, grouped bool) unsafe.Pointer {
	if n == 1 {
		return reflect.New(t.elem).UnsafePointer()
	}
	if !grouped {
		t.view.Grow(n) // MakeSlice would allocate the header, too
		b := t.part.data
		t.part = sliceHeader{}
		return b
	}
	if t.groups == nil {
		t.groups = reflect.SliceOf(reflect.ArrayOf(groupLen, t.elem))
	}
	return reflect.MakeSlice(t.groups, n/groupLen, n/groupLen).UnsafePointer()
}

// grouped reports whether a block of n elements consists of groups.
func (t *Typed) grouped(n int) bool { return n%groupLen == 0 && t.groupable(n) }

// groupable reports whether a block of about n elements should.
func (t *Typed) groupable(n int) bool { return n >= 2*groupLen && t.elem.Size() < groupMax }

// Clear erases bytes of whole elements at mem (fact 8). It doesn't allocate: it sets the view, since a reflect.Value of
// a new slice would allocate.
func (t *Typed) Clear(mem unsafe.Pointer, bytes uintptr) {
	n := int(bytes / t.elem.Size())
	t.part = sliceHeader{mem, n, n}
	t.view.Clear()
	t.part = sliceHeader{}
}

// Copy copies n elements from src to dst. Both must hold values of the type (fact 8). As
// with Clear, only the first call allocates.
func (t *Typed) Copy(dst, src unsafe.Pointer, n int) {
	f := t.from
	if f == nil {
		f = new(view)
		f.view = reflect.NewAt(t.slice, unsafe.Pointer(&f.part)).Elem()
		t.from = f
	}
	t.part, f.part = sliceHeader{dst, n, n}, sliceHeader{src, n, n}
	reflect.Copy(t.view, f.view)
	t.part, f.part = sliceHeader{}, sliceHeader{}
}
