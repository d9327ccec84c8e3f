//go:build race || asan || msan

package peers

// Such builds watch memory, which takes time.
const instrumented = true
