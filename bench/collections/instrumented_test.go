//go:build race || asan || msan

package collections

// Such builds watch memory, which takes time.
const instrumented = true
