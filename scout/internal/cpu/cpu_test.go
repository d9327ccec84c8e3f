package cpu

import (
	"math"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/harena-go/arena/scout/internal/probe"
)

// made returns a CPU profile of stacks, "inner outer": each has a line of its own, and the given nanoseconds.
func made(stacks map[string]int64) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}}
	for stack, ns := range stacks {
		s := &profile.Sample{Value: []int64{1, ns}}
		for _, name := range strings.Fields(stack) {
			file := "/other/x.go"
			if strings.HasPrefix(name, "example.com/p.") {
				file = "/p/p.go"
			}
			f := &profile.Function{Name: name, Filename: file}
			s.Location = append(s.Location, &profile.Location{Line: []profile.Line{{Function: f, Line: 7}}})
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

func owns(file string) bool { return strings.HasPrefix(file, "/p/") }

// TestRead: the module's innermost line has the allocator's CPU, without its work for the collector.
func TestRead(t *testing.T) {
	u := Read(made(map[string]int64{
		"runtime.mallocgc runtime.newobject example.com/p.make example.com/p.Unit testing.x":             30,
		"runtime.mallocgc strings.Clone example.com/p.Unit testing.x":                                    10,
		"runtime.scanobject runtime.gcDrain runtime.gcBgMarkWorker":                                      15,
		"runtime.gcAssistAlloc runtime.mallocgc runtime.newobject example.com/p.make example.com/p.Unit": 5,
		"runtime.mallocgc example.com/p.prepare testing.x":                                               20,
		"example.com/p.Unit testing.x":                                                                   20,
	}), "example.com/p.Unit", owns)
	line := func(function string) float64 { return u.At[Line(probe.Frame{Function: function, Line: 7})] }
	for name, x := range map[string][2]float64{
		"allocator": {u.Allocator, 0.6}, "GC": {u.GC, 0.2}, "unit": {u.Unit, 0.65},
		"make": {line("example.com/p.make"), 0.3}, "Unit": {line("example.com/p.Unit"), 0.1}, "outside of units": {line("example.com/p.prepare"), 0},
	} {
		if math.Abs(x[0]-x[1]) > 1e-9 {
			t.Errorf("%s: %v, want %v", name, x[0], x[1])
		}
	}
	if u.Samples != 6 {
		t.Errorf("%d samples", u.Samples)
	}
}

// TestElsewhere: a profile from another machine has other paths, and all callers may be the line.
func TestElsewhere(t *testing.T) {
	u := Read(made(map[string]int64{"runtime.mallocgc strings.Clone example.com/q.make example.com/q.Serve": 10}), "", owns)
	for _, name := range []string{"strings.Clone", "example.com/q.make", "example.com/q.Serve"} {
		if u.At[Line(probe.Frame{Function: name, Line: 7})] != 1 {
			t.Errorf("%s: %v", name, u.At)
		}
	}
	if u := Read(&profile.Profile{SampleType: []*profile.ValueType{{Type: "alloc_space"}}}, "", owns); u.Samples != 0 || u.GC != 0 {
		t.Errorf("of a memory profile: %+v", u)
	}
}

// TestPrice: an object costs something, and a large one no less than a small one.
func TestPrice(t *testing.T) {
	if p := Calibrate(); p.Object <= 0 || p.Byte < 0 || p.Of(10, 1000) < p.Of(10, 100) {
		t.Errorf("%+v", p)
	}
}
