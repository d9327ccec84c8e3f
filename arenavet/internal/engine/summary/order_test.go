package summary

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// TestSortForgetsTheOrder in which a summary was made: two summaries of the same function are equal, by which the
// analysis detects that it is done.
func TestSortForgetsTheOrder(t *testing.T) {
	var list []Flow
	for n := range 60 { // four of each length, so that two of the eighth would be among the first maxFlows
		list = append(list, Flow{Out: "#0" + strings.Repeat("*", n/4), ID: n})
	}
	first := &Summary{Results: slices.Clone(list), Late: []int{3, 1, 2}}
	first.Sort()
	if want := maxFlows / 4 * 4; len(first.Results) != want {
		t.Fatalf("%d results are left of %d, want %d", len(first.Results), len(list), want)
	}
	for range 100 {
		rand.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		s := &Summary{Results: slices.Clone(list), Late: []int{2, 3, 1}}
		if s.Sort(); !reflect.DeepEqual(s, first) {
			t.Fatalf("%v\nwant\n%v", s.Results, first.Results)
		}
	}
}

// TestNamesEnd: no name is longer than MaxPath.
func TestNamesEnd(t *testing.T) {
	s := &Sym{Param: 1}
	for n := 0; s != nil; n++ {
		if len(s.Path) > MaxPath || n > MaxPath {
			t.Fatalf("%d bytes: %s", len(s.Path), s.Path)
		}
		s = s.Add("*.next")
	}
}

// TestTextIsParsed: Parse reads the output of Text.
func TestTextIsParsed(t *testing.T) {
	const text = "#0*.Host=0 #1*[]=0*.list 0*[]+*[]=2 0*[in]- 12*.name+=3*.x&"
	if got := Parse(text).Text(); got != text {
		t.Errorf("%q, want %q", got, text)
	}
	s := Parse(text)
	if len(s.Results) != 2 || len(s.Stores) != 2 || len(s.Clears) != 1 {
		t.Errorf("%+v", s)
	}
	if want := (Store{Sym{12, "", "*.name"}, Flow{From: Sym{3, "", "*.x&"}}}); s.Stores[1] != want {
		t.Errorf("%+v, want %+v", s.Stores[1], want)
	}
}
