//go:build (goexperiment.jsonv2 && go1.27) || go1.28

package arenajson_test

import (
	"encoding/json/jsontext"
	jsonv2 "encoding/json/v2"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

func init() {
	raw := []reflect.Type{reflect.TypeFor[jsontext.Value](), reflect.TypeFor[*jsontext.Value]()}
	structRests, structLeaves = append(structRests, raw...), append(structLeaves, raw...)
	codecs = append(codecs, codec{"v2", true,
		func(a *arena.Arena, b []byte, v any) error { return arenajson.Unmarshal(a, b, v) },
		func(_ *arena.Arena, b []byte, v any) error { return jsonv2.Unmarshal(b, v) },
		func(v any) ([]byte, error) { return arenajson.Append(nil, v, arenajson.Deterministic(true)) },
		func(v any) ([]byte, error) { return jsonv2.Marshal(v, jsonv2.Deterministic(true)) },
		func(err error) string {
			var syntax *jsontext.SyntacticError
			var semantic *jsonv2.SemanticError
			switch {
			case err == nil:
				return "none"
			case errors.As(err, &syntax):
				return "syntax" // where depends on whether methods read it
			case errors.As(err, &semantic):
				return fmt.Sprintf("type: %v at %d, %s, %s", semantic.GoType, semantic.ByteOffset, semantic.JSONPointer, string(semantic.JSONValue))
			}
			return "other"
		},
		func(reflect.Type) bool { return false },
	})
}

// TestMessagesShortenAsV2: a message has what encoding/json/v2 leaves of a long pointer.
func TestMessagesShortenAsV2(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var b strings.Builder
		for b.Len() < 200 {
			b.WriteString("/" + strings.Repeat([]string{"", "a", "ä", "🎄"}[r.IntN(4)], 1+r.IntN(1+r.IntN(80))))
		}
		p := b.String()[:90]
		if r.IntN(3) > 0 {
			p = b.String()
		}
		p = strings.ToValidUTF8(p, "")
		got := (&arenajson.Error{Pointer: p, Err: io.EOF}).Error()
		want := (&jsontext.SyntacticError{JSONPointer: jsontext.Pointer(p), Err: io.EOF}).Error()
		if strings.TrimPrefix(got, "arenajson: ") != strings.TrimPrefix(want, "jsontext: ")+" at offset 0" {
			t.Fatalf("%s:\n%s\n%s", p, got, want)
		}
	}
}

type (
	EmbeddedValue struct {
		A    int            `json:",omitzero"`
		B    int            `json:"b,case:ignore,omitzero"`
		More jsontext.Value `json:",embed"`
	}
	hiddenValue struct {
		More jsontext.Value `json:",embed"`
	}
	hiddenMap struct {
		More map[string]int `json:",embed"`
	}
)

// TestClosedRest: a member for a field behind a nil pointer that can't be set is an error, where the standard library
// panics.
func TestClosedRest(t *testing.T) {
	for _, text := range []string{`{"x":1}`, `{"x":1`, `{"x":tru}`} {
		for _, v := range []any{&struct{ *hiddenValue }{}, &struct{ *hiddenMap }{}} {
			for _, o := range []arenajson.Options{v1, v2} {
				if err := arenajson.Unmarshal(nil, []byte(text), v, o); err == nil {
					t.Errorf("%s goes to %+v", text, v)
				}
			}
		}
	}
}

// TestEmbeddedValue: a field of jsontext.Value for members without one is read and written as by the standard
// library, with any previous value.
func TestEmbeddedValue(t *testing.T) {
	type pointer struct {
		More *jsontext.Value `json:",embed"`
		A    int
	}
	type inner struct {
		*EmbeddedValue
		C string
	}
	before := []string{"", " ", "{}", " { } ", `{"x":1}`, `{"x":[1, 2] , }`, "[]", "{", "}", "null", "{\"\\u0078\" : \"\\u0041\xff\"}\n",
		`{"A":2}`, `{"B":2,"b":3}`, `{"B":2}`, `{"y":1,"y":2}`, `{"y":{"z":1,"z":2}}`}
	texts := []string{"{}", `{"A":1}`, `{"B":1}`, `{"x":1, "A":1}`, `{"x" : [ 1 ],"\u0079":{"z":"\u0041"}}`, `{"y":1,"y":2}`, `{"y":{"z":1,"z":2}}`,
		`{"x":tru}`, "{\"x\xff\":1}", "null", `{"C":"c","A":3,"D":1}`, `{"x<":"<"}`}
	a := arena.NewArena()
	for _, c := range codecs {
		for _, text := range texts {
			for _, b := range before {
				if c.name == "v1" && b != "" && !strings.Contains(b, "}") {
					continue // encoding/json panics
				}
				old := func() jsontext.Value { return jsontext.Value(strings.Clone(b)) }
				x, y := old(), old()
				for _, v := range [][2]any{{&EmbeddedValue{More: old()}, &EmbeddedValue{More: old()}}, {&pointer{More: &x}, &pointer{More: &y}}, {&pointer{}, &pointer{}},
					{&inner{}, &inner{}}, {&inner{EmbeddedValue: &EmbeddedValue{More: old()}}, &inner{EmbeddedValue: &EmbeddedValue{More: old()}}}} {
					want, got := c.readWant(a, []byte(text), v[0]), c.read(a, []byte(text), v[1])
					if (want == nil) != (got == nil) || want == nil && !reflect.DeepEqual(v[0], v[1]) {
						t.Errorf("%s, %s to %q: %+v (%v), not %+v (%v)", c.name, text, b, v[1], got, v[0], want)
						continue
					}
					out, wantErr := c.writeWant(v[0])
					out2, err := c.write(v[0])
					if (wantErr == nil) != (err == nil) || err == nil && string(out) != string(out2) {
						t.Errorf("%s, %+v of %s to %q: %s (%v), not %s (%v)", c.name, v[0], text, b, out2, err, out, wantErr)
					}
				}
			}
		}
	}
}
