package model_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file fuzzes single functions: each does the same as its counterpart in Go, and leaves alone the rest of the
// arena.

// fuzzedSets are the kinds of arenas without a limit.
var fuzzedSets = slices.DeleteFunc(slices.Clone(optionSets), func(s optionSet) bool { return s.limit > 0 || s.untrusted })

// fuzzed returns an arena of one of these kinds, or nil.
func fuzzed(kind byte) *arena.Arena {
	i := int(kind) % (len(fuzzedSets) + 1)
	if i == len(fuzzedSets) {
		return nil
	}
	return (&world{set: fuzzedSets[i]}).newRoot().a
}

// addKinds adds seeds, one for each kind of arena.
func addKinds(f *testing.F, args ...any) {
	for kind := range byte(len(fuzzedSets) + 1) {
		f.Add(append([]any{kind}, args...)...)
	}
}

// neighbours are values around the one that a test is about.
type neighbours struct {
	p *[3]uint64
	s []byte
	q []*int
}

func newNeighbours(a *arena.Arena) neighbours {
	return neighbours{
		arena.NewOf(a, [3]uint64{1, 2, 3}), arena.Append(a, nil, []byte("the slice before")...), arena.Append(a, nil, &testkit.Decoy, &testkit.Decoy),
	}
}

func (n neighbours) check(t *testing.T) {
	t.Helper()
	if *n.p != [3]uint64{1, 2, 3} || string(n.s) != "the slice before" || n.q[0] != &testkit.Decoy || n.q[1] != &testkit.Decoy {
		t.Fatalf("a neighbour was overwritten: %v, %q, %v", *n.p, n.s, n.q)
	}
}

// FuzzSprintf compares with fmt.Sprintf.
func FuzzSprintf(f *testing.F) {
	addKinds(f, "%d %s %5.2f %v", "text", 42, 1.5)
	f.Add(byte(0), "%300d|%!|%[5]*d", "x", -1, math.Inf(1))
	f.Add(byte(1), "%s%d%f%p", "x", 0, 0.5)
	f.Fuzz(func(t *testing.T, kind byte, format, s string, n int, x float64) {
		if strings.Count(format, "%") > 8 || len(format) > 1000 { // widths of a million add up
			return
		}
		a := fuzzed(kind)
		near := newNeighbours(a)
		list := []string{s} // the same one for both, for %p
		got := a.Sprintf(format, s, n, x, list)
		near.s = arena.Append(a, near.s, '!')
		if want := fmt.Sprintf(format, s, n, x, list); got != want {
			t.Fatalf("%q; want %q", got, want)
		}
		near.s = near.s[:len(near.s)-1]
		near.check(t)
	})
}

// FuzzAppendSeq compares with slices.AppendSeq. The sequence allocates too.
func FuzzAppendSeq(f *testing.F) {
	addKinds(f, []byte("sequence"), 3)
	f.Fuzz(func(t *testing.T, kind byte, data []byte, have int) {
		a := fuzzed(kind)
		near := newNeighbours(a)
		data = data[:min(len(data), 300)]
		have = min(max(have, 0), len(data))
		seq := func(yield func(string) bool) {
			for i, b := range data {
				arena.MakeSlice[byte](a, int(b)%9, int(b)%9)
				if !yield(a.AllocString(string(data[:i]))) {
					return
				}
			}
		}
		var some []string
		for range have {
			some = append(some, "before")
		}
		got, want := arena.AppendSeq(a, arena.CopySlice(a, some), seq), slices.AppendSeq(slices.Clone(some), seq)
		all := arena.Collect(a, seq)
		if !slices.Equal(got, want) || !slices.Equal(all, want[have:]) || (all == nil) != (len(data) == 0) {
			t.Fatalf("AppendSeq: %q, Collect: %q; want %q", got, all, want)
		}
		near.check(t)
	})
}
