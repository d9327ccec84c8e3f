package arenajson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/internal/tests/testkit"
)

type tree struct {
	Kids []tree          `json:"kids"`
	Next *tree           `json:"next"`
	Any  any             `json:"any"`
	M    map[string]tree `json:"m"`
	X    int             `json:"x"`
}

// TestDepth: nesting deeper than allowed is an error, wherever it comes, and as deep as allowed is not.
func TestDepth(t *testing.T) {
	for _, shape := range [][2]string{{"[", "]"}, {`{"a":`, "}"}, {`{"next":`, "}"}, {`{"kids":[`, "]}"}, {`{"any":`, "}"}, {`{"m":{"a":`, "}}"}} {
		per := strings.Count(shape[0], "{") + strings.Count(shape[0], "[")
		for _, limit := range []int{100, 10_000} {
			inner := "null"
			if strings.Contains(shape[0], "[") && shape[0] != "[" {
				inner = ""
			}
			ok := limit / per * per
			text := func(n int) []byte {
				return []byte(strings.Repeat(shape[0], n/per) + inner + strings.Repeat(shape[1], n/per))
			}
			opts := []arenajson.Options{arenajson.WithDepthLimit(limit)}
			for _, o := range []arenajson.Options{arenajson.DefaultOptionsV2(), arenajson.DefaultOptionsV1()} {
				for _, v := range []any{new(any), new(tree), new(json.RawMessage), new(arenajson.Object)} {
					_, isTree := v.(*tree)
					_, isObject := v.(*arenajson.Object)
					if shape[0] == "[" && (isTree || isObject) {
						continue
					}
					err := arenajson.Unmarshal(nil, text(ok), v, append(opts, o)...)
					if err != nil {
						t.Errorf("%T, %s, depth %d of %d: %v", v, shape[0], ok, limit, err)
					}
					err = arenajson.Unmarshal(nil, text(ok+per), v, append(opts, o)...)
					if e := new(arenajson.Error); !errors.As(err, &e) || e.Err != arenajson.ErrDepth {
						t.Errorf("%T, %s, depth %d of %d: %v", v, shape[0], ok+per, limit, err)
					}
				}
			}
		}
	}
}

// TestTruncated: a text cut off anywhere is an error, and doesn't crash; the memory behind the
// slice isn't read.
func TestTruncated(t *testing.T) {
	a := arena.NewArena()
	for n := range len(example) {
		for _, o := range []arenajson.Options{arenajson.DefaultOptionsV2(), arenajson.DefaultOptionsV1(), arenajson.OrderedObjects(true)} {
			cut := []byte(example)[:n:n]
			for _, v := range []any{new(outer), new(any), new(json.RawMessage)} {
				err := arenajson.Unmarshal(a, cut, v, o)
				if e := new(arenajson.Error); !errors.As(err, &e) || e.Type != nil && e.Type.Kind() != reflect.Interface {
					t.Fatalf("%T, %d bytes: %v", v, n, err)
				}
			}
		}
		a.Reset()
	}
}

// TestLimits: an arena's budget and the limit of bytes cause only errors.
func TestLimits(t *testing.T) {
	for limit := 64; limit < 64<<10; limit += limit / 4 {
		a := arena.NewArena(arena.WithLimit(limit))
		_, err := arenajson.New[outer](a, []byte(example))
		var le *arena.LimitError
		if err != nil && !errors.As(err, &le) {
			t.Errorf("limit %d: %v", limit, err)
		}
		if used := a.UsedBytes(); used > limit {
			t.Errorf("%d of %d bytes used", used, limit)
		}
		a.Reset()
	}
	big := []byte(`[` + strings.Repeat("1,", 1<<16) + `1]`)
	a := arena.NewArena(arena.WithLimit(1 << 16))
	if _, err := arenajson.New[[]int](a, big); !errors.As(err, new(*arena.LimitError)) {
		t.Errorf("over the budget: %v", err)
	}
	var e *arenajson.Error
	if err := arenajson.Unmarshal(nil, big, new([]int), arenajson.WithByteLimit(100)); !errors.As(err, &e) || e.Err != arenajson.ErrBytes {
		t.Errorf("over the limit of bytes: %v", err)
	}
	if arenajson.Valid(big, arenajson.WithByteLimit(100)) || !arenajson.Valid(big) {
		t.Error("Valid doesn't look at the limit of bytes")
	}
}

func show(v any) string {
	b, err := json.Marshal(v)
	return string(b) + fmt.Sprint(err)
}

// TestAllocations: a warm arena takes all of a value without maps and methods.
func TestAllocations(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("counts allocations")
	}
	type item struct {
		Name  string    `json:"name"`
		Tags  []string  `json:"tags"`
		Pos   []float64 `json:"pos"`
		Next  *item     `json:"next"`
		Any   any       `json:"any"`
		Bytes []byte    `json:"bytes"`
	}
	data := []byte(`[{"name":"esc\n","tags":["a","b","c","d","e","f","g"],"pos":[1.5,2.25,-1e-7],"next":{"name":"x","unknown":{"a":[1,{}]}},
		"any":[1,"two",{"three":[null,true]}],"bytes":"aGVsbG8="},{},{"tags":[]}]`)
	for _, o := range []arenajson.Options{arenajson.DefaultOptionsV2(), arenajson.DefaultOptionsV1()} {
		a := arena.NewArena()
		run := func() {
			a.Reset()
			if _, err := arenajson.New[[]item](a, data, o, arenajson.OrderedObjects(true)); err != nil {
				t.Fatal(err)
			}
		}
		run()
		if n := testing.AllocsPerRun(100, run); n >= 1 {
			t.Errorf("%v allocations", n)
		}
		warmReaders(t, a, data, o)
	}
}

// warmReaders checks that decoding from readers allocates nothing either, once it is warm.
func warmReaders(t *testing.T, a *arena.Arena, data []byte, o arenajson.Options) {
	var v any
	r := bytes.NewReader(nil)
	read := func() {
		a.Reset()
		r.Reset(data)
		v = nil
		if err := arenajson.UnmarshalRead(a, r, &v, o, arenajson.OrderedObjects(true), arenajson.WithByteLimit(1000)); err != nil {
			t.Fatal(err)
		}
	}
	d := arenajson.NewDecoder(endless{data}, o, arenajson.OrderedObjects(true))
	next := func() {
		a.Reset()
		v = nil
		if err := d.Decode(a, &v); err != nil {
			t.Fatal(err)
		}
	}
	for name, run := range map[string]func(){"UnmarshalRead": read, "Decode": next} {
		run()
		if n := testing.AllocsPerRun(100, run); n >= 1 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

// endless is a stream of the same text again and again.
type endless struct{ text []byte }

func (e endless) Read(p []byte) (n int, err error) {
	for len(p)-n >= len(e.text) {
		n += copy(p[n:], e.text)
	}
	return n, nil
}

// TestMessagesAreShort: error messages have a bound, however deep and long the text and the type are; the
// Pointer is complete.
func TestMessagesAreShort(t *testing.T) {
	deep := strings.Repeat(`[{"ä":`, 4999)
	long := `{"` + strings.Repeat("ä", 5000) + `":`
	var wide []reflect.StructField
	for i := range 50 {
		wide = append(wide, reflect.StructField{Name: fmt.Sprint("A", i), Type: reflect.TypeFor[int]()})
	}
	structs := reflect.New(reflect.StructOf(wide)).Interface()
	type levels []map[string]levels
	for _, c := range []struct {
		text string
		v    any
		want string // the end of the message, if it is the same with all options
	}{
		{deep + "x", new(any), ""}, {deep + "1", new(levels), ""},
		{deep + `{"a":1,"a":2}`, new(any), ""}, {long + "x", new(any), ""}, {long + "1}", new(map[string]bool), ""},
		{`"x"`, structs, "into Go struct at offset 0"},
		{`"` + strings.Repeat("x", 5000) + `"`, new(int), "into Go int at offset 0"},
		{strings.Repeat("1", 5000), new(int), "into Go int: value out of range at offset 0"},
	} {
		err := arenajson.Unmarshal(nil, []byte(c.text), c.v)
		var e *arenajson.Error
		if !errors.As(err, &e) || len(err.Error()) > 250 || !utf8.ValidString(err.Error()) || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%.20s: %d bytes: %.300v", c.text, len(err.Error()), err)
		}
		if c.want == "" && len(e.Pointer) < 5000 {
			t.Errorf("%.20s: the pointer has %d bytes", c.text, len(e.Pointer))
		}
	}
}

// TestMessagesAreShortV1: the same for messages that quote a text in place of a number.
func TestMessagesAreShortV1(t *testing.T) {
	for _, v := range []any{new(struct{ A json.Number }), new(struct {
		A int `json:",string"`
	}), new(struct {
		A bool `json:",string"`
	})} {
		text := `{"A":"` + strings.Repeat("ä", 10_000) + `"}`
		err := arenajson.Unmarshal(nil, []byte(text), v, arenajson.DefaultOptionsV1())
		if err == nil || len(err.Error()) > 400 || !utf8.ValidString(err.Error()) {
			t.Errorf("%T: %.300v", v, err)
		}
	}
}
