//go:build !asan

// Package asan tells the address sanitizer which memory of an arena may be touched. The
// project's only C code is here, and only builds with -asan include it. In other builds
// the package compiles to nothing.
package asan

import "unsafe"

// On reports whether the build is one with the address sanitizer.
const On = false

// Granule is the alignment at which memory that may be touched must begin, so that the
// sanitizer knows its end to the byte.
const Granule = 1

// RedZone is the least number of bytes between allocations that must not be touched.
const RedZone = 0

// Poison declares that touching the n bytes at p is a bug from now on.
func Poison(p unsafe.Pointer, n uintptr) {}

// Unpoison undoes Poison.
func Unpoison(p unsafe.Pointer, n uintptr) {}

// Allow unpoisons the n bytes at p, and returns p.
func Allow(p unsafe.Pointer, n uintptr) unsafe.Pointer { return p }

// Gaps is the bytes of red zones. It takes no memory in other builds.
type Gaps struct{}

// Add adds n bytes.
func (g *Gaps) Add(n uintptr) {}

// Bytes returns how many there are.
func (g Gaps) Bytes() uintptr { return 0 }
