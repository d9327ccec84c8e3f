//go:build race || asan || msan

package micro

// Such builds watch memory, and may allocate for that.
const instrumented = true
