package arena

import (
	"bytes"
	"fmt"
	"log"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/harena-go/arena/internal/inspect"
)

// TestEscapeSaysWhat: what has escaped is a value where that is known, and else a chunk.
func TestEscapeSaysWhat(t *testing.T) {
	stack := []runtime.Frame{{Function: "main.f", File: "f.go", Line: 7}}
	for want, e := range map[string]Escape{
		"main.order (24 bytes) in arena \"a\" is still referenced, 1 GC cycle after": {Type: "main.order", Size: 24, Arena: "a", Cycles: 1, Allocated: stack},
		"a chunk of 4096 bytes for main.order in arena is still":                     {Type: "main.order", Size: 4096, Cycles: 3},
		"a chunk of 4096 bytes for values without pointers in arena is still":        {Size: 4096},
		"a value among 96 bytes in arena was written to":                             {Type: selfContained, Size: 96, Written: true},
	} {
		if got := e.String(); !strings.HasPrefix(got, "ARENA ESCAPE: "+want) {
			t.Errorf("%s; want %s", got, want)
		}
	}
}

// TestDefaultLogIsBounded: there are ten lines a minute, and 1,000 in all.
func TestDefaultLogIsBounded(t *testing.T) {
	var out bytes.Buffer
	defer log.SetOutput(log.Writer())
	log.SetOutput(&out)
	var l escapeLogger
	kinds := 0
	escapeMore := func(n int) (lines int) {
		out.Reset()
		for range n {
			kinds++
			l.write(Escape{Type: fmt.Sprint("T", kinds)})
		}
		return strings.Count(out.String(), "arena: escape")
	}
	if n := escapeMore(30); n != logMinute {
		t.Errorf("%d lines in the first minute", n)
	}
	l.since = l.since.Add(-59 * time.Second)
	if n := escapeMore(30); n != 0 {
		t.Errorf("%d more lines in the first minute", n)
	}
	for minute := 2; minute <= logKinds/logMinute; minute++ {
		l.since = l.since.Add(-time.Minute)
		if n := escapeMore(30); n != logMinute {
			t.Fatalf("%d lines in minute %d", n, minute)
		}
	}
	l.since = l.since.Add(-time.Minute)
	if n := escapeMore(30); n != 0 {
		t.Errorf("%d lines after the last one", n)
	}
}

// TestAllEscapes: arenatest's Main is told of escapes from arenas without a handler.
func TestAllEscapes(t *testing.T) {
	FindEscapes() // of other tests
	var mu sync.Mutex
	var got []any
	all := func(e any) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, e)
	}
	defer inspect.All.Store(inspect.All.Swap(&all))
	a := NewArena(WithChecks(CheckObjects), WithName("without a handler"))
	p := New[int](a)
	a.Reset()
	FindEscapes()
	runtime.KeepAlive(p)
	mu.Lock()
	defer mu.Unlock()
	if len(got) != 1 {
		t.Fatalf("%d escapes", len(got))
	}
	if e, ok := got[0].(Escape); !ok || e.Arena != "without a handler" || e.Type != "int" {
		t.Errorf("%v", got[0])
	}
}
