package arenajson_test

import (
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/tests/testkit"
)

type batched struct {
	ID    string
	Next  *batched
	Tags  []string
	Any   any
	Count map[string]int
}

func batchText(i int) string {
	return fmt.Sprintf(`{"ID":"id %d","Next":{"ID":"%s","Tags":[null]},"Tags":["a%d","b","%d"],`+
		`"Any":{"n":%d,"list":[1,"two",[%d]]},"Count":{"one":%d}}`, i, strings.Repeat("x", i%300), i, i, i, i, i)
}

// TestBatch: no value of a batch ever changes, through later texts or the GC.
func TestBatch(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(1))
	n := testkit.Cases(8000)
	kept := make([]batched, n)
	for i := range kept {
		if err := arenajson.Unmarshal(nil, []byte(batchText(i)), &kept[i], arenajson.Batch()); err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 { // an error in between leaves a part
			var part batched
			if arenajson.Unmarshal(nil, []byte(batchText(i)[:40]), &part, arenajson.Batch()) == nil {
				t.Fatal("half a text is right")
			}
		}
		kept[i].Tags = append(kept[i].Tags, "more") // beyond the decoded elements
		kept[i].Count["two"] = i
	}
	for i := range kept {
		var want batched
		if err := arenajson.Unmarshal(nil, []byte(batchText(i)), &want); err != nil {
			t.Fatal(err)
		}
		want.Tags, want.Count["two"] = append(want.Tags, "more"), i
		if !reflect.DeepEqual(kept[i], want) {
			t.Fatalf("value %d has changed: %+v", i, kept[i])
		}
	}
}

// TestBatchBounds: a kept value of a batch keeps little more than itself in the end. Without learning it would be 300
// MB.
func TestBatchBounds(t *testing.T) {
	if testing.Short() {
		t.Skip("measures memory, which sanitizers change")
	}
	type message struct{ Kept, Text *string }
	text := []byte(`{"Kept":"a key to keep","Text":"` + strings.Repeat("text ", 60) + `"}`)
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	const n = 10_000
	kept := make([]*string, n)
	before := heap()
	for i := range 100 * n {
		var m message
		if err := arenajson.Unmarshal(nil, text, &m, arenajson.Batch()); err != nil {
			t.Fatal(err)
		}
		if i%100 == 0 {
			kept[i/100] = m.Kept
		}
	}
	if got := heap() - before; got > 16<<20 {
		t.Errorf("%d strings keep %d bytes", n, got)
	}
	runtime.KeepAlive(kept)
}

// arenaKeeper keeps the arena that it is given.
type arenaKeeper struct{ a *arena.Arena }

func (k *arenaKeeper) UnmarshalJSONArena(a *arena.Arena, _ []byte) error {
	k.a = a
	return nil
}

// TestBatchEnds: no code gets the arena of a batch, which can't be used after Unmarshal has returned.
func TestBatchEnds(t *testing.T) {
	var v struct {
		Map    collections.Map[string, []string]
		Slice  collections.Slice[string]
		Method arenaKeeper
	}
	text := `{"Map":{"a":["b"]},"Slice":["c"],"Method":1}`
	if err := arenajson.Unmarshal(nil, []byte(text), &v, arenajson.DefaultOptionsV1(), arenajson.Batch()); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		v.Map.Set(fmt.Sprint(i), nil)
		v.Slice.Append("more")
	}
	if v.Method.a != nil || v.Map.Len() != 1001 || v.Slice.Len() != 1001 {
		t.Errorf("%v, %d, %d", v.Method.a, v.Map.Len(), v.Slice.Len())
	}
	p, err := arenajson.New[batched](nil, []byte(batchText(7)), arenajson.Batch())
	if err != nil || p.ID != "id 7" {
		t.Error(p, err)
	}
	d := arenajson.NewDecoder(strings.NewReader(batchText(1)+batchText(2)), arenajson.Batch())
	for i := range 2 {
		var b batched
		if err := d.Decode(nil, &b); err != nil || b.Count["one"] != i+1 {
			t.Error(b, err)
		}
	}
	a := arena.NewArena()
	if _, err := arenajson.New[batched](a, []byte(batchText(7)), arenajson.Batch()); err != nil || a.UsedBytes() == 0 {
		t.Error("Batch prevails over an arena", err)
	}
}

// TestBatchInOther: the contents of a container with an arena go there all the way down, in a batch too. In a
// self-contained arena the GC wouldn't find them on the heap.
func TestBatchInOther(t *testing.T) {
	type inner = collections.Map[string, arenaKeeper]
	a := arena.NewArena(arena.WithNoScan())
	m := collections.NewMap[string, inner](a, 1)
	text := []byte(`{"one":{"two":1}}`)
	if err := arenajson.Unmarshal(nil, text, m, arenajson.Batch()); err != nil {
		t.Fatal(err)
	}
	in := m.Ref("one")
	if k, ok := in.Get("two"); !ok || k.a != a {
		t.Errorf("what lies in the arena got the arena %p, want %p", k.a, a)
	}
}
