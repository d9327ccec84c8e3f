package collections_test

import (
	"testing"

	"github.com/harena-go/arena/collections"
)

// TestZeroMapHasNothing: a zero Map or Set has no key of any type, and deleting one does nothing.
func TestZeroMapHasNothing(t *testing.T) {
	hasNothing(t, 1)
	hasNothing(t, uint8(1))
	hasNothing(t, "text")
	hasNothing(t, 1.5)
	hasNothing(t, 1i)
	hasNothing(t, t)
	hasNothing(t, any("text"))
	hasNothing(t, [2]int64{1, 2})
	hasNothing(t, [9]int64{1, 2, 3})
	hasNothing(t, struct{}{})
	hasNothing(t, struct {
		s string
		f float32
	}{"text", 1})
}

func hasNothing[K comparable](t *testing.T, k K) {
	t.Helper()
	defer func() {
		if v := recover(); v != nil {
			t.Errorf("%T: %v", k, v)
		}
	}()
	var m collections.Map[K, int]
	var s collections.Set[K]
	if _, ok := m.Get(k); ok || m.Has(k) || s.Has(k) || s.Delete(k) {
		t.Errorf("%T: it is there", k)
	}
	m.Delete(k)
	if _, ok := m.LoadAndDelete(k); ok {
		t.Errorf("%T: it was there", k)
	}
	m.Clear()
	for range m.All() {
		t.Errorf("%T: an entry", k)
	}
	m.Set(k, 1)
	if v, _ := m.Get(k); v != 1 || m.Len() != 1 || !s.Add(k) || !s.Has(k) {
		t.Errorf("%T: it isn't there", k)
	}
}
