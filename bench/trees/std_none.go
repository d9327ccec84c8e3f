//go:build !goexperiment.arenas

package trees

// onRuntime is missing in this build.
var onRuntime func() forest
