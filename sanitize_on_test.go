//go:build race || asan

package arena_test

// sanitized says that the race detector or the address sanitizer is on: they
// slow things down, change what is inlined, and object to touching dead memory.
const sanitized = true
