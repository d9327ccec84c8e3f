package watch

import (
	"slices"
	"sync"

	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/engine/fill"
	"github.com/harena-go/arena/internal/tuning"
)

// An ending is a call that reclaimed memory. The trap is the address that replaced the pointers in that memory:
// following one faults there or nearby.
type ending struct {
	name  string // of the arena
	key   string // from its Pool
	trap  uintptr
	stack Stack
	died  func() []string // describes some of the dead values
}

// endings remembers the last calls, oldest first, that reclaimed memory in arenas with an allocation in each block. It
// explains a fault even if the arena is gone. This file must not depend on how a fault is explained.
var endings endingList

type endingList struct {
	mu   sync.Mutex
	list []ending
}

func (l *endingList) push(e ending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.list) >= tuning.MaxEndings {
		l.list = slices.Delete(l.list, 0, tuning.MaxEndings/4)
	}
	l.list = append(l.list, e)
}

// EndingsOf returns the last calls, oldest first, that reclaimed memory in arenas with that name and an allocation in
// each block.
func EndingsOf(name string) []inspect.Ending { return endings.of(name) }

// deadAt returns the values that died with the pointers that lead to an address, or nil if none do. The newest is
// right, as traps are reused.
func (l *endingList) deadAt(addr uintptr) *inspect.Dead {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range slices.Backward(l.list) {
		if e.trap != 0 && addr-e.trap < fill.TrapSize {
			return &inspect.Dead{Arena: e.name, Key: e.key, Values: e.died(), Taken: e.stack.Frames()}
		}
	}
	return nil
}

// of returns the endings of arenas with a name. Arenas that share a name share the list.
func (l *endingList) of(name string) (list []inspect.Ending) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.list {
		if e.name == name {
			list = append(list, inspect.Ending{Trap: e.trap, When: When(e.stack.Frames(), e.key)})
		}
	}
	return list
}
