//go:build !race

// Package race tells whether the race detector is part of the build.
package race

// Enabled says whether the build is one with the race detector.
const Enabled = false
