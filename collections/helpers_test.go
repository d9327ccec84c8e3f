package collections_test

import (
	"fmt"
	"strings"
	"testing"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/asan"
	"github.com/harena-go/arena/internal/engine/race"
)

// sanitized says that memory isn't used again as in other builds.
const sanitized = race.Enabled || asan.On

// kinds are the arenas that collections must work in.
var kinds = map[string]func() *arena.Arena{
	"heap":           func() *arena.Arena { return nil },
	"default":        func() *arena.Arena { return arena.NewArena() },
	"self-contained": func() *arena.Arena { return arena.NewArena(arena.WithNoScan()) },
	"checked":        func() *arena.Arena { return arena.NewArena(arena.WithChecks(arena.CheckObjects)) },
	"scrubbed":       func() *arena.Arena { return arena.NewArena(arena.WithScrub(), arena.WithChunkSize(512)) },
}

// inEach runs a test for an arena of each kind.
func inEach(t *testing.T, test func(t *testing.T, a *arena.Arena)) {
	for name, make := range kinds {
		t.Run(name, func(t *testing.T) { test(t, make()) })
	}
}

// caught runs f and returns its panic value, or nil.
func caught(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// wantPanic fails the test unless f panics with a message that has all the parts.
func wantPanic(t testing.TB, f func(), parts ...string) {
	t.Helper()
	v := caught(f)
	msg := fmt.Sprint(v)
	for _, part := range parts {
		if v == nil || !strings.Contains(msg, part) {
			t.Errorf("panic %q doesn't contain %q", msg, part)
		}
	}
}

var (
	sink  any
	decoy = -1
)

// bytesOf shows the memory of a value.
func bytesOf[T any](p *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(p)), unsafe.Sizeof(*p))
}

// sameString reports whether two strings are at the same place.
func sameString(s, t string) bool {
	return unsafe.StringData(s) == unsafe.StringData(t) && len(s) == len(t)
}
