package arena_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/harena-go/arena"
)

// TestNilArenaAllocatesAsGoDoes: on the Go heap everything takes as many allocations
// as without this package.
func TestNilArenaAllocatesAsGoDoes(t *testing.T) {
	if !countable() {
		t.Skip("counts allocations")
	}
	type item struct {
		p *item
		s string
		n [6]int
	}
	var a *arena.Arena
	for _, n := range []int{2, 7, 31, 33, 100, 5000} {
		text := strings.Repeat("x", n)
		raw := []byte(text)
		items := make([]item, n)
		for name, f := range map[string][2]func(){
			"New":                {func() { sink = arena.New[item](a) }, func() { sink = new(item) }},
			"NewOf":              {func() { sink = arena.NewOf(a, item{s: text}) }, func() { sink = &item{s: text} }},
			"For":                {func() { sink = arena.For[item](a).New() }, func() { sink = new(item) }},
			"MakeSlice":          {func() { sink = &arena.MakeSlice[item](a, n, n)[0] }, func() { sink = &make([]item, n)[0] }},
			"Append":             {func() { sink = &arena.Append(a, items, item{})[0] }, func() { sink = &append(items, item{})[0] }},
			"CopySlice":          {func() { sink = &arena.CopySlice(a, items)[0] }, func() { sink = &append([]item{}, items...)[0] }},
			"AllocString":        {func() { textSink = a.AllocString(text) }, func() { textSink = strings.Clone(text) }},
			"AllocBytesToString": {func() { textSink = a.AllocBytesToString(raw) }, func() { textSink = string(raw) }},
			"Sprintf":            {func() { textSink = a.Sprintf("%s!", text) }, func() { textSink = fmt.Sprintf("%s!", text) }},
		} {
			if got, want := testing.AllocsPerRun(20, f[0]), testing.AllocsPerRun(20, f[1]); got != want {
				t.Errorf("%s of %d: %v heap allocations; want %v", name, n, got, want)
			}
		}
	}
	if s := a.AllocBytesToString(nil); s != "" {
		t.Errorf("AllocBytesToString of nothing: %q", s)
	}
}

var textSink string
