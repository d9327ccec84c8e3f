package encode

import (
	"reflect"
	"sync"
	"testing"

	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// TestKeptWalksHoldNothing: what writing a map has kept for the next doesn't refer to the map's values.
func TestKeptWalksHoldNothing(t *testing.T) {
	s := "x"
	m := map[string]*string{"a": &s, "b": &s}
	n := plan.Of(reflect.TypeOf(m))
	for _, set := range []option.Flags{option.Legacy | option.Deterministic, 0} {
		w := walkOf(n)
		n.Walks = &sync.Pool{New: func() any { return w }}
		if _, _, err := New(set).Append(nil, m); err != nil {
			t.Fatal(err)
		}
		if !w.key.IsZero() || !w.elem.IsZero() || len(w.sorted) > 0 {
			t.Errorf("kept: key %v, elem %v, %d entries", w.key, w.elem, len(w.sorted))
		}
		for i := range w.all.Len() {
			if !w.all.Index(i).IsZero() {
				t.Errorf("kept: element %v", w.all.Index(i))
			}
		}
		for _, x := range w.sorted[:cap(w.sorted)] {
			if x != (entry{}) {
				t.Errorf("kept: entry %v", x)
			}
		}
	}
}
