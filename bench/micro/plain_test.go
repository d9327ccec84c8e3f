//go:build !race && !asan && !msan

package micro

const instrumented = false
