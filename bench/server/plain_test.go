//go:build !race && !asan && !msan

package server

const instrumented = false
