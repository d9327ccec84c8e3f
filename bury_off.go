//go:build !race

package arena

// graves is what an arena remembers of memory that it has taken back, in builds
// with the race detector.
type graves struct{}

// bury tells the race detector of what was taken back.
func (*graves) bury(watched bool) {}

// mourn adds a part of a chunk to what bury will tell the detector of.
func (*region) mourn(c *chunk, from, to uintptr) {}
