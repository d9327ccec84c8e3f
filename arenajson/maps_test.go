package arenajson_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/internal/engine/smallmap"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A tag is a key with a type of its own.
type tag string

// mapped has maps of many kinds.
type mapped struct {
	Any     any                        `json:"any"`
	Anys    map[string]any             `json:"anys"`
	Strings map[string]string          `json:"strings"`
	Numbers map[string]int             `json:"numbers"`
	ByInt   map[int8]string            `json:"by_int"`
	Lists   map[string][]string        `json:"lists"`
	Structs map[tag]struct{ A, B any } `json:"structs"`
	Deep    map[string]map[string]bool `json:"deep"`
}

// mappedText is a mapped whose maps have n entries.
func mappedText(n int) []byte {
	object := func(value string) string {
		var all []string
		for i := range n {
			all = append(all, fmt.Sprintf(`"%d": %s`, i, value))
		}
		return "{" + strings.Join(all, ", ") + "}"
	}
	return fmt.Appendf(nil, `{"any": %s, "anys": %s, "strings": %s, "numbers": %s, "by_int": %s, "lists": %s, "structs": %s, "deep": %s}`,
		object(`[`+object("1")+`]`), object(object(`"x"`)), object(`"text"`), object("7"), object(`"text"`), object(`["a", "b"]`),
		object(`{"A": {"x": 1}, "B": 2}`), object(`{"yes": true}`))
}

// noMaps skips a test where small maps aren't supported.
func noMaps(t *testing.T) {
	if smallmap.Of(reflect.TypeFor[map[string]any]()) == nil {
		t.Skip("there are none on 32-bit machines, and with versions of Go that aren't known") // which package smallmap's tests say
	}
}

// TestMapsInTheArena: new maps of at most eight entries are in the arena, of all types; those that go to an any
// also if they have more. In self-contained arenas none is.
func TestMapsInTheArena(t *testing.T) {
	noMaps(t)
	for _, a := range []*arena.Arena{arena.NewArena(), arena.NewArena(arena.WithNoScan()), nil} {
		for _, n := range []int{0, 1, 5, 8, 9, 14, 15, 100, 127} {
			for range 5 { // until the keys are known
				m, err := arenajson.New[mapped](a, mappedText(n))
				if err != nil {
					t.Fatal(err)
				}
				v := reflect.ValueOf(m).Elem()
				for i := range v.NumField() {
					f := v.Field(i)
					if f.Kind() == reflect.Interface {
						f = f.Elem()
					}
					in := a.Owns(f.UnsafePointer())
					want := a != nil && !a.SelfContained() && (n <= smallmap.Most || i == 0)
					// Where a typed map is predicted to be larger it has its table in the arena.
					if in != want && (n <= smallmap.Most || i == 0 || !in) || f.Len() != n {
						t.Errorf("%s of %d entries: in the arena %v, self-contained %v", v.Type().Field(i).Name, n, in, a.SelfContained())
					}
				}
				a.Reset()
			}
		}
	}
}

// TestMapsTakeNoHeap: in a warm arena, maps of at most eight entries of any type take none, nor do larger ones in an
// any, or with strings as keys.
func TestMapsTakeNoHeap(t *testing.T) {
	noMaps(t)
	if !testkit.Countable() {
		t.Skip("in this build, arenas take new memory")
	}
	large := mappedText(30)
	large = append(large[:strings.Index(string(large), `, "by_int"`):len(large)], '}')
	for _, text := range [][]byte{mappedText(3), mappedText(8), large} {
		for _, opts := range []arenajson.Options{arenajson.DefaultOptionsV1(), arenajson.DefaultOptionsV2()} {
			a := arena.NewArena()
			life := func() {
				if _, err := arenajson.New[mapped](a, text, opts); err != nil {
					t.Fatal(err)
				}
				a.Reset()
			}
			for range 200 { // until it has learned the sizes, and all keys
				life()
			}
			if n := testing.AllocsPerRun(50, life); n >= 1 {
				t.Errorf("%.80s: %v allocations", text, n)
			}
		}
	}
}

// TestMapsAfterwards: maps that were read are as others in all that is done to them afterwards, while the
// garbage collector runs; and clones have left the arena.
func TestMapsAfterwards(t *testing.T) {
	a := arena.NewArena()
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 60 {
		text := mappedText(round % 20)
		m, err := arenajson.New[mapped](a, text, arenajson.DefaultOptionsV1())
		var want mapped
		if e := json.Unmarshal(text, &want); e != nil || err != nil {
			t.Fatal(e, err)
		}
		anys := []map[string]any{m.Anys, m.Any.(map[string]any)}
		wants := []map[string]any{want.Anys, want.Any.(map[string]any)}
		for range 300 {
			k, i := fmt.Sprint(r.IntN(40)), r.IntN(2)
			switch r.IntN(8) {
			case 0:
				delete(m.Strings, k)
				delete(want.Strings, k)
				delete(anys[i], k)
				delete(wants[i], k)
			case 1:
				for k := range m.Deep { // growing while it is read
					m.Deep[k+"'"], want.Deep[k+"'"] = nil, nil
					if len(m.Deep) > 100 {
						clear(m.Deep)
						clear(want.Deep)
					}
					break
				}
			case 2:
				m.Numbers[k] += 3
				want.Numbers[k] += 3
			case 3:
				m.Lists[k], want.Lists[k] = []string{k}, []string{k}
			default:
				m.Strings[k] += k
				want.Strings[k] += k
				anys[i][k], wants[i][k] = k, k
			}
		}
		if round%16 == 0 {
			runtime.GC()
		}
		if !reflect.DeepEqual(*m, want) || !reflect.DeepEqual(want, *m) {
			t.Fatalf("%v instead of %v", *m, want)
		}
		clones := []*mapped{arena.DeepClone(m), {Anys: maps.Clone(m.Anys)}}
		if c := clones[0]; a.Owns(reflect.ValueOf(c.Strings).UnsafePointer()) || a.Owns(reflect.ValueOf(c.Any).UnsafePointer()) ||
			a.Owns(reflect.ValueOf(clones[1].Anys).UnsafePointer()) {
			t.Fatal("a clone is in the arena")
		}
		b, err := arenajson.Marshal(a, m, arenajson.DefaultOptionsV1())
		if std, e := json.Marshal(want); e != nil || err != nil || string(b) != string(std) {
			t.Fatalf("%s instead of %s (%v, %v)", b, std, err, e)
		}
		a.Reset()
		runtime.GC()
		if !reflect.DeepEqual(*clones[0], want) {
			t.Fatalf("%v instead of %v", *clones[0], want)
		}
	}
}

var keptMaps []map[string]any // of TestKeptMapIsFound

// TestKeptMapIsFound: a map that is kept beyond the end of its arena is an escape.
func TestKeptMapIsFound(t *testing.T) {
	noMaps(t)
	for _, keep := range []bool{true, false} {
		var ended []*arena.Arena
		found := map[string]*atomic.Bool{}
		for _, n := range []int{1, 8, 30} {
			for _, checks := range []arena.Checks{arena.CheckObjects, arena.CheckResets} {
				name := fmt.Sprintf("%d entries, checks %v", n, checks)
				escaped := new(atomic.Bool)
				found[name] = escaped
				a := arena.NewArena(arena.WithChecks(checks), arena.OnEscape(func(arena.Escape) { escaped.Store(true) }))
				var x any
				if err := arenajson.Unmarshal(a, mappedText(n), &x); err != nil {
					t.Fatal(err)
				}
				if keep {
					keptMaps = append(keptMaps, x.(map[string]any)["strings"].(map[string]any))
				}
				x, ended = nil, append(ended, a)
			}
		}
		for _, a := range ended {
			a.Reset()
		}
		arena.FindEscapes()
		keptMaps = nil
		for name, escaped := range found {
			if got := escaped.Load(); got != keep {
				t.Errorf("%s, kept %v: found %v", name, keep, got)
			}
		}
	}
}
