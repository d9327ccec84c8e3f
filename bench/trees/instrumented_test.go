//go:build race || asan || msan

package trees

// Such builds watch memory, and may allocate for that.
const instrumented = true
