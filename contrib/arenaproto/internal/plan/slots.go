package plan

import (
	"sync"

	"github.com/harena-go/arena"
)

// SlotCount is the number of slots for allocators in the decoder. If there are more types, some share a
// slot, which only costs time.
const SlotCount = 32

// slotOf returns the slot of a type, which never changes. Slots are assigned in order, so that few types
// never share one.
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

// slots has the assigned slots. Only making plans uses them, so a lock doesn't matter.
var (
	slotMu sync.Mutex
	slots  = map[arena.TypeKey]uint8{}
)
