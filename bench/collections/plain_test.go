//go:build !race && !asan && !msan

package collections

const instrumented = false
