package arenajson

import (
	"encoding/json"
	"strconv"
	"sync"
	"testing"
	"time"
)

type tree map[string]tree

type textKey struct{ s string }

func (k textKey) MarshalText() ([]byte, error) { return []byte("<" + k.s + ">"), nil }

func newTree(depth int) tree {
	if depth == 0 {
		return nil
	}
	t := tree{}
	for i := range depth {
		t[strconv.Itoa(i*7%10)+"key"] = newTree(depth - 1)
	}
	return t
}

// TestWrittenMaps: maps of all kinds of keys, also inside of each other and written at the same time by
// several goroutines, are written as by encoding/json; without an order, they hold the same.
func TestWrittenMaps(t *testing.T) {
	anys := map[string]any{"b": map[string]any{"z": 1.0, "y": map[string]any{}, "x": nil}, "a": []any{map[string]any{"q": true, "p": false}}, "": tree(nil)}
	values := []any{newTree(6), anys, map[string]string{"b": "1", "a": "2", "<": ">"}, map[string]string{}, map[string]string(nil), map[int8]string{-5: "x", 3: "y", 127: "z"},
		map[uint64]map[int]bool{1: {2: true, -100000: false}, 1 << 63: nil}, map[textKey]int{{"b"}: 1, {"a"}: 2}, map[string]time.Duration{"a": 1, "b": 2},
		map[string]*tree{"nil": nil, "one": {}}, map[string][2]int{"b": {1, 2}, "a": {3, 4}}, map[string]struct{}{"a": {}, "b": {}}, map[int64]any{-1 << 63: 1, 5: tree{}}}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for range 20 {
				for _, v := range values {
					want, _ := json.Marshal(v)
					got, err := Append(nil, v, DefaultOptionsV1())
					if err != nil || string(got) != string(want) {
						t.Errorf("%s, %v, want %s", got, err, want)
					}
					got, err = Append(nil, v, DefaultOptionsV1(), Deterministic(false))
					var x any
					if err == nil {
						err = json.Unmarshal(got, &x)
					}
					if again, _ := json.Marshal(x); err != nil || canonical(again) != canonical(want) {
						t.Errorf("unordered: %s, %v, want %s", got, err, want)
					}
				}
			}
		})
	}
	group.Wait()
}

// canonical returns a JSON text with sorted names and numbers of one format.
func canonical(b []byte) string {
	var x any
	json.Unmarshal(b, &x)
	b, _ = json.Marshal(x)
	return string(b)
}
