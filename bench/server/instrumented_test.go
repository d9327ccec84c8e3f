//go:build race || asan || msan

package server

// Such builds watch memory, and may allocate for that.
const instrumented = true
