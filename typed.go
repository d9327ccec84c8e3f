package arena

import (
	"math/bits"
	"reflect"
	"sync"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/engine/memory"
)

// This file holds allocation by a type that is looked up beforehand: a Typed for a type that the compiler knows, a
// TypeKey and a TypeAllocator for one that only the running program knows, which decoders need. It must not depend on
// how memory is taken: all of it ends in the functions in which New and MakeSlice end.

// A Typed allocates values of one type from an arena, without looking up the type each time: about twice as fast as
// [New] for types with pointers, and the same for others. It stays usable after Reset and Rewind; like the arena, it
// belongs to one goroutine at a time. After Free or [Pool.Put] its New panics. With [WithReuse] it does so only until
// the arena is lent again. A Typed comes from [For]; the zero Typed can't be used.
type Typed[T any] struct {
	window *memory.Window
	arena  *Arena
}

// For returns an allocator of T from a. A nil a is the Go heap.
func For[T any](a *Arena) *Typed[T] {
	return &Typed[T]{typedWindow(a, (*T)(nil)), a}
}

// heap is the window of all Typed of nil arenas. It is never open.
var heap memory.Window

// typedWindow returns the window for single values of the type to which zero is a nil pointer. It stays the same for
// as long as the arena lives, so that a Typed may keep it; Free leaves it empty, so that the slow path panics.
func typedWindow(a *Arena, zero any) *memory.Window {
	if a == nil {
		return &heap
	}
	a.check("For")
	key := unsafe.Pointer((*layout.Iface)(unsafe.Pointer(&zero)).Ptr) // as in newSlow
	if w := a.types.Recent(key); w != nil {
		return w.Pin()
	}
	t := layout.Of(zero)
	if t.PtrBytes <= a.window.UpTo {
		return &a.window
	}
	a.enter("For")
	s := a.slabOfObjects(t, zero)
	a.leave()
	return s.Pin()
}

// New allocates a zero T. It is inlined, and panics as the function New does.
func (t *Typed[T]) New() (p *T) {
	return (*T)(memory.TakeTyped(t.window, t.arena, p, unsafe.Sizeof(*p), typedSlow))
}

// typedSlow is newSlow for a Typed, whose arena may be nil.
func typedSlow(a *Arena, zero any) unsafe.Pointer {
	if a == nil {
		return reflect.New(reflect.TypeOf(zero).Elem()).UnsafePointer()
	}
	return newSlow(a, zero)
}

// A TypeKey stands for a Go type that only the running program knows. It comes from [KeyOf],
// belongs to no arena, and may be kept for as long as the program runs and used by any
// goroutine. The zero TypeKey can't be used.
type TypeKey struct{ info *typeInfo }

// A typeInfo describes a type to the arena. There is one for each type, which never changes.
type typeInfo struct {
	zero  any          // a nil *T, which New[T] passes to the slow path
	typ   *layout.Type // of T
	size  uintptr      // bytes of a T
	elem  reflect.Type // T
	slice reflect.Type // []T
}

var typeInfos sync.Map // of reflect.Type to *typeInfo

// KeyOf returns the key of a type. It looks it up in a table; keep the key where
// values of that type are made often. It panics if t is nil.
func KeyOf(t reflect.Type) TypeKey {
	if t == nil {
		panic("arena: KeyOf: the type is nil")
	}
	if i, ok := typeInfos.Load(t); ok {
		return TypeKey{i.(*typeInfo)}
	}
	zero := reflect.Zero(reflect.PointerTo(t)).Interface()
	i, _ := typeInfos.LoadOrStore(t, &typeInfo{zero, layout.Of(zero), t.Size(), t, reflect.SliceOf(t)})
	return TypeKey{i.(*typeInfo)}
}

// Type returns the type that the key stands for.
func (k TypeKey) Type() reflect.Type { return k.info.elem }

// New allocates a zero value of the key's type in a and returns a pointer to it, to be converted to a *T or used with
// [reflect.NewAt]. It does the same as the function [New], at nearly the same cost, and panics as that does.
func (k TypeKey) New(a *Arena) unsafe.Pointer {
	if a == nil {
		return reflect.New(k.info.elem).UnsafePointer()
	}
	return a.take(&a.window, k.info.zero, k.info.size, newSlow)
}

// MakeSlice allocates n zero values of the key's type in a, which lie one behind the
// other as those of a slice of length and capacity n. With an n of 0, or values of size
// zero, it returns a pointer that must not be dereferenced. It panics as the function
// [MakeSlice] does.
func (k TypeKey) MakeSlice(a *Arena, n int) unsafe.Pointer {
	if p := makeSlice(a, k.info.zero, "TypeKey.MakeSlice", n, n, false); p != nil {
		return p
	}
	if a == nil && n > 0 {
		return reflect.MakeSlice(k.info.slice, n, n).UnsafePointer()
	}
	return unsafe.Pointer(&nowhere)
}

// A TypeAllocator allocates values of one type from one arena, as a [Typed] does for a type that the compiler knows. It
// also makes slices and lets them grow. It comes from [TypeKey.For], may be copied, and can be used as long as a Typed:
// also after Reset and Rewind, by one goroutine at a time. After Free or Put of the arena its methods panic, as those
// of a Typed.
type TypeAllocator struct {
	window *memory.Window
	arena  *Arena
	info   *typeInfo
}

// For returns an allocator of values of the key's type from a. A nil a is the Go
// heap. It panics if the arena was freed.
func (k TypeKey) For(a *Arena) TypeAllocator {
	return TypeAllocator{typedWindow(a, k.info.zero), a, k.info}
}

// New allocates a zero value, as [TypeKey.New] does.
func (t TypeAllocator) New() unsafe.Pointer {
	return memory.TakeTyped(t.window, t.arena, t.info.zero, t.info.size, typedSlow)
}

// Size returns the bytes of one value.
func (t TypeAllocator) Size() uintptr { return t.info.size }

// NewN allocates n zero values one behind the other, as [TypeKey.MakeSlice] does.
func (t TypeAllocator) NewN(n int) unsafe.Pointer {
	return TypeKey{t.info}.MakeSlice(t.arena, n)
}

// Grow makes room for at least n values in a slice that has length of them, at p, and has room for capacity of them. It
// returns the new address of the slice and its new capacity. The slice must have come from this arena, or be empty, or
// must not be used any more afterwards. It grows in place if nothing was allocated behind it, and moves if not. The new
// part is zero, even if the slice moved and wasn't zero behind its length.
//
// Many small slices of unknown length should begin with more room than they will need, and return the rest with
// [TypeAllocator.Trim].
//
// It panics if a number is out of range, and else as [Append] does.
func (t TypeAllocator) Grow(p unsafe.Pointer, length, capacity, n int) (unsafe.Pointer, int) {
	if length < 0 || capacity < length {
		panicLenCap("Grow", length, capacity)
	}
	if n <= capacity {
		return p, capacity
	}
	if hi, lo := bits.Mul(uint(n), uint(t.info.size)); hi != 0 || uintptr(lo) > maxBytes {
		panicLen("Grow", 0, n, t.info.size)
	}
	switch {
	case t.info.size == 0:
		return unsafe.Pointer(&nowhere), n
	case t.arena == nil:
		return t.growOnHeap(p, length, n)
	}
	return t.growIn(p, length, capacity, n)
}

func (t TypeAllocator) growOnHeap(p unsafe.Pointer, length, n int) (unsafe.Pointer, int) {
	s := reflect.MakeSlice(t.info.slice, n, n)
	if length > 0 {
		reflect.Copy(s, reflect.SliceAt(t.info.elem, p, length))
	}
	return s.UnsafePointer(), n
}

// Trim returns to the arena the room of a slice beyond its length, if it is the newest of the arena's slices, and
// returns its capacity from then on. That room must be as NewN or Grow allocated it: zero. Trim doesn't look at it, let
// alone erase it, so that unused room costs nothing. The arena uses the room again, also in a [Pool] without reuse: no
// other slice may show it. Without an arena Trim does nothing.
func (t TypeAllocator) Trim(p unsafe.Pointer, length, capacity int) int {
	if length < 0 || capacity < length {
		panicLenCap("Trim", length, capacity)
	}
	if t.arena == nil || length == capacity || t.info.size == 0 {
		return capacity
	}
	if t.trimIn(p, uintptr(length)*t.info.size, uintptr(capacity)*t.info.size) {
		return length
	}
	return capacity
}

// slices returns the region for slices: that for single values, but for some types on 32-bit machines.
func (t TypeAllocator) slices() *memory.Region {
	if memory.Is32bit {
		return t.arena.regionOf(t.info.typ, t.info.zero)
	}
	return t.window.Region()
}

// growIn is Grow in an arena, for values that have a size.
func (t TypeAllocator) growIn(p unsafe.Pointer, length, capacity, n int) (unsafe.Pointer, int) {
	a, size := t.arena, t.info.size
	a.check("Grow")
	r := t.slices()
	if bytes := uintptr(capacity) * size; memory.MayLengthen(p, bytes) {
		room, big := r.RoomAfter(uintptr(p) + bytes) // fact 10
		if more := uintptr(n-capacity) * size; more <= min(a.rest(more), room) {
			r.Lengthen(big, more)
			return p, n
		}
	}
	a.expect("Grow", t.info.zero, watch.Many)
	q := takeSlice(r, t.info.typ, uintptr(n)*size, false)
	if length > 0 {
		r.Copy(q, p, length, size)
	}
	return q, n
}

// trimIn reclaims the bytes from length to capacity of the slice at p, which are zero, and reports whether that was
// possible. Memory that was in use at a mark stays, since Rewind would go back to it.
func (t TypeAllocator) trimIn(p unsafe.Pointer, length, capacity uintptr) bool {
	a := t.arena
	if a.self != a && a.idle() || a.life.marks.len() > 0 {
		return false
	}
	r := t.slices()
	a.reclaimed()
	shorter := r.Shorten(uintptr(p)+capacity, capacity-length) // fact 10
	if shorter {
		a.unsample(capacity - length)
	}
	return shorter
}

// CopyAll returns a copy of all parts, one behind the other, in one piece: of buffers that came from a connection, say.
// It is nil if there is nothing to copy. It panics as [MakeSlice] does.
func (a *Arena) CopyAll(parts ...[]byte) []byte {
	n := 0
	for _, p := range parts {
		if n += len(p); n < 0 {
			panicTooMany("CopyAll", n-len(p), len(p))
		}
	}
	if n == 0 {
		return nil
	}
	all := a.bytes("CopyAll", n, true)
	rest := all
	for _, p := range parts {
		rest = rest[copy(rest, p):]
	}
	return all
}

// SelfContained reports whether the arena was made with [WithNoScan], so that its values must not point to the Go heap.
// The Go heap itself, a nil arena, isn't self-contained.
func (a *Arena) SelfContained() bool { return a != nil && a.core != nil && a.config.noScan }

// Box returns v as an any whose value is in the arena, where a conversion would allocate it on the heap. If v is an
// interface, a pointer, a map, a channel or a function, or one byte, neither needs memory. Box is for interpreters,
// rows and trees that hold []any.
//
// It panics as [New] does. With a nil arena, it is a conversion.
func Box[T any](a *Arena, v T) any {
	if a == nil {
		return v // the compiler converts this T as it would without Box: small numbers take no memory
	}
	return box(a, v)
}

// box is Box for an arena. It is apart so that Box can be inlined, and is only the conversion without an arena.
func box[T any](a *Arena, v T) any {
	if unsafe.Sizeof(v) <= 1 || !layout.Boxed((*T)(nil)) {
		return v
	}
	return layout.Box((*T)(nil), unsafe.Pointer(NewOf(a, v)))
}
