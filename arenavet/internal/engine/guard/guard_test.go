package guard

import (
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ssa"
)

func newGuard() *Guard {
	return New(&analysis.Pass{Analyzer: &analysis.Analyzer{Name: "test"}, Pkg: types.NewPackage("p", "p")})
}

// TestPanic gives up the function in which an analysis panics, and no other, and reports it.
func TestPanic(t *testing.T) {
	var out strings.Builder
	defer func(strict bool) { Strict, Stats = strict, nil }(Strict)
	Strict, Stats = false, &out
	g, bad, good := newGuard(), newFunction(), newFunction()
	if g.Run(bad, func() { panic("planted") }) || !g.GivenUp(bad) {
		t.Error("the function isn't given up")
	}
	if g.Run(bad, func() { t.Error("it is looked at again") }) {
		t.Error("it has come to its end")
	}
	if !g.Run(good, func() {}) || g.GivenUp(good) {
		t.Error("the other one is given up")
	}
	g.Done()
	if !strings.Contains(out.String(), "arenavet: p: test: 1 functions analyzed, 1 given up") || !strings.Contains(out.String(), "panic: planted") {
		t.Errorf("got %q", &out)
	}
}

// TestTold: users get a message about functions that were given up, once for each, and one explanation.
func TestTold(t *testing.T) {
	var out strings.Builder
	defer func(strict bool) { Strict, Told = strict, nil }(Strict)
	Strict, Told = false, &out
	for range 2 { // by two analyzers
		g := newGuard()
		for _, fn := range []*ssa.Function{newFunction(), newFunction()} {
			g.Run(fn, func() { g.Stop() })
		}
		g.Done()
	}
	if got := out.String(); strings.Count(got, "too much to look at") != 1 || strings.Count(got, "is taken to be in the arena") != 1 {
		t.Errorf("got %q", got)
	}
	if !strings.HasPrefix(out.String(), "arenavet: p: not followed: ") {
		t.Errorf("got %q", &out)
	}
}

// TestStrict lets panics through, so that tests see them.
func TestStrict(t *testing.T) {
	defer func() {
		if recover() != "planted" {
			t.Error("nobody sees the panic")
		}
	}()
	newGuard().Run(newFunction(), func() { panic("planted") })
}

// TestSpend ends an endless loop.
func TestSpend(t *testing.T) {
	g, fn := newGuard(), newFunction()
	if g.Run(fn, func() {
		for {
			g.Spend(1)
		}
	}) || !g.GivenUp(fn) {
		t.Error("the function isn't given up")
	}
	if !g.Run(newFunction(), func() { g.Spend(1000) }) {
		t.Error("there is nothing left for the next one")
	}
}

func newFunction() *ssa.Function {
	return &ssa.Function{Signature: types.NewSignatureType(nil, nil, nil, nil, nil, false)}
}
