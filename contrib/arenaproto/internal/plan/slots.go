package plan

import (
	"sync"

	"github.com/harena-go/arena"
)

// SlotCount is how many slots the decoder has for allocators of types. Types share a slot if there are
// more of them; that costs time only.
const SlotCount = 32

// slotOf returns the slot of a type, for good. Types get slots in the order in which they come, so that
// few types never share one.
func slotOf(k arena.TypeKey) uint8 {
	slotMu.Lock()
	defer slotMu.Unlock()
	s, ok := slots[k]
	if !ok {
		s = uint8(len(slots) % SlotCount)
		slots[k] = s
	}
	return s
}

// slots has the slots that were given. Only the compiler of plans asks, so that a lock doesn't matter.
var (
	slotMu sync.Mutex
	slots  = map[arena.TypeKey]uint8{}
)
