//go:build !race && !asan && !msan

package trees

const instrumented = false
