package collections

import (
	"fmt"
	"strings"
	"testing"
)

// TestSlotsFull: a New that exhausts the Refs panics, and the Slots stays usable.
func TestSlotsFull(t *testing.T) {
	defer func(n int) { maxBlocks = n }(maxBlocks)
	maxBlocks = 3
	s := NewSlots[[1000]byte](nil)
	func() {
		defer func() {
			if v := fmt.Sprint(recover()); !strings.Contains(v, "2^32 slots") {
				t.Error(v)
			}
		}()
		for {
			s.New()
		}
	}()
	for _, p := range s.All() {
		s.Free(p)
	}
	if s.held.Len() == 0 && (s.New() == nil || s.Len() != 1) {
		t.Error("nothing goes any more")
	}
}
