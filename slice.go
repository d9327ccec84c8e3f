package arena

import (
	"iter"
	"math/bits"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/engine/memory"
)

// This file makes slices, appends to them, and moves them when they grow. It must not depend on how memory is taken at
// the low end of a chunk (grow.go of the engine).

// MakeSlice allocates a slice of zero values, as make does.
//
// It panics if len or cap is negative, if len exceeds cap, if the size is out of range, if the arena was freed, and
// with a *LimitError if its budget doesn't allow for the slice.
func MakeSlice[T any](a *Arena, len, cap int) []T {
	if size := unsafe.Sizeof(*new(T)); uint(len) <= uint(cap) && uint(cap) <= quickMax && size <= quickMax {
		if a == nil {
			return make([]T, len, cap)
		}
		if p := a.quickSlice((*T)(nil), size*uintptr(cap)); p != nil {
			return unsafe.Slice((*T)(p), cap)[:len]
		}
	}
	if p := makeSlice(a, (*T)(nil), "MakeSlice", len, cap, false); p != nil {
		return unsafe.Slice((*T)(p), cap)[:len]
	}
	return make([]T, len, cap)
}

// MakeSliceUninit is MakeSlice without the zeroing: the slice has the memory's old contents, possibly data of earlier
// users of the arena. If T has pointers the slice is zero all the same. It takes constant time once the arena has a
// chunk that is large enough. It panics as [MakeSlice] does.
func MakeSliceUninit[T any](a *Arena, len, cap int) []T {
	if p := makeSlice(a, (*T)(nil), "MakeSliceUninit", len, cap, true); p != nil {
		return unsafe.Slice((*T)(p), cap)[:len]
	}
	return make([]T, len, cap)
}

// quickMax is the maximum of elements, and of bytes each, for quickSlice: so few that their product doesn't overflow.
const quickMax = 1 << 15

// quickSlice allocates n bytes for values of a type without pointers if zeroed memory lies ready, and returns nil
// otherwise. A slice of 16 ints takes 4.4 ns with it, 8 without.
func (a *Arena) quickSlice(zero any, n uintptr) unsafe.Pointer {
	if n < memory.ObjectAlign || !layout.Trusted || a.core == nil ||
		(*layout.Iface)(unsafe.Pointer(&zero)).Ptr.Elem.PtrBytes > a.window.UpTo { // fact 5
		return nil
	}
	return a.plain.ReadyLow(n)
}

// makeSlice allocates cap values of the type to which zero is a nil pointer. It returns nil if they should come from
// the Go heap, or take no memory.
func makeSlice(a *Arena, zero any, op string, len, cap int, uninit bool) unsafe.Pointer {
	t := layout.Of(zero)
	hi, lo := bits.Mul(uint(cap), t.Size)
	n := uintptr(lo)
	if len < 0 || len > cap || hi != 0 || n > maxBytes {
		panicLen(op, len, cap, uintptr(t.Size))
	}
	if a == nil {
		return nil
	}
	a.check(op)
	if n == 0 {
		return nil // make doesn't allocate either
	}
	a.expect(op, zero, watch.Many)
	return takeSlice(a.regionOf(t, zero), t, n, uninit)
}

// takeSlice allocates n bytes for values of a type from its region.
func takeSlice(r *memory.Region, t *layout.Type, n uintptr, uninit bool) unsafe.Pointer {
	if n >= memory.ObjectAlign && !memory.Is32bit {
		if p := r.ReadyLow(n); p != nil {
			return p
		}
		return r.TakeLowSlow(n, memory.ObjectAlign, uninit && t.PtrBytes == 0)
	}
	return r.TakeLow(n, alignOf(n, t), uninit && t.PtrBytes == 0)
}

// alignOf returns the alignment of n bytes of values of a type.
func alignOf(n uintptr, t *layout.Type) uintptr {
	if n >= memory.ObjectAlign {
		return memory.ObjectAlign
	}
	return uintptr(t.Align)
}

// panicLen panics about a bad length or capacity.
//
//go:noinline
func panicLen(op string, len, cap int, size uintptr) {
	switch {
	case len < 0:
		panicNegative(op, "len", len)
	case cap < 0:
		panicNegative(op, "cap", cap)
	case len > cap:
		panicLenCap(op, len, cap)
	}
	panicTooLarge(op, "cap", cap, size)
}

// Append appends items to s, as the builtin append does, and lets s grow in the arena. s may come from anywhere. Spare
// capacity that Append makes is zero. It panics as [MakeSlice] does.
//
// s grows in place if it is the newest slice of the arena, among those without pointers or among those with elements of
// type T; objects and strings allocated since don't matter. A slice that is too large to share a chunk grows in place
// while there is room. Else Append copies s to a new place, and the old one is lost until Reset. It also copies a slice
// of fewer than 8 bytes that isn't aligned to 8, since a larger one must be.
//
// Capacity doubles, as far as a budget allows. Old places count: a slice that grows item by item gets half of the rest
// of an arena's budget, and a third of that of a Pool or a Shared. A call of [Grow] beforehand gets all of it.
func Append[T any](a *Arena, s []T, items ...T) []T {
	return appendOne(s, items, func() []T {
		// s is captured as it is, and may stay in registers. Without an arena the builtin append grows it. Where this
		// is inlined, the compiler knows that there is one item.
		r := s
		if a != nil || unsafe.Sizeof(*new(T)) == 0 {
			r = room(a, s, len(items))
		}
		if len(items) == 1 {
			return append(r, items[0])
		}
		return append(r, items...)
	})
}

// appendOne is the fast path of Append, for one item where there is room. As in take, the slow path is a parameter, so
// that all of this can be inlined. It is a function literal, whose size doesn't count. The literal calls no generic
// function with the items: a package that gets Append by inlining another package's function must assume that arguments
// of such functions escape, and would move the items to the heap at each call.
//
// There is one item here, which is stored where it belongs. Without the index the compiler copies items from the stack,
// at any number of them: 1,000 strings then take 4.0 us instead of 1.6, pointers 3.3 instead of 1.2, numbers as long.
func appendOne[T any](s, items []T, slow func() []T) []T {
	if len(items) != 1 || len(s) == cap(s) {
		return slow()
	}
	return append(s, items[0])
}

// room returns s with room for n more values. On the Go heap it leaves that to the builtin append.
//
//go:noinline
func room[T any](a *Arena, s []T, n int) []T {
	switch {
	case n <= cap(s)-len(s):
	case a != nil:
		return grow(a, "Append", s, n)
	case len(s)+n < 0: // elements of size zero
		panicTooMany("Append", len(s), n)
	}
	return s
}

// AppendSeq appends the values of seq to s, as slices.AppendSeq does. It grows s and panics as [Append] does. seq may
// use the arena itself.
func AppendSeq[T any](a *Arena, s []T, seq iter.Seq[T]) []T {
	for v := range seq {
		s = Append(a, s, v)
	}
	return s
}

// Collect returns a slice of the values of seq, as slices.Collect does: nil if there are none. It panics as [Append]
// does.
func Collect[T any](a *Arena, seq iter.Seq[T]) []T {
	return AppendSeq(a, nil, seq)
}

// Grow returns s with room for n more values, as slices.Grow does. If s has to grow it does so as with [Append], but to
// the exact capacity if that is more than twice the old one. The new spare capacity is zero. Grow panics if n is
// negative, and else as [MakeSlice] does.
func Grow[T any](a *Arena, s []T, n int) []T {
	if n < 0 {
		panicNegative("Grow", "n", n)
	}
	if n <= cap(s)-len(s) {
		return s
	}
	if a == nil {
		t := make([]T, len(s), newCap[T]("Grow", s, n))
		copy(t, s)
		return t
	}
	return grow(a, "Grow", s, n)
}

// CopySlice returns a copy of s in the arena, with a capacity of its length. The copy is shallow; that of nil is nil.
// It panics as [MakeSlice] does.
func CopySlice[T any](a *Arena, s []T) []T {
	return copied(s, func() []T { return MakeSliceUninit[T](a, len(s), len(s)) })
}

// copied is CopySlice, which is inlined, as Append is: s may lie on the stack.
func copied[T any](s []T, alloc func() []T) []T {
	if s == nil {
		return nil
	}
	c := alloc()
	copy(c, s)
	return c
}

// newCap returns the new capacity of a slice that is to hold n more values than its length. For example ints get 4, 8,
// 16, 32 ... elements, and structs of 100 bytes 1, 2, 4, 8.
func newCap[T any](op string, s []T, n int) int {
	size := unsafe.Sizeof(*new(T))
	need := len(s) + n
	switch {
	case need < 0:
		panicTooMany(op, len(s), n)
	case size == 0:
		return need
	case uintptr(need) > maxBytes/size:
		panicLen(op, 0, n, size)
	}
	// A slice starts with 32 bytes at least, or with 4 elements if these take up to 128 bytes, so that few are ever
	// moved. It doubles at any length: a slice that must move leaves its old place unused, and smaller steps leave more
	// such places, 4 times the final length with a factor of 1.25. In place, the factor hardly matters.
	return max(need, min(2*cap(s), int(maxBytes/size)), int(max(32/size, min(4, 128/size))))
}

// grow returns s with room for n more values. There isn't room already.
//
// First it tries to grow s in place, by as much as the budget and the chunk have, if that is enough. Else s moves: the
// limits bound its size, the engine looks for a kept chunk that fits, and only then is memory taken. So a slice near a
// limit gets less than twice its capacity rather than a panic.
func grow[T any](a *Arena, op string, s []T, n int) []T {
	to := newCap(op, s, n)
	a.check(op)
	zero := (*T)(nil)
	size := unsafe.Sizeof(*zero)
	if size == 0 {
		return make([]T, len(s), to)
	}
	t := layout.Of(zero)
	r := a.regionOf(t, zero)
	rest := a.rest(uintptr(to) * size)
	if old := unsafe.Pointer(unsafe.SliceData(s)); memory.MayLengthen(old, uintptr(cap(s))*size) {
		// The memory of s up to its capacity may be in use by other slices, but the memory behind it is free.
		room, big := r.RoomAfter(uintptr(old) + uintptr(cap(s))*size) // fact 10
		if more := min(to-cap(s), int(min(rest, room)/size)); cap(s)+more >= len(s)+n {
			r.Lengthen(big, uintptr(more)*size)
			return unsafe.Slice((*T)(old), cap(s)+more)[:len(s)]
		}
	}
	if c := a.account.total; c != nil {
		rest = min(rest, max(r.Room(), c.available()))
	}
	rest -= min(rest, r.PadLow())
	to = max(len(s)+n, int(min(rest/size, uintptr(to))))
	a.expect(op, zero, watch.Many)
	to = r.RoomToMove(len(s)+n, to, size, rest)
	b, plain := uintptr(to)*size, t.PtrBytes == 0
	p := r.TakeLow(b, alignOf(b, t), plain)
	d := unsafe.Slice((*T)(p), to)
	copy(d, s)
	if plain && !r.IsClean(p) {
		clear(d[len(s):])
	}
	return d[:len(s)]
}
