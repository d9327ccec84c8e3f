package search

import (
	"runtime"
	"strings"
	"testing"
)

// TestText: a path reads well in several lines and in one, and unknown parts are called unknown.
func TestText(t *testing.T) {
	at := func(function, file string, line int) []runtime.Frame {
		return []runtime.Frame{{Function: function, File: "/src/" + file, Line: line}}
	}
	target := Step{Kind: Target, Addr: 0x3000, Where: at("main.read", "main.go", 77)}
	for _, c := range []struct {
		line  string
		lines []string
		steps []Step
	}{
		{
			"global main.cache <- map <- main.Session.order <- escaped value allocated at main.go:77",
			[]string{
				"held by: global main.cache (map[string]*main.Session)",
				"  -> map entry (map[string]*main.Session) value",
				"  -> *main.Session .order (offset 16), allocated by main.put (cache.go:31)",
				"  -> the escaped value at 0x3000, allocated by main.read (main.go:77)",
			},
			[]Step{
				{Kind: Global, Name: "main.cache", Type: "map[string]*main.Session", Addr: 0x100},
				{Kind: Map, Type: "map[string]*main.Session", Field: "value", Addr: 0x200, Offset: 24},
				{Kind: Object, Type: "*main.Session", Field: ".order", Addr: 0x300, Size: 32, Offset: 16, Where: at("main.put", "cache.go", 31)},
			},
		}, {
			"global at 0x100 <- heap object of 48 bytes <- ... <- timer <- closure main.f.func1 <- escaped value allocated at main.go:77",
			[]string{
				"held by: global at 0x100 (offset 8), used by main.f (f.go:1)",
				"  -> heap object of 48 bytes at 0xc000 (type unknown), offset 8",
				"  -> ... 17 more objects ...",
				"  -> timer",
				"  -> closure main.f.func1",
				"  -> the escaped value at 0x3000, allocated by main.read (main.go:77)",
				"  (" + NamesHint + ")",
			},
			[]Step{
				{Kind: Global, Addr: 0x100, Offset: 8, Where: at("main.f", "f.go", 1)},
				{Kind: Object, Addr: 0xC000, Size: 48, Offset: 8},
				{Kind: Omitted, Name: "17"},
				{Kind: Timer, Addr: 0xC100, Size: 64},
				{Kind: Closure, Name: "main.f.func1", Offset: 8},
			},
		}, {
			"stack of goroutine 7 [chan receive] in main.work (work.go:12) <- channel <- escaped value allocated at main.go:77",
			[]string{
				"held by: stack of goroutine 7 [chan receive], in main.work (work.go:12)",
				"  -> channel (chan *main.Order) [1]",
				"  -> the escaped value at 0x3000, allocated by main.read (main.go:77)",
			},
			[]Step{
				{Kind: Stack, Name: "goroutine 7 [chan receive]", Offset: 40, Where: at("main.work", "work.go", 12)},
				{Kind: Channel, Type: "chan *main.Order", Field: "[1]", Offset: 8},
			},
		}, {
			"global main.cache <- map <- the runtime's record of goroutine 1 <- escaped value allocated at main.go:77",
			[]string{
				"held by: global main.cache",
				"  -> map entry",
				"  -> the runtime's record of goroutine 1",
				"  -> the escaped value at 0x3000, allocated by main.read (main.go:77)",
			},
			[]Step{
				{Kind: Global, Name: "main.cache", Addr: 0x100},
				{Kind: Map, Addr: 0x200},
				{Kind: Object, Name: "the runtime's record of goroutine 1", Addr: 0x300},
			},
		},
	} {
		p := Path{append(c.steps, target)}
		if got := p.Line(); got != c.line {
			t.Errorf("got  %s\nwant %s", got, c.line)
		}
		if got, want := p.String(), strings.Join(c.lines, "\n"); got != want {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	}
}
