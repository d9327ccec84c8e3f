//go:build !race

// Package race is the fence around the race detector, which finds uses of memory that an
// arena has reclaimed. It may know ranges of memory, and nothing of arenas.
package race

import "unsafe"

// Enabled reports whether the build is one with the race detector.
const Enabled = false

// Ranges is what an arena remembers of memory that it has reclaimed. It takes no memory
// in other builds.
type Ranges struct{}

// Remember adds size bytes at mem to what Report will tell of.
func (*Ranges) Remember(mem unsafe.Pointer, size uintptr) {}

// Report tells the detector of what was remembered since the last time, and now and then
// of what was before. letDie says that it must not be kept from dying.
func (*Ranges) Report(letDie bool) {}

// Unseen calls f. What it synchronizes with orders nothing, as far as the detector can tell.
func Unseen(f func()) { f() }
