package arenajson_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/arenatest"
)

// A plain is a value of many kinds that a self-contained arena can hold.
type plain struct {
	Name string           `json:"name"`
	L    []plain          `json:"l"`
	P    *plain           `json:"p"`
	Any  any              `json:"any"`
	M    map[string]any   `json:"m"`
	MP   map[int]*plain   `json:"mp"`
	Num  json.Number      `json:"num"`
	At   time.Time        `json:"at"`
	B    []byte           `json:"b"`
	Raw  json.RawMessage  `json:"raw"`
	O    arenajson.Object `json:"o"`
}

const plainText = `{"name":"né\n","l":[{"name":"a","any":[1.5,"x",{"deep":[null]}]},{"m":{"k":["v",2]}},{"l":[{},{}]}],"p":{"name":"p"},
 "any":{"map":{"in":["any"]}},"m":{"a":{"b":"c"}},"mp":{"1":{"name":"one"},"2":null},"num":1e5,"at":"2020-01-02T03:04:05+05:45","b":"aGk=","raw":[1],"o":{"x":"y"}}`

// TestSelfContained: values in a self-contained arena, and maps that they refer to, stay unchanged
// while the garbage collector runs, and have no pointers to memory that it may free.
func TestSelfContained(t *testing.T) {
	for _, checks := range []arena.Checks{0, arena.CheckResets, arena.CheckObjects} {
		a := arena.NewArena(arena.WithNoScan(), arena.WithChecks(checks))
		want, err := arenajson.New[plain](nil, []byte(plainText))
		if err != nil {
			t.Fatal(err)
		}
		for life := range 3 {
			var all []*plain
			for i := range 40 {
				v, err := arenajson.New[plain](a, []byte(plainText))
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, v)
				if i%8 == 0 {
					runtime.GC()
					garbage := make([][]byte, 100)
					for k := range garbage {
						garbage[k] = make([]byte, 100+k)
					}
				}
			}
			runtime.GC()
			for i, v := range all {
				if !reflect.DeepEqual(v, want) {
					t.Fatalf("checks %v, life %d: number %d is %s", checks, life, i, show(v))
				}
			}
			a.Reset()
		}
	}
}

// TestNothingStrays: no value in a self-contained arena points to the Go heap, except to values
// kept alive: arenatest examines each of them.
func TestNothingStrays(t *testing.T) {
	a := arenatest.New(t, arena.WithNoScan())
	for _, o := range []arenajson.Options{arenajson.DefaultOptionsV2(), arenajson.DefaultOptionsV1(), arenajson.OrderedObjects(true),
		arenajson.UseNumber(true), arenajson.AllowDuplicateNames(true)} {
		for range 3 {
			if _, err := arenajson.New[plain](a, []byte(plainText), o); err != nil {
				t.Fatal(err)
			}
		}
		a.Reset()
	}
}

// TestExactCapacity: slices have no room to spare, and the arena hasn't lost any to them.
func TestExactCapacity(t *testing.T) {
	a := arena.NewArena()
	for range 3 {
		a.Reset()
		v, err := arenajson.New[[][]int64](a, []byte("[["+strings.Repeat("1,", 99)+"1],[1,2,3],[]]"))
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range append([][]int64{}, *v...) {
			if len(s) != cap(s) {
				t.Errorf("length %d, capacity %d", len(s), cap(s))
			}
		}
		header := int(unsafe.Sizeof(*v))
		if want := (header+7)&^7 + 3*header + 103*8; a.UsedBytes() != want || cap(*v) != 3 {
			t.Errorf("%d bytes used, not %d; capacity %d", a.UsedBytes(), want, cap(*v))
		}
	}
}

type foreign struct{ s *string }

func (f *foreign) UnmarshalJSON(b []byte) error {
	s := string(b)
	f.s = &s
	return nil
}

// TestForeign: types whose methods might put pointers to the Go heap into a self-contained arena are
// refused there, and the message has the type; others arenas take them.
func TestForeign(t *testing.T) {
	for _, v := range []any{new(foreign), new([]*foreign), new(struct{ A map[string][]foreign }), new(fmt.Stringer), new(struct{ X struct{ Y fmt.Stringer } })} {
		err := arenajson.Unmarshal(arena.NewArena(arena.WithNoScan()), []byte("null"), v)
		if err == nil || !strings.Contains(err.Error(), "foreign") && !strings.Contains(err.Error(), "Stringer") {
			t.Errorf("%T: %v", v, err)
		}
		if err := arenajson.Unmarshal(arena.NewArena(), []byte("null"), v); err != nil {
			t.Errorf("%T: %v", v, err)
		}
	}
}
