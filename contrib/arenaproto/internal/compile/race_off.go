//go:build !race

package compile

// RaceEnabled says that messages of the opaque API have pointers to the Go heap, which the official
// runtime makes for the race detector's sake.
const RaceEnabled = false
