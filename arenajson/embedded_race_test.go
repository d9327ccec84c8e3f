package arenajson_test

import (
	"encoding/json"
	"testing"

	"github.com/harena-go/arena/arenajson"
)

// TestEmbeddedPointerAtTheEnd: a struct is written under checkptr even if its last field, in an embedded pointer's
// struct, has a larger offset there than the size of the pointer's own struct.
func TestEmbeddedPointerAtTheEnd(t *testing.T) {
	type Product struct{ A, B, C, D, Name string }
	type hit struct {
		*Product
		Score float64
	}
	for _, v := range []any{&hit{&Product{Name: "n"}, 1}, &hit{}, hit{&Product{Name: "n"}, 1}} {
		got, err := arenajson.Marshal(nil, v)
		if want, _ := json.Marshal(v); string(got) != string(want) || err != nil {
			t.Errorf("%s (%v), not %s", got, err, want)
		}
	}
}
