package arenajson_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// Types of keys. The texts of different ones may be equal.
type (
	keyLevel   int
	keyWord    string
	keyPlain   string
	keyOfJSON  struct{ N int }
	keyOfTextP struct{ N int }
	keyStruct  struct{ N int }
	keyAppends int8
	keyPointer *keyOfTextP
)

func (k keyLevel) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "level %d", int(k)/2), nil }
func (k keyWord) MarshalText() ([]byte, error)  { return []byte("<" + k[:min(1, len(k))] + ">"), nil }
func (k keyOfJSON) MarshalJSON() ([]byte, error) {
	return fmt.Appendf(nil, `"json\u0020%d"`, k.N/2), nil
}
func (k *keyOfTextP) MarshalText() ([]byte, error) {
	if k == nil {
		return []byte("none"), nil
	}
	return fmt.Appendf(nil, "pointer %d", k.N/2), nil
}
func (k keyStruct) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "struct %d", k.N), nil }
func (k keyAppends) AppendText(b []byte) ([]byte, error) {
	return fmt.Appendf(b, "appends %d", k/2), nil
}

var keyPointers = []*keyOfTextP{nil, {1}, {2}, {3}}

var keyInts = []int{0, 1, 2, 3}

// keys are the keys that maps are made of.
var keys = []any{"a", "b", "1", "\xff", "\xfe", "\ufffd", "level 1", keyWord("ab"), keyWord("ac"), keyWord(""), keyPlain("a"), keyPlain("\xff"),
	keyLevel(2), keyLevel(3), keyLevel(4), keyOfJSON{2}, keyOfJSON{3}, keyOfTextP{2}, keyOfTextP{3}, keyPointers[1], keyPointers[2], keyPointers[3],
	keyStruct{1}, keyStruct{2}, keyAppends(2), keyAppends(3), int8(1), uint64(1), 1, 2, float32(1), 1.5, 2.0, true, [1]byte{7}, &keyInts[1],
	json.Number("1"), json.Number("2"), keyPointer(keyPointers[1]), struct{ keyLevel }{2}, time.Duration(1), time.Duration(-7)}

// keyTypes are those of maps; all keys that fit are taken.
var keyTypes = []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[any](), reflect.TypeFor[encoding.TextMarshaler](), reflect.TypeFor[json.Marshaler](),
	reflect.TypeFor[string](), reflect.TypeFor[keyWord](), reflect.TypeFor[keyPlain](), reflect.TypeFor[keyLevel](), reflect.TypeFor[keyOfJSON](),
	reflect.TypeFor[keyOfTextP](), reflect.TypeFor[*keyOfTextP](), reflect.TypeFor[keyStruct](), reflect.TypeFor[*keyStruct](), reflect.TypeFor[keyAppends](),
	reflect.TypeFor[*keyAppends](), reflect.TypeFor[int](), reflect.TypeFor[float64](), reflect.TypeFor[bool](), reflect.TypeFor[*int](),
	reflect.TypeFor[json.Number](), reflect.TypeFor[keyPointer](), reflect.TypeFor[struct{ keyLevel }](), reflect.TypeFor[time.Duration](),
	reflect.TypeFor[*time.Duration]()}

// TestKeys: nested maps with random keys are written as by the standard library. By default it is an error if two
// members of an object have the same name; all other maps are written.
func TestKeys(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range testkit.Cases(20_000) {
		m := randomMap(r, 1)
		for _, c := range codecs {
			c.writesKeys(t, m)
		}
		for _, set := range []arenajson.Options{{}, arenajson.Deterministic(true), arenajson.StringifyNumbers(true)} {
			invalid := arenajson.AllowInvalidUTF8(r.IntN(2) == 0)
			checkUniqueNames(t, m, set, invalid)
		}
	}
}

// writesKeys checks that v is written as by the standard library, but for the order of members with the same name.
func (c *codec) writesKeys(t *testing.T, v any) {
	t.Helper()
	want, wantErr := c.writeWant(v)
	got, err := c.write(v)
	equal := bytes.Equal(want, got) || len(want) == len(got) && !arenajson.Valid(want)
	if (wantErr != nil) != (err != nil) || err == nil && !equal {
		t.Fatalf("%s, %#v:\n%s (%v), not\n%s (%v)", c.name, v, got, err, want, wantErr)
	}
}

// TestKeysAreRead: names are read as keys as by the standard library.
func TestKeysAreRead(t *testing.T) {
	for _, c := range codecs {
		for _, key := range keyTypes {
			for _, name := range []string{"", "a", "1", "-1", "1.0", "1e2", "300", "true", "null", "level 1", "9223372036854775808"} {
				x, y := reflect.New(reflect.MapOf(key, reflect.TypeFor[int]())), reflect.New(reflect.MapOf(key, reflect.TypeFor[int]()))
				text := fmt.Appendf(nil, `{%q:1}`, name)
				want, got := c.readWant(nil, text, x.Interface()), c.read(nil, text, y.Interface())
				wantBack, _ := c.writeWant(x.Interface())
				back, _ := c.writeWant(y.Interface())
				if (want != nil) != (got != nil) || want == nil && !bytes.Equal(wantBack, back) {
					t.Errorf("%s, %s to %v: %s (%v), not %s (%v)", c.name, text, key, back, got, wantBack, want)
				}
			}
		}
	}
}

// checkUniqueNames checks that v is written if and only if no names are equal.
func checkUniqueNames(t *testing.T, v any, opts ...arenajson.Options) {
	t.Helper()
	loose, looseErr := arenajson.Append(nil, v, append(opts, arenajson.AllowDuplicateNames(true))...)
	strict, err := arenajson.Append(nil, v, opts...)
	if valid := looseErr == nil && arenajson.Valid(loose, opts...); valid != (err == nil) || valid && len(strict) != len(loose) {
		t.Fatalf("%#v: %s (%v), and with duplicates %s (%v)", v, strict, err, loose, looseErr)
	}
}

func randomMap(r *rand.Rand, depth int) any {
	key := keyTypes[r.IntN(len(keyTypes))]
	m := reflect.MakeMap(reflect.MapOf(key, []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[string]()}[r.IntN(2)]))
	if key.Kind() == reflect.Pointer && r.IntN(4) == 0 {
		m.SetMapIndex(reflect.Zero(key), reflect.Zero(m.Type().Elem()))
	}
	for n := r.IntN(4); m.Len() < n && r.IntN(200) > 0; {
		k := reflect.ValueOf(keys[r.IntN(len(keys))])
		if !k.Type().AssignableTo(key) {
			continue
		}
		v := reflect.Zero(m.Type().Elem())
		if v.Kind() == reflect.Interface && depth > 0 && r.IntN(3) == 0 {
			v = reflect.ValueOf(randomMap(r, depth-1))
		}
		m.SetMapIndex(k, v)
	}
	return m.Interface()
}

// TestUniqueNames: the same for a Map of package collections, an Object, and a struct with a map for other members.
func TestUniqueNames(t *testing.T) {
	type rest struct {
		A, B int            `json:",omitempty"`
		C    int            `json:"c"`
		More map[string]any `json:",embed"`
	}
	type folding struct {
		A, B int            `json:",omitempty"`
		C    int            `json:"c,case:ignore"`
		More map[string]any `json:",embed"`
	}
	r := rand.New(rand.NewPCG(2, 1))
	for range testkit.Cases(20_000) {
		var m collections.Map[keyLevel, int]
		var anys collections.Map[any, int]
		var words collections.Map[string, int]
		var o arenajson.Object
		in := rest{A: r.IntN(2), C: r.IntN(2), More: map[string]any{}}
		for range r.IntN(4) {
			m.Set(keyLevel(r.IntN(6)), 1)
			anys.Set([]any{int8(1), uint8(1), "1", "2", keyLevel(2), keyLevel(3)}[r.IntN(6)], 1)
			word := []string{"a", "A", "B", "C", "c", "\xff", "\xfe", "\ufffd"}[r.IntN(8)]
			words.Set(word, 1)
			in.More[word] = nil
			o = append(o, arenajson.Member{Name: []string{word, "d", "e", "f"}[r.IntN(4)]})
		}
		for _, v := range []any{&m, &anys, &words, o, in, map[string]any{"x": in.More}} {
			for _, set := range []arenajson.Options{{}, arenajson.Deterministic(true)} {
				checkUniqueNames(t, v, set, arenajson.AllowInvalidUTF8(r.IntN(2) == 0))
			}
		}
		for _, c := range codecs[1:] {
			c.writesKeys(t, in)
			c.writesKeys(t, folding(in))
			c.writesKeys(t, map[string]any{"x": in.More})
		}
	}
}
