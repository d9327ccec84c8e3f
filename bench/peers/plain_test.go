//go:build !race && !asan && !msan

package peers

const instrumented = false
