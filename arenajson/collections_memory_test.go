package arenajson_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A shelf is a value that a self-contained arena holds without help of the Go heap.
type shelf struct {
	M collections.Map[string, *collections.Map[int64, string]] `json:"m"`
	S collections.Slice[collections.Map[string, []string]]     `json:"s"`
	P *shelf                                                   `json:"p"`
	B collections.Slice[byte]                                  `json:"b"`
}

// shelfText returns a shelf whose texts begin with a word, and that has n of each.
func shelfText(word string, n int) []byte {
	var b strings.Builder
	b.WriteString(`{"m":{`)
	for i := range n {
		fmt.Fprintf(&b, `"%s-%d":{"%d":"%s\n%d"},`, word, i, i, word, i)
	}
	b.WriteString(`"last":null},"s":[{}`)
	for i := range n {
		fmt.Fprintf(&b, `,{"%s %d":["a%d","b"]}`, word, i, i)
	}
	b.WriteString(`],"b":"aGk=","p":{"m":{"in":{"7":"x"}}}}`)
	return []byte(b.String())
}

// checkShelf fails the test if a shelf isn't what shelfText says.
func checkShelf(t *testing.T, s *shelf, word string, n int) {
	t.Helper()
	if s.M.Len() != n+1 || s.S.Len() != n+1 || string(s.B.Slice()) != "hi" {
		t.Fatalf("%d, %d entries, %q", s.M.Len(), s.S.Len(), s.B.Slice())
	}
	for i := range n {
		m, ok := s.M.Get(fmt.Sprint(word, "-", i))
		if !ok || m.Len() != 1 {
			t.Fatalf("%s-%d is missing", word, i)
		}
		if v, _ := m.Get(int64(i)); v != fmt.Sprint(word, "\n", i) {
			t.Fatalf("%d: %q", i, v)
		}
		if v, _ := s.S.Slice()[i+1].Get(fmt.Sprint(word, " ", i)); len(v) != 2 || v[0] != fmt.Sprint("a", i) {
			t.Fatalf("%d: %q", i, v)
		}
	}
	in, _ := s.P.M.Get("in")
	if v, _ := in.Get(7); v != "x" {
		t.Fatalf("inside: %q", v)
	}
}

// TestContainersOfOtherArenas: a container with memory keeps its arena, and its new contents are allocated
// there all the way down: they outlive the decoder's arena.
func TestContainersOfOtherArenas(t *testing.T) {
	for name, own := range map[string]*arena.Arena{"heap": nil, "default": arena.NewArena(), "self-contained": arena.NewArena(arena.WithNoScan())} {
		type both struct {
			M *collections.Map[string, []*string] `json:"m"`
			S *collections.Slice[any]             `json:"s"`
			X string                              `json:"x"`
		}
		b := both{M: collections.NewMap[string, []*string](own, 1), S: collections.NewSlice[any](own, 1)}
		for round := range 5 {
			a := arena.NewArena(arena.WithNoScan())
			text := fmt.Appendf(nil, `{"m":{"k%d":["a","b%d"],"k0":["first"]},"s":["x",[%d,"y"],%d],"x":"here"}`, round+1, round, round, round)
			if err := arenajson.Unmarshal(a, text, &b, arenajson.ReferenceInput(true)); err != nil {
				t.Fatal(err)
			}
			if !a.Owns(reflect.ValueOf(&b.X).Elem().Addr().UnsafePointer()) && b.X != "here" {
				t.Error(b.X)
			}
			clear(text)
			a.Reset()
			if used := a.UsedBytes(); used != 0 {
				t.Error(used)
			}
			for range 100 {
				a.AllocString("something else to lie where it was")
			}
			testkit.Churn()
			if v, _ := b.M.Get(fmt.Sprint("k", round+1)); len(v) != 2 || *v[0] != "a" || *v[1] != fmt.Sprint("b", round) {
				t.Errorf("%s: %v", name, v)
			}
			if v, _ := b.M.Get("k0"); len(v) != 1 || *v[0] != "first" || b.M.Len() != round+2 {
				t.Errorf("%s: %v, %d", name, v, b.M.Len())
			}
			if got := fmt.Sprint(b.S); got != fmt.Sprintf("[x [%d y] %d]", round, round) {
				t.Errorf("%s: %s", name, got)
			}
		}
	}
}

// TestForeignContainers: a container of a self-contained arena refuses what might put pointers to the heap
// into it, also if the decoder's arena takes them.
func TestForeignContainers(t *testing.T) {
	own := arena.NewArena(arena.WithNoScan())
	m := collections.NewMap[string, foreign](own, 1)
	s := collections.NewSlice[*foreign](own, 1)
	for _, opts := range containedOptions {
		for _, a := range []*arena.Arena{nil, arena.NewArena()} {
			err := arenajson.Unmarshal(a, []byte(`{"x":5}`), m, opts...)
			if err == nil || !strings.Contains(err.Error(), "foreign") || m.Len() != 0 {
				t.Error(err)
			}
			err = arenajson.Unmarshal(a, []byte(`[5]`), s, opts...)
			if err == nil || !strings.Contains(err.Error(), "foreign") || s.Len() != 0 {
				t.Error(err)
			}
		}
	}
	var zero collections.Map[string, foreign]
	if err := arenajson.Unmarshal(arena.NewArena(), []byte(`{"x":5}`), &zero); err != nil || zero.Len() != 1 {
		t.Error(err)
	}
	if err := arenajson.Unmarshal(own, []byte(`{}`), new(collections.Map[string, foreign])); err == nil {
		t.Error("it is not refused")
	}
}

// TestContainersOverBudget: the error is the arena's, and the container is one still.
func TestContainersOverBudget(t *testing.T) {
	text := shelfText("word", 300)
	failed, passed := 0, 0
	for limit := 1000; limit < 2_000_000; limit += 9777 {
		a := arena.NewArena(arena.WithLimit(limit), arena.WithChunkSize(256), arena.WithMaxChunkSize(1024))
		var s shelf
		err := arenajson.Unmarshal(a, text, &s)
		if err == nil {
			checkShelf(t, &s, "word", 300)
			passed++
			continue
		}
		failed++
		var over *arena.LimitError
		if !errors.As(err, &over) {
			t.Fatalf("limit %d: %v", limit, err)
		}
		for k := range s.M.All() {
			if !s.M.Has(k) {
				t.Fatalf("limit %d: %q is lost", limit, k)
			}
		}
	}
	if failed < 10 || passed < 10 {
		t.Errorf("%d limits were too small, %d were not", failed, passed)
	}
}

// TestContainersTakeNoHeap: in a warm arena, decoding and encoding allocate nothing on the Go heap.
func TestContainersTakeNoHeap(t *testing.T) {
	if race.Instrumented {
		t.Skip("sanitizers make arenas take new memory")
	}
	text := shelfText("text", 40)
	for name, a := range map[string]*arena.Arena{"default": arena.NewArena(), "self-contained": arena.NewArena(arena.WithNoScan())} {
		var dst []byte
		life := func() {
			s, err := arenajson.New[shelf](a, text)
			if err != nil {
				t.Fatal(err)
			}
			if err = arenajson.Unmarshal(a, text[:len(text):len(text)], s); err != nil { // merging
				t.Fatal(err)
			}
			if dst, err = arenajson.Append(dst[:0], s); err != nil {
				t.Fatal(err)
			}
			if dst, err = arenajson.Append(dst[:0], s, arenajson.Deterministic(true)); err != nil {
				t.Fatal(err)
			}
			a.Reset()
		}
		for range 10 { // until it has learned the sizes
			life()
		}
		if n := testing.AllocsPerRun(50, life); n >= 1 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	runtime.GC()
}

// TestWritingContainers: entries are written in the order in which they were read, or sorted by name as
// encoding/json sorts Go's maps, and a value that was written is read again as it was.
func TestWritingContainers(t *testing.T) {
	for _, c := range []struct {
		opts []arenajson.Options
		want string
	}{
		{nil, `{"b":1,"a":2,"c<":3}`},
		{[]arenajson.Options{arenajson.Deterministic(true)}, `{"a":2,"b":1,"c<":3}`},
		{[]arenajson.Options{arenajson.DefaultOptionsV1()}, `{"a":2,"b":1,"c\u003c":3}`},
	} {
		m, err := arenajson.New[collections.Map[string, int]](nil, []byte(`{"b":1,"a":2,"c<":3}`))
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range []any{m, &m} {
			if got, err := arenajson.Append(nil, v, c.opts...); string(got) != c.want || err != nil {
				t.Errorf("%s, %v; want %s", got, err, c.want)
			}
		}
	}
	type empty struct {
		M collections.Map[string, int] `json:"m,omitempty"`
		S collections.Slice[byte]      `json:"s"`
		L collections.Slice[int]       `json:"l"`
		Z collections.Slice[int]       `json:"z,omitzero"`
	}
	if got, err := arenajson.Append(nil, &empty{}); string(got) != `{"s":"","l":[]}` || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := arenajson.Append(nil, &empty{}, arenajson.DefaultOptionsV1()); string(got) != `{"m":{},"s":"","l":[]}` || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	loop := collections.NewMap[string, any](nil, 0)
	loop.Set("x", loop)
	if _, err := arenajson.Append(nil, loop); err == nil || !strings.Contains(err.Error(), "cycle") {
		t.Error(err)
	}
}
