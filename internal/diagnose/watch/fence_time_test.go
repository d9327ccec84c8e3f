package watch

import (
	"testing"
	"time"
	"unsafe"

	"github.com/harena-go/arena/internal/tuning"
)

// TestFencesAreLoweredInTime: fences raised for long enough are lowered, the oldest first, and younger ones aren't.
func TestFencesAreLoweredInTime(t *testing.T) {
	var l fences
	var lowered []string
	then := func(b *Batch) { lowered = append(lowered, b.Name) }
	for _, name := range []string{"a", "b", "c"} {
		if !l.raise(&Batch{Name: name, fence: &fence{trap: unsafe.Pointer(new(int)), bytes: 10}}, then) {
			t.Fatal("not raised")
		}
	}
	if l.lower(false, then); len(lowered) > 0 {
		t.Errorf("%v are lowered at once", lowered)
	}
	for i, b := range l.list[:2] {
		b.fence.raised = time.Now().Add(-tuning.FenceTime - time.Duration(2-i))
	}
	if l.lower(false, then); len(lowered) != 2 || lowered[0] != "a" || lowered[1] != "b" || l.bytes != 10 {
		t.Errorf("%v are lowered after their time; %d bytes are left", lowered, l.bytes)
	}
	if l.lower(true, then); len(lowered) != 3 || !l.empty() || l.bytes != 0 {
		t.Errorf("%v are lowered; %d bytes are left", lowered, l.bytes)
	}
}
