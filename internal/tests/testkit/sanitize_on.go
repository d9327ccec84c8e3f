//go:build race || asan

package testkit

// Sanitized reports whether the race detector or the address sanitizer is on: they slow things down, change the
// inlining, and report touching dead memory.
const Sanitized = true
