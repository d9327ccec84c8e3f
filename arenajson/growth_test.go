package arenajson_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
	"weak"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/engine/race"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file limits the cost of inputs made to be slow: time in proportion to their length, and
// nothing for later inputs.

// A hostile input is a text made to be slow, of n parts, and the type for decoding it.
type hostile struct {
	name string
	text func(n int) []byte
	to   func() any
	opts arenajson.Options
}

func newAny() any    { return new(any) }
func newTree() any   { return new(tree) }
func newObject() any { return new(arenajson.Object) }

func repeat(s string) func(n int) []byte {
	return func(n int) []byte { return bytes.Repeat([]byte(s), n) }
}

// list is repeat within an array.
func list(s string) func(n int) []byte {
	return func(n int) []byte { return []byte("[" + strings.Repeat(s+",", n) + s + "]") }
}

// names is an object whose names are made by a format.
func names(format string) func(n int) []byte {
	return func(n int) []byte {
		b := []byte("{")
		for i := range n {
			b = fmt.Appendf(b, format+":1,", i)
		}
		return append(b, `"x":1}`...)
	}
}

// manyThenFew is an array of objects with names that no field wants, and that never come again: one large
// object, then many that are just large enough for a table.
func manyThenFew(n int) []byte {
	b := append([]byte("["), names(`"key number %d"`)(n/2)...)
	for i := 0; i < n/2; i += 70 {
		b = append(b, `,{"":0`...)
		for k := range 70 {
			b = fmt.Appendf(b, `,"k%d":1`, i+k)
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// colliding are names whose middles differ, which the quick key of a name doesn't look at.
const colliding = `"aaaaaaaa%08dbbbbbbbb"`

var hostiles = []hostile{
	{"open brackets", repeat("["), newAny, v2},
	{"open objects", repeat(`{"a":`), newTree, v2},
	{"unknown names", names(colliding), newTree, v2},
	{"unknown names, v1", names(colliding), newTree, v1},
	{"names in any", names(colliding), newAny, v2},
	{"names in Object", names(colliding), newObject, v2},
	{"names in a map", names(`"%d"`), func() any { return new(map[float64]int) }, v2},
	{"names in a Map", names(`"%d"`), func() any { return new(collections.Map[string, any]) }, v2},
	{"names passed over", names(colliding), func() any { return new(struct{ Y int }) }, v2},
	{"escaped names", names(`"\u0061aaaaaaa%08dbbbbbbbb"`), newTree, v2},
	{"many names, then few", manyThenFew, func() any { return new([]tree) }, v2},
	{"many names, then few, in any", manyThenFew, newAny, arenajson.OrderedObjects(true)},
	{"many names, then few, passed over", func(n int) []byte { return fmt.Appendf(nil, `{"?":%s}`, manyThenFew(n)) }, newTree, v2},
	{"duplicates", repeat(`{"a":1,"a":1,`), newAny, v2},
	{"duplicates, v1", repeat(`{"a":1,"a":1,`), newAny, v1},
	{"quotes", repeat(`"`), newAny, v2},
	{"backslashes", func(n int) []byte { return append([]byte(`"`), bytes.Repeat([]byte(`\`), n)...) }, newAny, v2},
	{"escapes", func(n int) []byte { return []byte(`"` + strings.Repeat(`\u00e9`, n) + `"`) }, newAny, v2},
	{"a long name", func(n int) []byte { return []byte(`{"` + strings.Repeat(`\u00e9K`, n) + `":1}`) }, newTree, v1},
	{"digits", repeat("1"), newAny, v2},
	{"digits to an int", func(n int) []byte { return []byte(`{"x":` + strings.Repeat("1", n) + `}`) }, newTree, v2},
	{"zeros", func(n int) []byte { return []byte("0." + strings.Repeat("0", n) + "1") }, newAny, v2},
	{"white space", repeat(" \n\t"), newAny, v2},
	{"slices in slices", repeat(`{"kids":[`), newTree, v2},
	{"mismatches, v1", func(n int) []byte { return []byte(`{"kids":[` + strings.Repeat(`{"x":""},`, n) + `{}]}`) }, newTree, v1},
	{"elements", list("1"), newAny, v2},
	{"elements, open", func(n int) []byte { return []byte(strings.Repeat("[", 1000) + strings.Repeat("1,", n)) }, newAny, v2},
	{"members", list(`{"a":1}`), newObject, v2},
	{"members of an Object", list(`{"a":[{},{"b":1}]}`), newAny, arenajson.OrderedObjects(true)},
	{"a late error, v1", func(n int) []byte { return append(list(`{"a":["b"]}`)(n), '}') }, newAny, v1},
	{"a late error", func(n int) []byte { return append(list(`{"a":["b"]}`)(n), '}') }, newAny, v2},
}

var v1, v2 = arenajson.DefaultOptionsV1(), arenajson.DefaultOptionsV2()

// decode reads a text, to an arena that is reset afterwards.
func (h *hostile) decode(a *arena.Arena, b []byte) {
	arenajson.Unmarshal(a, b, h.to(), h.opts)
	a.Reset()
}

// best returns the least time that f takes in some tries.
func best(tries int, f func()) time.Duration {
	least := time.Hour
	for range tries {
		least = min(least, testkit.Took(f))
	}
	return least
}

// measuresTime skips a test where time has no meaning.
func measuresTime(t *testing.T) {
	t.Helper()
	if testing.Short() || race.Instrumented {
		t.Skip("measures time")
	}
}

// TestGrowth: a hostile input of 32 times the length takes up to three times as long for each doubling of it. Twice
// is usual. The limit is for five doublings together, since one of them outgrows a cache, and takes more than three
// times as long by itself. Quadratic would be 1,024 times.
func TestGrowth(t *testing.T) {
	measuresTime(t)
	a := arena.NewArena()
	for _, h := range hostiles {
		const n, times, most = 10_000, 32, 3 * 3 * 3 * 3 * 3
		few, many := h.text(n), h.text(n*times)
		testkit.WithinTimes(t, most, h.name, func() (short, long time.Duration) {
			return best(3, func() { h.decode(a, few) }), best(2, func() { h.decode(a, many) })
		})
	}
}

// small are texts of ordinary requests, and of names enough for a table.
var small = []hostile{
	{"a struct", repeat(`{"x":1,"kids":[{"x":2}],"any":[1,"two",{"three":3}],"u":{"v":1}}`), newTree, v2},
	{"an any", repeat(`[1,"two",{"three":3}]`), newAny, v2},
	{"an Object", repeat(`{"one":1,"two":[{"three":3}]}`), newObject, v2},
	{"names", func(int) []byte { return names(`"name %d"`)(66) }, newTree, v2},
	{"escapes", repeat(`["\u00e9\n"]`), newAny, v1},
}

// checkSmallAfter decodes small texts before and after large, which changes the memory kept by the decoder, and fails
// if they take longer afterwards.
func checkSmallAfter(t *testing.T, s *hostile, name string, large func()) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // which would empty the pools
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	b := s.text(1)
	a := arena.NewArena() // of the small ones: what another arena keeps is another test's
	run := func() {
		for range 20 {
			s.decode(a, b)
		}
	}
	for try := 1; ; try++ {
		runtime.GC()
		runtime.GC()
		run()
		before := best(10, run)
		large()
		after := best(10, run)
		if after <= 2*before+time.Microsecond {
			return
		}
		if try == 5 {
			t.Errorf("%s takes %v, and %v after %s", s.name, before/20, after/20, name)
			return
		}
	}
}

// TestSmallAfterLarge: the time of a small text doesn't depend on earlier ones. Each hostile input is decoded, and
// then small texts.
func TestSmallAfterLarge(t *testing.T) {
	measuresTime(t)
	for _, n := range []int{9_000, 60_000} { // within the decoder's bounds, and beyond
		for _, h := range hostiles {
			text := h.text(n)
			for i := range small {
				checkSmallAfter(t, &small[i], fmt.Sprintf("%s (%d)", h.name, n), func() { h.decode(nil, text) })
			}
		}
	}
}

// FuzzSequence looks for a text that makes the next ones slow, or changes their results: some part repeated in some
// surroundings, and then a small text.
func FuzzSequence(f *testing.F) {
	around := [][3]string{{"[", ",", "]"}, {`{"a":`, `,"b":`, "}"}, {`{"kids":[{`, `},{`, `}]}`}, {"", "", ""}, {`{"`, `":1,"`, `":2}`}}
	for i, part := range []string{"1", `"text"`, `"a":1`, "[", "name", `{"x":[{}]}`, `\u00e9`, `{"x":""}`} {
		f.Add(uint8(i), uint8(i), uint16(8_000), part)
	}
	f.Fuzz(func(t *testing.T, shape, kind uint8, n uint16, part string) {
		measuresTime(t)
		if len(part) > 64 {
			return
		}
		s, with := &small[int(kind)%len(small)], around[int(shape)%len(around)]
		var b []byte
		for i := range n { // with names that are all different
			b = append(append(b, strings.ReplaceAll(part, "name", fmt.Sprint("name", i))...), with[1]...)
		}
		large := append(append([]byte(with[0]), b...), part+with[2]...)
		checkSmallAfter(t, s, fmt.Sprintf("%q, %d times", part, n), func() {
			for _, to := range []func() any{newAny, newTree, newObject} {
				for _, o := range []arenajson.Options{v1, v2, arenajson.OrderedObjects(true)} {
					arenajson.Unmarshal(nil, large, to(), o)
				}
			}
		})
		got, want := s.to(), s.to()
		if err := arenajson.Unmarshal(nil, s.text(1), got, v1); err != nil {
			t.Fatal(err)
		}
		if _, ordered := got.(*arenajson.Object); !ordered {
			if json.Unmarshal(s.text(1), want); !reflect.DeepEqual(got, want) {
				t.Errorf("%+v, not %+v", got, want)
			}
		}
	})
}

// TestSmallToLarge: a small text takes no longer if it is decoded into a large map.
func TestSmallToLarge(t *testing.T) {
	measuresTime(t)
	a := arena.NewArena()
	last := []byte(`{"x":1}`)
	took := func(n int) time.Duration {
		var m collections.Map[string, int]
		if err := arenajson.Unmarshal(a, names(`"%d"`)(n), &m); err != nil {
			t.Fatal(err)
		}
		return best(50, func() { arenajson.Unmarshal(a, last, &m) })
	}
	testkit.WithinTimes(t, 5, "one entry of a map of 100, and of 500,000", func() (short, long time.Duration) {
		return took(100), took(500_000)
	})
}

// TestNothingLargeIsKept: what decoders, encoders and readers keep after a large text is small.
func TestNothingLargeIsKept(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("measures memory")
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, h := range hostiles {
		large := h.text(200_000)
		runtime.GC()
		runtime.GC()
		before := heap()
		h.decode(nil, large)
		runtime.GC() // pools keep their contents for one more
		if kept := int64(heap()) - int64(before); kept > 1<<20 {
			t.Errorf("%s: %d bytes are kept of %d", h.name, kept, len(large))
		}
		runtime.KeepAlive(large)
	}
}

// TestLateErrors: that the syntax is wrong at the end of a large text takes at most twice as long to find as with
// encoding/json, which looks for that first; three times would be a bug.
func TestLateErrors(t *testing.T) {
	measuresTime(t)
	text := append(list(`{"name":"some text","list":[1,2.5,true,null],"escaped":"\n\u00e9"}`)(15_000), '}')
	for _, to := range []func() any{newAny, newTree, func() any { return new([]tree) }} {
		testkit.WithinTimes(t, 3, fmt.Sprintf("%T", to()), func() (std, ours time.Duration) {
			std = best(5, func() { json.Unmarshal(text, to()) })
			ours = best(5, func() { arenajson.Unmarshal(nil, text, to(), v1) })
			return std, ours
		})
	}
}

// TestErrorKeepsLittle: an error doesn't keep the text alive, and is the same after the text has
// changed.
func TestErrorKeepsLittle(t *testing.T) {
	for name, end := range map[string]string{"type": `"],"Other":17}`, "syntax": `"}`} {
		text := []byte(`{"list":["` + strings.Repeat("x", 1<<20) + end)
		at := weak.Make(&text[0])
		err := arenajson.Unmarshal(nil, text, new(Second), v1)
		std := json.Unmarshal(text, new(Second))
		clear(text)
		text = nil
		runtime.GC()
		if at.Value() != nil {
			t.Errorf("%s: the text is kept", name)
		}
		if got := describeStd(err); got != describeStd(std) {
			t.Errorf("%s: %s, not %s", name, got, describeStd(std))
		}
	}
	for _, b := range [][]byte{repeat(`{"a":`)(5_000), append(repeat(`[`)(9_999), '}'), []byte(`{"` + strings.Repeat("n", 1<<20) + `":"\x"}`)} {
		err := arenajson.Unmarshal(nil, b, new(any), v1)
		if got, want := describeStd(err), describeStd(json.Unmarshal(b, new(any))); got != want {
			t.Errorf("%.20s: %s, not %s", b, got, want)
		}
	}
}
