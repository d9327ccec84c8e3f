package memory_test

import (
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestGrownSlicesAreAligned: 8 bytes and more are aligned to 8, also where a smaller
// slice has become so large.
func TestGrownSlicesAreAligned(t *testing.T) {
	a := arena.NewArena()
	for n := 1; n < 8; n++ {
		for _, grow := range []func(s []byte) []byte{
			func(s []byte) []byte { return arena.Append(a, s, 1) },
			func(s []byte) []byte { return arena.Append(a, s, make([]byte, 100)...) },
			func(s []byte) []byte { return arena.Grow(a, s, 100) },
			func(s []byte) []byte { return testkit.BytesAt(a.Realloc(testkit.DataOf(s), uintptr(n), 100, 1), 100) },
		} {
			arena.MakeSlice[byte](a, 1, 1)
			s := arena.MakeSlice[byte](a, n, n)
			for i := range s {
				s[i] = byte(i + 1)
			}
			g := grow(s)
			if at := uintptr(testkit.DataOf(g)); at%8 != 0 {
				t.Errorf("%d bytes at %x have grown from %d", cap(g), at, n)
			}
			for i := range s {
				if g[i] != byte(i+1) {
					t.Fatalf("%v grew to %v", s, g)
				}
			}
		}
	}
}
