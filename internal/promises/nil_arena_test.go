package promises_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/testkit"
)

// TestNilArenaAllocatesAsGoDoes: on the Go heap everything takes as many allocations
// as without this package.
func TestNilArenaAllocatesAsGoDoes(t *testing.T) {
	if !testkit.Countable() {
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
			"New":                {func() { testkit.Sink = arena.New[item](a) }, func() { testkit.Sink = new(item) }},
			"NewOf":              {func() { testkit.Sink = arena.NewOf(a, item{s: text}) }, func() { testkit.Sink = &item{s: text} }},
			"For":                {func() { testkit.Sink = arena.For[item](a).New() }, func() { testkit.Sink = new(item) }},
			"MakeSlice":          {func() { testkit.Sink = &arena.MakeSlice[item](a, n, n)[0] }, func() { testkit.Sink = &make([]item, n)[0] }},
			"Append":             {func() { testkit.Sink = &arena.Append(a, items, item{})[0] }, func() { testkit.Sink = &append(items, item{})[0] }},
			"CopySlice":          {func() { testkit.Sink = &arena.CopySlice(a, items)[0] }, func() { testkit.Sink = &append([]item{}, items...)[0] }},
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
