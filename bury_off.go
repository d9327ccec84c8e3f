//go:build !race

package arena

// graves is what an arena remembers of memory that it has taken back, in builds
// with the race detector.
type graves struct{}

// bury tells the race detector of what was taken back.
func (*graves) bury() {}

// abandon is rewind without reuse.
func (r *region) abandon(*position) {}
