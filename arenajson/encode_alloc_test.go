package arenajson

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestEncodingAllocatesNothing: with room in the destination nothing is allocated, even for maps, sorted or not.
func TestEncodingAllocatesNothing(t *testing.T) {
	type inner struct {
		S string            `json:"s"`
		M map[string]string `json:"m"`
	}
	type value struct {
		A []inner
		B map[string]inner
		C map[int64]float64
		D map[string]any
		E any
		F *inner
		G []float32
		H map[string]map[string][]int
		I json.Number
		J [3]bool
		K uint8 `json:"name <of> a member that is longer than a cache line allows for"`
		L string
		N float64 `json:",omitempty"`
		O int     `json:",string"`
	}
	i := inner{"text \"quoted\" und übrigens \xe2\x80\xa8<", map[string]string{"a": "b", "c": "d"}}
	v := &value{[]inner{i, i}, map[string]inner{"x": i, "y": {}}, map[int64]float64{1: 1.5, -1234567890123: 2, 1000: 0}, map[string]any{"a": 1.0, "b": []any{"c", true, nil}, "d": map[string]any{}},
		[]any{1.5}, &i, []float32{1.25, 3e30}, map[string]map[string][]int{"a": {"b": {1, 2}, "c": nil}, "d": nil}, "12.50", [3]bool{true, false, true}, 7, "", 0, -5}
	for _, c := range []struct {
		name string
		opts []Options
	}{{"v2", nil}, {"v1", []Options{DefaultOptionsV1()}}, {"sorted", []Options{Deterministic(true)}}} {
		dst, err := Append(nil, v, c.opts...)
		if err != nil {
			t.Fatal(err)
		}
		if want, _ := json.Marshal(v); c.name == "v1" && !bytes.Equal(dst, want) {
			t.Errorf("%s\nwant %s", dst, want)
		}
		if n := testing.AllocsPerRun(100, func() { dst, _ = Append(dst[:0], v, c.opts...) }); n >= 1 && testkit.Countable() {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}
