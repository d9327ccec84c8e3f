package deepclone_test

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

func TestDeepCloneOfLongLists(t *testing.T) {
	if testing.Short() && testkit.Sanitized {
		t.Skip("large graphs take half a minute with a sanitizer, which looks at each word")
	}
	const n = 1_000_000
	first := &listNode{}
	last := first
	for i := 1; i < n; i++ {
		last.next = &listNode{value: i}
		last = last.next
	}
	last.next = first
	start := time.Now()
	c := arena.DeepClone(first)
	t.Logf("%d nodes: %v, %d ns each", n, time.Since(start), time.Since(start).Nanoseconds()/int64(n))
	p := c
	for i := range n {
		if p.value != i {
			t.Fatalf("value %d, want %d", p.value, i)
		}
		p = p.next
	}
	if p != c || c == first {
		t.Error("the list is not closed")
	}
}

// In a large graph, too, a struct comes before its first field, whichever was met first.
func TestDeepCloneOfManyInteriorPointers(t *testing.T) {
	type pair struct {
		field *string
		whole *holder
	}
	var pairs []pair
	for range 1000 {
		h := &holder{tail: pointerTo(1)}
		pairs = append(pairs, pair{&h.head, h})
	}
	for i, p := range arena.DeepClone(pairs) {
		if p.field != &p.whole.head || p.whole == pairs[i].whole || *p.whole.tail != 1 {
			t.Fatal("field and struct were cloned apart")
		}
	}
}

func TestDeepCloneKeepsNothingAlive(t *testing.T) {
	var sources []weak.Pointer[listNode]
	done := make(chan bool)
	go func() { // so that nothing is left on this stack
		var list []*listNode
		for range 100 {
			list = append(list, &listNode{})
			sources = append(sources, weak.Make(list[len(list)-1]))
		}
		arena.DeepClone(list)
		arena.DeepClone(map[int]*listNode{1: list[1]})
		arena.DeepClone(list[0])
		close(done)
	}()
	<-done
	runtime.GC()
	for i, n := range sources {
		if n.Value() != nil {
			t.Fatalf("source %d is still reachable", i)
		}
	}
}

// Slices that overlap a lot must not take quadratic time, neither to survey nor to check
// against the struct that they are part of.
func TestDeepCloneOfManySlicesIsFast(t *testing.T) {
	if testing.Short() && testkit.Sanitized {
		t.Skip("large graphs take half a minute with a sanitizer, which looks at each word")
	}
	const n = 100_000
	base := make([]*int, n)
	for i := range base {
		base[i] = &i
	}
	type big struct{ all [n]*int }
	inStruct := &big{[n]*int(base)}
	var suffixes, prefixes, windows [][]*int
	var inner []any
	inner = append(inner, inStruct)
	for i := range n {
		suffixes = append(suffixes, base[i:])
		prefixes = append(prefixes, base[:i])
		windows = append(windows, base[i/2:n/2+i/2])
		inner = append(inner, inStruct.all[i:])
	}
	s, w, in := arena.DeepClone(suffixes), arena.DeepClone(windows), arena.DeepClone(inner)
	arena.DeepClone(prefixes)
	if &s[n-1][0] != &s[0][n-1] || &w[n-1][0] != &w[1][n/2-1] || &in[5].([]*int)[0] != &in[0].(*big).all[4] {
		t.Error("slices do not overlap")
	}
	var pairs [][]*int
	for range n {
		pairs = append(pairs, []*int{base[0], base[1]})
	}
	apart := timeOf(func() { arena.DeepClone(pairs) })
	if overlapping := timeOf(func() { arena.DeepClone(suffixes) }); overlapping > 30*apart { // quadratic: thousands
		t.Errorf("%v for slices that overlap, %v for slices apart", overlapping, apart)
	}
}

// timeOf returns the shortest of three times, of CPU.
func timeOf(f func()) time.Duration {
	shortest := time.Hour
	for range 3 {
		shortest = min(shortest, testkit.Took(f))
	}
	return shortest
}
