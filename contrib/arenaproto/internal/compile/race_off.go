//go:build !race

package compile

// RaceEnabled means that messages of the opaque API have pointers to the Go heap, which the official
// runtime adds for the race detector.
const RaceEnabled = false
