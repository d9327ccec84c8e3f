package promises_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
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
			"Box, small number":  {func() { testkit.Sink = arena.Box(a, n%256) }, func() { testkit.Sink = n % 256 }},
			"Box":                {func() { testkit.Sink = arena.Box(a, text) }, func() { testkit.Sink = text }},
			"Concat":             {func() { textSink = arena.Concat(a, text, text) }, func() { textSink = text + text }},
			"Join of one":        {func() { textSink = arena.Join(a, []string{text}, ",") }, func() { textSink = strings.Join([]string{text}, ",") }},
			"Text":               {func() { textSink = a.Text().Str(text[:2]).Byte('!').String() }, func() { textSink = text[:2] + "!" }},
			"ToUpper":            {func() { textSink = a.ToUpper(text) }, func() { textSink = strings.ToUpper(text) }},
			"Replace":            {func() { textSink = a.Replace(text, "x", "yy", 1) }, func() { textSink = strings.Replace(text, "x", "yy", 1) }},
			"Repeat":             {func() { textSink = a.Repeat(text, 2) }, func() { textSink = strings.Repeat(text, 2) }},
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

// TestNilArenaGrowsAsGoDoes: slices of a nil arena grow by the steps of the builtin append, and what
// takes no memory has a limit too.
func TestNilArenaGrowsAsGoDoes(t *testing.T) {
	var a *arena.Arena
	var got, want []*int
	for range 300 {
		got, want = arena.Append(a, got, nil), append(want, nil)
		growing = [2][]*int{got, want} // on the heap: the builtin's first one on the stack has room for more
		if len(got) != len(want) || cap(got) != cap(want) {
			t.Fatalf("length %d: capacity %d; the builtin's is %d", len(got), cap(got), cap(want))
		}
	}
	most := make([]struct{}, math.MaxInt)
	testkit.WantPanic(t, func() { arena.Append(a, most, struct{}{}) }, "arena: Append")
}

var (
	textSink string
	growing  [2][]*int
)
