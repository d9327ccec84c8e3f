package shapes

import (
	"encoding/json"
	"os"
	"runtime"
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

func TestCollected(t *testing.T) {
	root := Parse("some words")
	if runtime.GC(); last.Value() != nil {
		t.Error("it is still there")
	}
	runtime.KeepAlive(root)
}

// TestFlaky fails the first time and each second time after, if it gets a file to count in.
func TestFlaky(t *testing.T) {
	name := os.Getenv("SHAPES_FLAKY")
	if name == "" {
		return
	}
	runs, _ := os.ReadFile(name)
	if err := os.WriteFile(name, append(runs, '.'), 0o666); err != nil || len(runs)%2 == 0 {
		t.Errorf("run %d, %v", len(runs), err)
	}
}
