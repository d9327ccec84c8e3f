package arenajson_test

import (
	"encoding/json"
	"net"
	"reflect"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

// This file holds chosen types and texts, for which structs_test.go has random ones.

// TestInterfaceOfItself: if an interface holds a pointer to itself, or one that leads to it, decoding replaces the
// pointer, as encoding/json does for the former; writing is an error.
func TestInterfaceOfItself(t *testing.T) {
	for _, text := range []string{"1", "null", "{}", "[1]", `"x"`, `{"a":1}`} {
		var want any
		json.Unmarshal([]byte(text), &want)
		for _, o := range []arenajson.Options{v1, v2} {
			var x, y, z any
			x, y, z = &x, &z, &y
			for _, v := range []*any{&x, &y} {
				if _, err := arenajson.Append(nil, v, o); err == nil {
					t.Error("a cycle is written")
				}
				if err := arenajson.Unmarshal(nil, []byte(text), v, o); err != nil || !reflect.DeepEqual(*v, want) {
					t.Errorf("%s: %v (%v)", text, *v, err)
				}
			}
			y, z = &z, &z
			if err := arenajson.Unmarshal(nil, []byte(text), &y, o); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestPointersWithNames: the target of a named pointer type is decoded as by the standard library, whose older
// versions look for methods of that type only.
func TestPointersWithNames(t *testing.T) {
	for _, c := range codecs {
		for _, text := range []string{`{"S":"s"}`, "7", "null", `"x"`} {
			x, y := ToJSON(&JSONOfPointer{}), ToJSON(&JSONOfPointer{})
			var i, j any = x, y
			want, got := c.readWant(nil, []byte(text), x), c.read(nil, []byte(text), y)
			want2, got2 := c.readWant(nil, []byte(text), &i), c.read(nil, []byte(text), &j)
			if (want == nil) != (got == nil) || (want2 == nil) != (got2 == nil) || !reflect.DeepEqual(i, j) || *x != *y {
				t.Errorf("%s, %s: %v %v (%v, %v), not %v %v (%v, %v)", c.name, text, *y, j, got, got2, *x, i, want, want2)
			}
		}
	}
}

// TestStructsOfBugs is TestStructs for types and texts at which there were differences.
func TestStructsOfBugs(t *testing.T) {
	type folded struct {
		First         // deeper, but first in the struct
		NaMe  string  `json:"NaMe"`
		IP    *net.IP `json:"ip"`
	}
	type quoted struct {
		A OnlyReads     `json:",string"`
		B TextOfPointer `json:",string"`
		C TextOfString  `json:",string"`
		D *any          `json:",string"`
	}
	type omitted struct {
		//lint:ignore SA5008 a tag that is odd on purpose
		A map[string]int `json:",string,omitempty"`
		//lint:ignore SA5008 a tag that is odd on purpose
		B []int       `json:",string,omitempty"`
		C json.Number `json:",omitempty"`
	}
	a := arena.NewArena()
	for _, c := range []struct {
		typ   reflect.Type
		texts []string
	}{
		{reflect.TypeFor[struct {
			My struct {
				*Nilable
				X int
			}
		}](), []string{`{"My":{"S":"s","X":4}}`, `{"My":null}`}},
		{reflect.TypeFor[struct{ A, B ToJSON }](), []string{`{"A":{"S":"s"},"B":7}`, `{"A":{"S":"t"},"B":null}`}},
		{reflect.TypeFor[folded](), []string{`{"nAME":1}`}},
		{reflect.TypeFor[Twins](), []string{`{"nAmE":1}`}},
		{reflect.TypeFor[net.IP](), []string{`"10.0.0.1"`, "null"}},
		{reflect.TypeFor[struct{ M TextOfMap }](), []string{`{"M":"x"}`, `{"M":null}`}},
		{reflect.TypeFor[quoted](), []string{`{"A":"\"x\""}`, `{"B":"1"}`, `{"C":"é"}`, `{"A":"null"}`, `{"D":"null"}`}},
		{reflect.TypeFor[omitted](), []string{`{}`, `{"C":1}`}},
		{reflect.TypeFor[map[float64]int](), []string{`{"1.5":1}`, "{}"}},
		{reflect.TypeFor[map[bool]int](), []string{`{"true":1}`}},
		{reflect.TypeFor[map[json.Number]int](), []string{`{"":1}`, `{"x":1}`}},
		{reflect.TypeFor[struct{ A, B any }](), []string{`{"A":1}`, `{"A":1e400,"B":2}`}},
		{reflect.TypeFor[struct {
			N json.Number
			B int
		}](), []string{`{"N":"x","B":1}`}},
		{reflect.TypeFor[Pointed](), []string{`{"Name":1,"in":{"NAME":2,"Last":[{"Other":"a"}]}}`, `{"in":null,"Last":[]}`}},
		{reflect.TypeFor[struct {
			*Deep
			Score float64
		}](), []string{`{"a":1,"Score":2}`}},
	} {
		for _, codec := range codecs {
			if s := codec.differs(a, c.typ, c.texts); s != "" {
				t.Error(s)
			}
		}
		a.Reset()
	}
}

// TestQuotedMethodsAreForeign: a self-contained arena refuses types with methods, also in fields with the tag option
// string: it would hide the methods' memory from the GC.
func TestQuotedMethodsAreForeign(t *testing.T) {
	type quoted struct {
		//lint:ignore SA5008 a tag that is odd on purpose
		A JSONOfValue `json:",string"`
	}
	type text struct {
		A *TextOfString `json:",string"`
	}
	a := arena.NewArena(arena.WithNoScan())
	for _, v := range []any{arena.New[quoted](a), arena.New[text](a), arena.New[[]quoted](a), arena.New[struct{ B *text }](a)} {
		for _, o := range []arenajson.Options{v1, v2} {
			if err := arenajson.Unmarshal(a, []byte("null"), v, o); err == nil {
				t.Errorf("%T is read to a self-contained arena", v)
			}
		}
	}
}
