//go:build race || asan

package testkit

// Sanitized says that the race detector or the address sanitizer is on: they
// slow things down, change what is inlined, and object to touching dead memory.
const Sanitized = true
