// Package sub is another package of the module.
package sub

// Buffer is made by others, who can't fill a field of it.
type Buffer struct{ words []string }

// Add gets a twin.
func (b *Buffer) Add(word string) { b.words = append(b.words, word) }

// Len keeps what was added from being optimized away.
func (b *Buffer) Len() int { return len(b.words) }
