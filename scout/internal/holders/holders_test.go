package holders

import (
	"runtime"
	"testing"

	"github.com/harena-go/arena/internal/diagnose/holder"
	"github.com/harena-go/arena/scout/internal/probe"
)

func stack(functions ...string) (frames []runtime.Frame) {
	for i, name := range functions {
		frames = append(frames, runtime.Frame{Function: name, File: "/p/p.go", Line: i + 1})
	}
	return frames
}

// TestStacks: innermost finds the innermost call outside the runtime, and a path may begin anywhere on a stack.
func TestStacks(t *testing.T) {
	s := stack("runtime.mallocgc", "internal/runtime/maps.NewMap", "p.f", "p.Unit", "main.main")
	if f, ok := innermost(s); !ok || f.Function != "p.f" {
		t.Errorf("%+v", f)
	}
	if _, ok := innermost(stack("runtime.main")); ok {
		t.Error("the runtime's own has a line")
	}
	path := []probe.Frame{{File: "/p/p.go", Line: 3}, {File: "/p/p.go", Line: 4}}
	if !along(s, path) || along(s, []probe.Frame{path[1], path[0]}) || along(s[:3], path) || along(nil, path) {
		t.Error("a path is on a stack if its lines follow each other there")
	}
	if !isMap(s) || isMap(s[2:]) || isChannel(s) || !isChannel(stack("runtime.mallocgc", "runtime.makechan", "p.f")) {
		t.Error("what the runtime's calls make")
	}
	if len(frames(s)) != 2 {
		t.Errorf("%v", frames(s))
	}
}

// TestNames: names are short at home, and roots of benchmarks are known.
func TestNames(t *testing.T) {
	c := &Census{Home: "example.com/p"}
	if got := c.short("example.com/p.Cache"); got != "Cache" {
		t.Error(got)
	}
	for name, want := range map[string]bool{"p.BenchmarkX": true, "p.TestX.func1": true, "p.Handle": false} {
		if got := ofTest(holder.Hold{Kind: holder.Stack, Name: name}); got != want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if short, full := c.words(nil, probe.Frame{}); short == "" || full != "" {
		t.Errorf("of no way: %q, %q", short, full)
	}
}
