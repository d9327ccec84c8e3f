package plan

import (
	"sync"

	"github.com/harena-go/arena"
)

// SlotCount is how many slots there are for allocators of types.
const SlotCount = 32

// slotOf returns the slot of a type.
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

var (
	slotMu sync.Mutex
	slots  = map[arena.TypeKey]uint8{}
)
