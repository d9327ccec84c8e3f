package shapes

import (
	"encoding/json"
	"testing"
)

const want = `{"Name":"list","Kids":[`

var kept *Node

func BenchmarkParse(b *testing.B) {
	for b.Loop() {
		kept = Parse("some words to parse")
		kept = nil
	}
}

func TestParse(t *testing.T) {
	text, err := json.Marshal(Parse("some words"))
	if err != nil || string(text[:len(want)]) != want || len(text) < 500 {
		t.Errorf("%s, %v", text, err)
	}
	if n := tested("x"); n.Name != "x" {
		t.Error(n)
	}
	if n := aValue("x"); n.Name != "x" {
		t.Error(n)
	}
}
