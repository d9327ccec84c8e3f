package collections_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestSequencesInWarmArenasTakeNoHeap: no operation allocates on the heap.
func TestSequencesInWarmArenasTakeNoHeap(t *testing.T) {
	if sanitized {
		t.Skip("sanitizers make arenas take new memory")
	}
	for _, name := range []string{"default", "self-contained"} {
		a := kinds[name]()
		r := strings.NewReader("")
		life := func() {
			s := collections.NewSlice[string](a, 0)
			d := collections.NewDeque[int](a, 0)
			l := collections.NewList[string](a)
			set := collections.NewSet[string](a, 0)
			in := collections.NewInterner(a, 0)
			b := collections.NewBuffer(a, 0)
			var line [40]byte
			for i, name := range names {
				s.Append(name)
				s.Insert(i/2, name, name)
				d.PushBack(i)
				d.PushFront(i)
				l.InsertAfter(name, l.PushFront(name))
				set.Add(name)
				in.Intern(name)
				in.InternBytes(line[:copy(line[:], name)])
				b.WriteString(name)
				b.WriteByte('.')
				b.WriteRune('é')
				b.Read(line[:])
			}
			n := 0
			for range s.Backward() {
				n++
			}
			for range d.Len() {
				d.PopBack()
			}
			for n := range l.All() {
				l.Remove(n)
			}
			r.Reset(names[20])
			b.ReadFrom(r)
			b.WriteTo(io.Discard)
			s.Delete(10, 1000)
			a.Reset()
		}
		life() // the next one begins with a chunk of the size that this one has needed
		if n := testing.AllocsPerRun(20, life); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// TestZeroValues: they are empty, and on the Go heap.
func TestZeroValues(t *testing.T) {
	var s collections.Slice[int]
	var d collections.Deque[int]
	var l collections.List[int]
	var set collections.Set[int]
	var in collections.Interner
	var b collections.Buffer
	if got := fmt.Sprint(&s, &d, &l, &set, &b); got != "[] [] [] [] " {
		t.Errorf("empty ones are printed as %q", got)
	}
	d.Clear()
	set.Delete(1)
	s.Clear()
	s.Append(1)
	d.PushFront(1)
	l.PushBack(1)
	set.Add(1)
	b.WriteByte('1')
	if got := fmt.Sprint(&s, &d, &l, &set, &b); got != "[1] [1] [1] [1] 1" || in.Intern("x") != "x" || in.Intern("x") != "x" || in.Len() != 1 {
		t.Errorf("printed as %q; the Interner has %d", got, in.Len())
	}
}

func TestMisuse(t *testing.T) {
	var l, other collections.List[int]
	n := other.PushBack(1)
	removed := l.PushBack(1)
	l.Remove(removed)
	d := collections.NewDeque[int](nil, 3)
	d.PushBack(1)
	b := collections.NewBuffer(nil, 0)
	s := collections.NewSlice[int](nil, 0)
	for name, c := range map[string]struct {
		f     func()
		parts []string
	}{
		"remove from another":   {func() { l.Remove(n) }, []string{"arena: List.Remove: "}},
		"remove twice":          {func() { l.Remove(removed) }, []string{"arena: List.Remove: "}},
		"remove nil":            {func() { l.Remove(nil) }, []string{"arena: List.Remove: "}},
		"insert before":         {func() { l.InsertBefore(1, n) }, []string{"arena: List.InsertBefore: "}},
		"insert after":          {func() { l.InsertAfter(1, n) }, []string{"arena: List.InsertAfter: "}},
		"move to front":         {func() { l.MoveToFront(n) }, []string{"arena: List.MoveToFront: "}},
		"move to back":          {func() { l.MoveToBack(n) }, []string{"arena: List.MoveToBack: "}},
		"At":                    {func() { d.At(1) }, []string{"arena: Deque.At: ", "1"}},
		"At before the first":   {func() { d.At(-1) }, []string{"arena: Deque.At: ", "-1"}},
		"Set":                   {func() { d.Set(7, 1) }, []string{"arena: Deque.Set: ", "7"}},
		"pop":                   {func() { new(collections.Deque[int]).PopFront() }, []string{"arena: Deque.PopFront: "}},
		"pop at the back":       {func() { new(collections.Deque[int]).PopBack() }, []string{"arena: Deque.PopBack: "}},
		"deque of -1":           {func() { collections.NewDeque[int](nil, -1) }, []string{"arena: NewDeque: ", "-1"}},
		"deque grows by -1":     {func() { d.Grow(-1) }, []string{"arena: Deque.Grow: ", "-1"}},
		"deque out of memory":   {func() { d.Grow(math.MaxInt - 1) }, []string{"arena: Deque.Grow: "}},
		"set of -1":             {func() { collections.NewSet[int](nil, -1) }, []string{"arena: NewSet: ", "-1"}},
		"interner of -1":        {func() { collections.NewInterner(nil, -1) }, []string{"arena: NewInterner: ", "-1"}},
		"slice of -1":           {func() { collections.NewSlice[int](nil, -1) }, []string{"arena: ", "-1"}},
		"buffer of -1":          {func() { collections.NewBuffer(nil, -1) }, []string{"arena: ", "-1"}},
		"buffer grows by -1":    {func() { b.Grow(-1) }, []string{"arena: Buffer.Grow: ", "-1"}},
		"buffer next -1":        {func() { b.Next(-1) }, []string{"arena: Buffer.Next: ", "-1"}},
		"truncate":              {func() { new(collections.Buffer).Truncate(1) }, []string{"arena: Buffer.Truncate: 1 ", "0"}},
		"truncate to -1":        {func() { b.Truncate(-1) }, []string{"arena: Buffer.Truncate: -1 "}},
		"read a negative count": {func() { b.ReadFrom(liar(-1)) }, []string{"arena: Buffer.ReadFrom: "}},
		"write too much":        {func() { b.WriteByte(1); b.WriteTo(liar(2)) }, []string{"arena: Buffer.WriteTo: ", "2"}},
		"insert beyond":         {func() { s.Insert(1, 2) }, []string{"out of range"}},
		"delete beyond":         {func() { s.Delete(0, 2) }, []string{"out of range"}},
	} {
		t.Run(name, func(t *testing.T) { wantPanic(t, c.f, c.parts...) })
	}
	if _, err := b.WriteTo(liar(0)); err != io.ErrShortWrite {
		t.Errorf("a short write: %v", err)
	}
}

// A liar is a reader and a writer that returns a wrong count.
type liar int

func (l liar) Read([]byte) (int, error)  { return int(l), nil }
func (l liar) Write([]byte) (int, error) { return int(l), nil }

// TestJSON: collections are as the builtin types, there and back.
func TestJSON(t *testing.T) {
	type all struct {
		M collections.Map[string, []int]
		S collections.Slice[*string]
		D collections.Deque[float64]
		L collections.List[bool]
		T collections.Set[string]
	}
	type builtin struct {
		M map[string][]int
		S []*string
		D []float64
		L []bool
		T []string
	}
	for _, text := range []string{
		`{"M":{"a":[1],"b":null},"S":["x",null],"D":[1.5,2],"L":[true],"T":["only"]}`,
		`{"M":{},"S":[],"D":[],"L":[],"T":[]}`,
	} {
		var c all
		var b builtin
		if err := json.Unmarshal([]byte(text), &b); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(text), &c); err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(&c)
		if err != nil || string(got) != text {
			t.Errorf("%s, %v; want %s", got, err, text)
		}
	}
	for _, v := range []any{new(collections.Map[string, int]), new(collections.Slice[int]), new(collections.Deque[int]), new(collections.List[int]), new(collections.Set[int])} {
		if err := json.Unmarshal([]byte(`{"a":"b"}`), v); err == nil {
			t.Errorf("a %T takes what isn't one", v)
		}
	}
	m := collections.NewMap[[1]int, int](nil, 0)
	m.Set([1]int{1}, 1)
	if _, err := json.Marshal(m); err == nil {
		t.Error("keys that JSON hasn't are accepted")
	}
}

// TestJSONInSelfContainedArenas: decoded values stay alive.
func TestJSONInSelfContainedArenas(t *testing.T) {
	a := kinds["self-contained"]()
	m := collections.NewMap[string, []string](a, 0)
	s := collections.NewSlice[string](a, 0)
	for i := range 100 {
		if err := json.Unmarshal(fmt.Appendf(nil, `{"key %d": ["value %d"]}`, i, i), m); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(fmt.Appendf(nil, `["item %d"]`, i), s); err != nil {
			t.Fatal(err)
		}
	}
	testkit.Churn()
	for i := range 200_000 { // strings are small, and there are many places for them
		b := make([]byte, 8+i%4*8)
		copy(b, "garbage garbage garbage")
		sink = b
	}
	for i := range 100 {
		if v, ok := m.Get(fmt.Sprintf("key %d", i)); !ok || v[0] != fmt.Sprintf("value %d", i) {
			t.Fatalf("%d: %q", i, v)
		}
	}
	if s.At(0) != "item 99" {
		t.Errorf("%q", s.At(0))
	}
}

// TestPrintedLikeBuiltin: with all verbs.
func TestPrintedLikeBuiltin(t *testing.T) {
	m := collections.NewMap[string, int](nil, 0)
	s := collections.NewSlice[string](nil, 0)
	gm := map[string]int{}
	var gs []string
	for i := range 3 {
		m.Set(names[i], i)
		gm[names[i]] = i
		s.Append(names[i])
		gs = append(gs, names[i])
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%10v", "%-10v|", "%d", "%T"[:1] + "z"} {
		if got, want := fmt.Sprintf(verb, m), fmt.Sprintf(verb, gm); got != want {
			t.Errorf("%s: %s; want %s", verb, got, want)
		}
		if got, want := fmt.Sprintf(verb, s), fmt.Sprintf(verb, gs); got != want {
			t.Errorf("%s: %s; want %s", verb, got, want)
		}
	}
}

// TestBufferIsLinear: no use of a buffer takes memory, or time, out of proportion to its bytes.
func TestBufferIsLinear(t *testing.T) {
	const n = 1 << 20
	piece := []byte(strings.Repeat("x", 100))
	for name, use := range map[string]func(b *collections.Buffer){
		"write":               func(b *collections.Buffer) { b.Write(piece) },
		"write and read":      func(b *collections.Buffer) { b.Write(piece); b.Next(100) },
		"write and read most": func(b *collections.Buffer) { b.Write(piece); b.Next(99) },
		"write, read little":  func(b *collections.Buffer) { b.Write(piece); b.Next(1) },
		"strings":             func(b *collections.Buffer) { b.Write(piece); _ = b.String() },
		"strings and reset":   func(b *collections.Buffer) { b.Write(piece); _ = b.String(); b.Reset() },
		"strings and truncate": func(b *collections.Buffer) {
			b.Write(piece)
			if len(b.String()) >= 1000 {
				b.Truncate(10)
			}
		},
	} {
		for _, disturb := range []bool{false, true} {
			a := arena.NewArena()
			b := collections.NewBuffer(a, 0)
			for range n / len(piece) {
				use(b)
				if disturb {
					a.AllocBytes(1) // it can't grow where it is
				}
			}
			if used := a.Stats().Used; used > 8*n {
				t.Errorf("%s, disturbed %t: %d bytes for %d", name, disturb, used, n)
			}
		}
	}
}

// TestBufferOfReaderAndWriter: a buffer between a reader and a writer, never empty,
// takes no more memory than it must.
func TestBufferBetweenReaderAndWriter(t *testing.T) {
	a := arena.NewArena()
	b := collections.NewBuffer(a, 0)
	var line [300]byte
	for i := range 100_000 {
		b.Write(line[:100+i%200])
		for b.Len() > 500 {
			b.Read(line[:150])
		}
	}
	if used := a.Stats().Used; used > 10_000 {
		t.Errorf("%d bytes for 500", used)
	}
}

// TestTakenElementsAreErased: a deque and a slice don't keep removed elements alive.
func TestTakenElementsAreErased(t *testing.T) {
	a := arena.NewArena()
	d := collections.NewDeque[*int](a, 8)
	s := collections.NewSlice[*int](a, 8)
	for range 8 {
		d.PushBack(&decoy)
		s.Append(&decoy)
	}
	d.PopFront()
	d.PopBack()
	s.Delete(2, 5)
	ring := reflect.ValueOf(d).Elem().FieldByName("ring")
	erased := 0
	for i := range ring.Len() {
		if ring.Index(i).IsNil() {
			erased++
		}
	}
	if tail := s.Slice()[5:8]; erased != 2 || !slices.Equal(tail, make([]*int, 3)) {
		t.Errorf("%d erased in the deque; %v", erased, tail)
	}
}

// TestVetFlagsCopies: go vet knows that these must not be copied.
func TestVetFlagsCopies(t *testing.T) {
	testkit.NeedsGo(t)
	cmd := exec.Command("go", "vet", "-copylocks", "./testdata/copied")
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	out, err := cmd.CombinedOutput()
	for _, name := range []string{"Map", "Set", "Slice", "Deque", "List", "Buffer", "Interner"} {
		if err == nil || !strings.Contains(string(out), "collections."+name) {
			t.Errorf("go vet says nothing about copies of %s: %v\n%s", name, err, out)
		}
	}
}

// TestFirstCapacity: it is a cache line, and zero for no elements.
func TestFirstCapacity(t *testing.T) {
	inEach(t, func(t *testing.T, a *arena.Arena) {
		ints, large := collections.NewSlice[int64](a, 0), collections.NewSlice[[100]byte](a, 0)
		ints.Append()
		large.Append()
		if ints.Cap() != 0 || large.Cap() != 0 {
			t.Errorf("room for %d and %d elements before there is one", ints.Cap(), large.Cap())
		}
		ints.Append(1)
		large.Append([100]byte{})
		empty := collections.NewSlice[struct{}](a, 0)
		empty.Append(struct{}{})
		b := collections.NewBuffer(a, 0)
		b.WriteByte(1)
		if ints.Cap() != 8 || large.Cap() == 0 || large.Cap() > 2 || b.Cap() != 64 || empty.Len() != 1 {
			t.Errorf("room for %d, %d and %d elements and %d bytes", ints.Cap(), large.Cap(), empty.Cap(), b.Cap())
		}
	})
}

// TestRefusedStorage: a constructor allocates nothing if a limit refuses its storage.
func TestRefusedStorage(t *testing.T) {
	for name, make := range map[string]func(*arena.Arena){
		"Slice":  func(a *arena.Arena) { collections.NewSlice[*int](a, 10_000) },
		"Deque":  func(a *arena.Arena) { collections.NewDeque[string](a, 10_000) },
		"Buffer": func(a *arena.Arena) { collections.NewBuffer(a, 100_000) },
	} {
		a := arena.NewArena(arena.WithLimit(20_000))
		a.AllocString("x")
		before := a.UsedBytes()
		var over *arena.LimitError
		if err, ok := caught(func() { make(a) }).(error); !ok || !errors.As(err, &over) {
			t.Errorf("%s: %v", name, err)
		}
		if a.UsedBytes() != before {
			t.Errorf("%s: %d bytes are used, %d before", name, a.UsedBytes(), before)
		}
	}
}
