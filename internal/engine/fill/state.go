package fill

import (
	"reflect"
	"strings"
)

// This file has the types whose state the runtime, or a package that works with it, interprets before it follows a
// pointer. It ends the process with a fatal error if the state makes no sense, and panics in a critical section of the
// runtime end it too. So their state becomes one with which the first use that needs a pointer faults. It must not
// depend on how memory is filled.

// states maps types to the kind of their parts without pointers.
var states = map[string]partKind{
	// A dead lock works as before, and others that wait for it go on. Its use is found as a write.
	"sync.Mutex":     kept,
	"sync.RWMutex":   kept,
	"sync.WaitGroup": kept,
	"sync.Once":      kept,

	// These work, or are invalid, until they need a pointer.
	"sync.Cond":   zeros,
	"sync.Pool":   zeros,
	"time.Timer":  zeros,
	"time.Ticker": zeros,

	// Value disables preemption before it reads through the pointer.
	"weak.Pointer": cleared,

	// The header of a Go map: nobody writes, there are entries, and they are found through a pointer.
	"github.com/harena-go/arena/internal/engine/smallmap.count": length,
	"github.com/harena-go/arena/internal/engine/smallmap.flags": zeros,
}

// stateOf returns the kind of a type that states lists.
func stateOf(t reflect.Type) (kind partKind, ok bool) {
	name, _, _ := strings.Cut(t.Name(), "[") // of a generic type
	kind, ok = states[t.PkgPath()+"."+name]
	return kind, ok
}

// holdsState reports whether a part of a value of a type without pointers has state.
func holdsState(t reflect.Type) bool {
	if _, ok := stateOf(t); ok {
		return true
	}
	switch t.Kind() {
	case reflect.Array:
		return holdsState(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsState(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}
