//go:build asan

// Package asan tells the address sanitizer which memory of an arena may be touched. The
// project's only C code is here, and only builds with -asan include it. In other builds
// the package compiles to nothing.
package asan

/*
#include <sanitizer/asan_interface.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// The addresses are passed as numbers. Given pointers, cgo would search the memory behind
// them for Go pointers and panic if it found one.
static void poison(uintptr_t p, uintptr_t n) { __asan_poison_memory_region((void *)p, n); }
static void unpoison(uintptr_t p, uintptr_t n) { __asan_unpoison_memory_region((void *)p, n); }

// The sanitizer calls it before it prints a report. A program may have its own.
__attribute__((weak)) void __asan_on_error(void) {
	if (strcmp(__asan_get_report_description(), "use-after-poison") == 0)
		fprintf(stderr, "arena: %p lies in memory that an arena has reclaimed, by Reset, Rewind, Put or the end "
			"of a child, or right before or after a value in an arena\n", __asan_get_report_address());
}

// These calls move no Go value to the heap, and none of them calls back into Go.
#cgo noescape poison
#cgo nocallback poison
#cgo noescape unpoison
#cgo nocallback unpoison
*/
import "C"

import (
	"runtime"
	"unsafe"
)

// On reports whether the build is one with the address sanitizer.
const On = true

// Granule is the alignment at which memory that may be touched must begin, so that the
// sanitizer knows its end to the byte.
const Granule = 8

// RedZone is the least number of bytes between allocations that must not be touched.
const RedZone = 2 * Granule

// Poison declares that touching the n bytes at p is a bug from now on.
func Poison(p unsafe.Pointer, n uintptr) {
	C.poison(C.uintptr_t(uintptr(p)), C.uintptr_t(n))
	runtime.KeepAlive(p)
}

// Unpoison undoes Poison.
func Unpoison(p unsafe.Pointer, n uintptr) {
	C.unpoison(C.uintptr_t(uintptr(p)), C.uintptr_t(n))
	runtime.KeepAlive(p)
}

// Allow unpoisons the n bytes at p, and returns p.
func Allow(p unsafe.Pointer, n uintptr) unsafe.Pointer {
	Unpoison(p, n)
	return p
}

// Gaps is the bytes of red zones. It takes no memory in other builds.
type Gaps struct{ n uintptr }

// Add adds n bytes.
func (g *Gaps) Add(n uintptr) { g.n += n }

// Bytes returns how many there are.
func (g Gaps) Bytes() uintptr { return g.n }
