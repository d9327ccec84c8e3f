package arenajson_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/internal/tests/testkit"
)

type plainNames struct {
	ID       int
	UserName string
	Größe    float64
	Inner    []plainInner
}

type plainInner struct {
	Key, Value string
}

// A lookup is a text whose names are looked up in some way.
type lookup struct {
	name, text string
	opts       []arenajson.Options
}

// lookups are all ways that a name can go: to a field that has it, or has it but for case, to none; with more
// names than are learned; with names whose hashes collide, that are long, or have escapes.
func lookups() []lookup {
	v1 := []arenajson.Options{arenajson.DefaultOptionsV1()}
	both := []arenajson.Options{arenajson.MatchCaseInsensitiveNames(true)}
	exact := `{"ID":1,"UserName":"u","Größe":2.5,"Inner":[{"Key":"k","Value":"v"}]}        `
	folded := `{"id":1,"userName":"u","größe":2.5,"inner":[{"key":"k","value":"v"}]}        `
	many, long := strings.Builder{}, strings.Builder{}
	for i := range 2000 {
		fmt.Fprintf(&many, `"name%d":%d,`, i, i)
		fmt.Fprintf(&long, `"%s%d":%d,`, strings.Repeat("long", 100), i, i)
	}
	wrap := func(s string) string { return `{` + s + `"ID":1,"id":2}        ` }
	return []lookup{
		{"exact", exact, nil}, {"exact v1", exact, v1}, {"exact insensitive", exact, both},
		{"no field for the case", folded, nil}, {"folded v1", folded, v1}, {"folded insensitive", folded, both},
		{"unknown", `{"x":1,"y":{"z":[{"größe":1}]}}        `, nil},
		{"unknown v1", `{"x":1,"y":{"z":[{"größe":1}]}}        `, v1},
		{"too many", wrap(many.String()), nil}, {"too many v1", wrap(many.String()), v1},
		{"long", wrap(long.String()), nil}, {"long v1", wrap(long.String()), v1},
		{"like a field's", wrap(`"UsexName":1,"usexName":2,`), nil},
		{"escapes", `{"\u0049D":1,"\u0069d":2,"a\"":1,"\u0061\n":2}        `, nil},
		{"escapes v1", `{"\u0049D":1,"\u0069d":2,"a\"":1,"\u0061\n":2}        `, v1},
	}
}

// TestLookupsAllocateNothing: no way of looking up a name allocates on the heap, in any number of calls.
func TestLookupsAllocateNothing(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("in this build, arenas take new memory")
	}
	a := arena.NewArena()
	for _, l := range lookups() {
		text := []byte(l.text)
		read := func() {
			a.Reset()
			if err := arenajson.Unmarshal(a, text, arena.New[plainNames](a), l.opts...); err != nil {
				t.Fatal(l.name, err)
			}
		}
		for range 100 {
			read() // learns, and makes room
		}
		// The collector may take a decoder with its memory from the pool.
		if n := testing.AllocsPerRun(50, read); n >= 1 {
			t.Errorf("%s: %v allocations", l.name, n)
		}
	}
}

// TestLookupsAgree: names learned with some options make no difference with others, in any order.
func TestLookupsAgree(t *testing.T) {
	for range 5 {
		for _, l := range lookups() {
			for _, v1 := range []bool{true, false} {
				var got, want plainNames
				err := arenajson.Unmarshal(nil, []byte(l.text), &got, arenajson.DefaultOptionsV1(),
					arenajson.MatchCaseInsensitiveNames(v1))
				if err != nil {
					t.Fatal(l.name, err)
				}
				// Without learning: with the names that lead nowhere taken out, or as the standard library has it.
				if v1 {
					err = json.Unmarshal([]byte(l.text), &want)
				} else {
					err = arenajson.Unmarshal(nil, []byte(withoutFolded(l.text)), &want, arenajson.DefaultOptionsV1())
				}
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Fatalf("%s, v1 %v: %+v, not %+v (%v)", l.name, v1, got, want, err)
				}
			}
		}
	}
}

// withoutFolded replaces the names that lead to fields without regard to case only.
func withoutFolded(text string) string {
	return strings.NewReplacer(`"id"`, `"none1"`, `"userName"`, `"none2"`, `"größe"`, `"none3"`, `"inner"`, `"none4"`,
		`"\u0069d"`, `"none5"`).Replace(text)
}

// TestShortStringsShareMemory: without an arena the strings of a small value have few allocations, and none
// that refers to the text or to another one.
func TestShortStringsShareMemory(t *testing.T) {
	if !testkit.Countable() {
		t.Skip("in this build, allocations can't be counted")
	}
	type names struct{ A, B, C, D, E, F, G, H string }
	text := []byte(`{"A":"one","B":"two","C":"three","D":"four and more","E":"five","F":"six \u00e9","G":"","H":"eight"}`)
	var v *names
	n := testing.AllocsPerRun(100, func() {
		v = new(names)
		if err := arenajson.Unmarshal(nil, text, v); err != nil {
			t.Fatal(err)
		}
	})
	if n > 4 { // the value, two strings, and one for all others
		t.Errorf("%v allocations", n)
	}
	clear(text)
	if want := (names{"one", "two", "three", "four and more", "five", "six é", "", "eight"}); *v != want {
		t.Errorf("%+v, not %+v", *v, want)
	}
}
