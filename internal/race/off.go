//go:build !race

// Package race is the fence around the race detector, which finds uses of
// memory that an arena has taken back.
package race

// Enabled says whether the build is one with the race detector.
const Enabled = false
