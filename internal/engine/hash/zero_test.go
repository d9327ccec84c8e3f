package hash

import (
	"fmt"
	"testing"
)

// TestZeroHasher: the zero Hasher, that of a table without keys, takes keys of all types.
func TestZeroHasher(t *testing.T) {
	zero(t, 1)
	zero(t, "short")
	zero(t, fmt.Sprint("of more than 48 bytes, which are hashed ", t, t, t))
	zero(t, 1.5)
	zero(t, float32(1.5))
	zero(t, 1i)
	zero(t, [2]int64{1, 2})
	zero(t, [3]byte{1, 2, 3})
	zero(t, [9]int64{1, 2, 3})
	zero(t, struct{}{})
	zero(t, any("text"))
	zero(t, t)
	zero(t, any(nil))
	zero(t, [2]any{1, nil})
	zero(t, struct {
		s string
		v any
	}{"text", 1})
	defer func() {
		if v := fmt.Sprint(recover()); v == "<nil>" || v == "maphash: use of uninitialized Seed" {
			t.Errorf("panic %s for a key that can't be hashed", v)
		}
	}()
	var h Hasher
	Of(&h, any([]int{1}))
}

func zero[K comparable](t *testing.T, k K) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("%T: %v", k, v)
		}
	}()
	var h Hasher
	Of(&h, k)
}
