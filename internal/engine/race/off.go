//go:build !race

// Package race makes the race detector find uses of memory that an arena has reclaimed. It depends on ranges of memory,
// and must not depend on arenas.
package race

import "unsafe"

// Enabled reports whether the build is one with the race detector.
const Enabled = false

// Ranges are the memory that an arena has reclaimed. It takes no memory in other builds.
type Ranges struct{}

// Remember adds size bytes at mem to the ranges for Report.
func (*Ranges) Remember(mem unsafe.Pointer, size uintptr) {}

// Report tells the detector the ranges remembered since the last call, and now and then the earlier ones. letDie means
// that the memory must not be kept alive.
func (*Ranges) Report(letDie bool) {}

// Forgive lets the caller, and all later operations, use the reported memory again.
func (*Ranges) Forgive() {}

// Unseen calls f. The detector doesn't see f's synchronization.
func Unseen(f func()) { f() }
