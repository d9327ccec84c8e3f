//go:build go1.27

package arena

import (
	"iter"
	"unsafe"
)

// This file repeats the generic functions as methods of *Arena, for Go 1.27 and later. They do the same, and must not
// decide anything: that belongs in the functions.
//
// New, NewOf, Append and CopySlice must be inlined into their callers, and New and Append into their callers' callers.
// Calling the functions from here would cost more than the compiler allows, so the methods repeat their bodies.

// New allocates a zero T, as the function [New] does.
func (a *Arena) New[T any]() (p *T) {
	if a == nil {
		return new(T)
	}
	return (*T)(a.take(&a.window, p, unsafe.Sizeof(*p), newSlow))
}

// NewOf allocates a T and sets it to v, as the function [NewOf] does.
func (a *Arena) NewOf[T any](v T) (p *T) {
	if a == nil {
		p = new(T) // not &v, which would move v to the heap in any case
	} else {
		p = (*T)(a.take(&a.window, p, unsafe.Sizeof(v), newSlow))
	}
	*p = v
	return
}

// NewFunc allocates a T that f sets, as the function [NewFunc] does.
func (a *Arena) NewFunc[T any](f func(p *T)) *T {
	return NewFunc(a, f)
}

// Box returns v as an any whose value is in the arena, as the function [Box] does.
func (a *Arena) Box[T any](v T) any {
	return Box(a, v)
}

// For returns an allocator of T, as the function [For] does.
func (a *Arena) For[T any]() *Typed[T] {
	return For[T](a)
}

// MakeSlice allocates a slice of zero values, as the function [MakeSlice] does.
func (a *Arena) MakeSlice[T any](len, cap int) []T {
	return MakeSlice[T](a, len, cap)
}

// MakeSliceUninit is MakeSlice without the zeroing, as the function
// [MakeSliceUninit] does it: the slice may contain data of earlier users of the
// arena, unless T has pointers.
func (a *Arena) MakeSliceUninit[T any](len, cap int) []T {
	return MakeSliceUninit[T](a, len, cap)
}

// Append appends items to s and allocates what s needs to grow, as the function
// [Append] does.
func (a *Arena) Append[T any](s []T, items ...T) []T {
	return appendOne(s, items, func() []T {
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

// AppendSeq appends the values of seq to s, as the function [AppendSeq] does.
func (a *Arena) AppendSeq[T any](s []T, seq iter.Seq[T]) []T {
	return AppendSeq(a, s, seq)
}

// Collect returns a slice of the values of seq, as the function [Collect] does.
func (a *Arena) Collect[T any](seq iter.Seq[T]) []T {
	return Collect(a, seq)
}

// Grow returns s with room for n more values, as the function [Grow] does.
func (a *Arena) Grow[T any](s []T, n int) []T {
	return Grow(a, s, n)
}

// CopySlice returns a copy of s in the arena, as the function [CopySlice] does.
func (a *Arena) CopySlice[T any](s []T) []T {
	return copied(s, func() []T { return MakeSliceUninit[T](a, len(s), len(s)) })
}
