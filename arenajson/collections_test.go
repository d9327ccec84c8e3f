package arenajson_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/collections"
	"github.com/harena-go/arena/internal/engine/race"
)

// A level is a text key with a method: different texts may be equal keys.
type level int

func (l *level) UnmarshalText(b []byte) error {
	switch strings.ToLower(string(b)) {
	case "low":
		*l = 1
	case "high":
		*l = 2
	default:
		return errors.New("no level")
	}
	return nil
}

func (l level) MarshalText() ([]byte, error) {
	if l < 1 || l > 2 {
		return nil, errors.New("no level")
	}
	return []byte([]string{"low", "high"}[l-1]), nil
}

type part struct {
	A int    `json:"a"`
	S string `json:"s"`
}

// builtin and contained are alike, but that one has Go's maps and slices.
type builtin struct {
	M  map[string]int                `json:"m"`
	I  map[int8]string               `json:"i"`
	U  map[uint64]float64            `json:"u"`
	L  map[level]int                 `json:"l"`
	F  map[float64]bool              `json:"f"`
	P  map[string]part               `json:"p"`
	PP map[string]*part              `json:"pp"`
	A  map[string]any                `json:"a"`
	N  map[string]map[string][]int64 `json:"n"`
	K  map[named]named               `json:"k"`
	S  []int                         `json:"s"`
	B  []byte                        `json:"b"`
	SS [][]string                    `json:"ss"`
	SP []part                        `json:"sp"`
	V  map[any]any                   `json:"v"`
	Z  map[string]struct{}           `json:"z"`
	D  []map[string]bool             `json:"d"`
	T  map[string]*[]int             `json:"t"`
	BS []octet                       `json:"bs"`
}

type contained struct {
	M  collections.Map[string, int]                                               `json:"m"`
	I  collections.Map[int8, string]                                              `json:"i"`
	U  collections.Map[uint64, float64]                                           `json:"u"`
	L  collections.Map[level, int]                                                `json:"l"`
	F  collections.Map[float64, bool]                                             `json:"f"`
	P  collections.Map[string, part]                                              `json:"p"`
	PP collections.Map[string, *part]                                             `json:"pp"`
	A  collections.Map[string, any]                                               `json:"a"`
	N  collections.Map[string, collections.Map[string, collections.Slice[int64]]] `json:"n"`
	K  collections.Map[named, named]                                              `json:"k"`
	S  collections.Slice[int]                                                     `json:"s"`
	B  collections.Slice[byte]                                                    `json:"b"`
	SS collections.Slice[collections.Slice[string]]                               `json:"ss"`
	SP collections.Slice[part]                                                    `json:"sp"`
	V  collections.Map[any, any]                                                  `json:"v"`
	Z  collections.Map[string, struct{}]                                          `json:"z"`
	D  []collections.Map[string, bool]                                            `json:"d"`
	T  collections.Map[string, *collections.Slice[int]]                           `json:"t"`
	BS collections.Slice[octet]                                                   `json:"bs"`
}

type (
	named string
	octet byte
)

// plainly returns a value with containers of package collections as one of Go's types: maps and slices of
// any, and what else there is.
func plainly(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return nil
		}
		return plainly(v.Elem())
	case reflect.Map:
		m := map[string]any{}
		for k, e := range v.Seq2() {
			m[fmt.Sprintf("%#v", plainly(k))] = plainly(e)
		}
		return m
	case reflect.Slice:
		s := []any{}
		for _, e := range v.Seq2() {
			s = append(s, plainly(e))
		}
		return s
	case reflect.Struct:
		c := reflect.New(v.Type())
		c.Elem().Set(v)
		if items := c.MethodByName("Slice"); items.IsValid() {
			return plainly(items.Call(nil)[0])
		}
		if all := c.MethodByName("All"); all.IsValid() {
			m := map[string]any{}
			for k, e := range all.Call(nil)[0].Seq2() {
				m[fmt.Sprintf("%#v", plainly(k))] = plainly(e)
			}
			return m
		}
		s := []any{}
		for i := range v.NumField() {
			s = append(s, plainly(v.Field(i)))
		}
		return s
	}
	return v.Interface()
}

// same compares what decoding a text gave for the two kinds of types.
func same(t *testing.T, text string, what string, builtin *builtin, contained *contained, want, got error) {
	t.Helper()
	if errors.Is(want, arenajson.ErrDuplicateName) { // before which a map[string]any forgets the first value
		builtin.A = nil
		contained.A.Clear()
	}
	if a, b := plainly(reflect.ValueOf(builtin)), plainly(reflect.ValueOf(contained)); !reflect.DeepEqual(a, b) {
		t.Errorf("%s: %s\nhas  %v\nwant %v", what, text, b, a)
	}
	var w, g *arenajson.Error
	if (want == nil) != (got == nil) || errors.As(want, &w) != errors.As(got, &g) {
		t.Errorf("%s: %s\nhas  %v\nwant %v", what, text, got, want)
		return
	}
	switch {
	case w == nil && want != nil && want.Error() != got.Error():
		t.Errorf("%s: %s\nhas  %v\nwant %v", what, text, got, want)
	case w == nil:
	case w.Offset != g.Offset || w.Pointer != g.Pointer || w.Kind != g.Kind || w.Value != g.Value || fmt.Sprint(w.Err) != fmt.Sprint(g.Err) || (w.Type == nil) != (g.Type == nil):
		t.Errorf("%s: %s\nhas  %v\nwant %v", what, text, got, want)
	}
}

var containedTexts = []string{
	`{"m":{"a":1,"b":2},"i":{"1":"x","-128":"y"},"u":{"18446744073709551615":1.5},"l":{"low":1,"HIGH":2},"f":{"1.5":true},"p":{"x":{"a":1,"s":"t"}},
	 "pp":{"x":{"a":2},"y":null},"a":{"k":[1,{"n":null}]},"n":{"x":{"y":[1,2,3],"z":[]},"w":{}},"k":{"q\u0041":"r\n"},"s":[1,2,3],"b":"aGVsbG8=",
	 "ss":[["a"],[],["b","c"]],"sp":[{"a":1},{},{"s":"z"}],"v":{"k":1},"z":{"q":{}},"d":[{"t":true},{}],"t":{"x":[1],"y":null},"bs":[1,2]}`,
	`{}`, `null`, `{"m":{},"s":[]}`, `{"m":null,"s":null,"n":null,"b":null,"ss":[null],"d":[null],"n":{"x":null}}`,
	`{"m":{"a":1,"a":2}}`, `{"m":{"a":1},"m":{"b":2}}`, `{"m":{"a":1},"m":null}`, `{"i":{"1":"x","1":"y"}}`, `{"i":{"128":"x","2":5}}`, `{"i":{"x":"x","2":"y"}}`, `{"i":{"-0":"x","0":"y"}}`,
	`{"l":{"low":1,"LOW":2}}`, `{"l":{"low":1,"middle":"x"}}`, `{"l":{"middle":"x","low":3}}`, `{"p":{"x":{"a":1},"x":{"s":"t"}}}`, `{"p":{"x":{"a":1,"s":5},"y":{"a":2}}}`,
	`{"pp":{"x":{"a":1},"x":{"s":"t"}}}`, `{"pp":{"x":{"a":1},"x":null}}`, `{"n":{"x":{"y":[1,2]},"x":{"z":[3]}}}`, `{"n":{"x":{"y":[1,"2"]}}}`, `{"m":{"a":"x","b":2}}`,
	`{"m":5,"s":[1]}`, `{"m":[1]}`, `{"s":{"a":1}}`, `{"s":"x","m":{"a":1}}`, `{"s":5}`, `{"s":[1,"x",3]}`, `{"s":[1,2`, `{"m":{"a":1`, `{"m":{"a":1]}`, `{"m":{"a" 1}}`, `{"m":{"a":1,}}`, `{"m":{,}}`, `{"m":{"a"`, `{"m":{"a":}}`,
	`{"b":"!!"}`, `{"b":[1,2,3]}`, `{"b":""}`, `{"bs":"AQI="}`, `{"m":{"\ud800":1,"\ud801":2}}`, "{\"m\":{\"\xff\":1,\"\xfe\":2}}", `{"ss":[["a"],5]}`, `{"v":{"k":1,"k":2}}`, `{"v":{"":[]}}`,
	`{"f":{"1":true,"1.0":false}}`, `{"f":{"x":true}}`, `{"u":{"-1":1}}`, `{"a":{"x":1,"x":{"y":1}}}`, `{"a":{"x":{"z":1},"x":{"y":1}}}`, `{"z":{"a":{},"a":{}}}`, `{"z":{"a":5}}`, `{"t":{"x":[1,2],"x":[3]}}`,
	`{"s":[1,2,3],"s":[4]}`, `{"d":[{"a":true},{"b":true}],"d":[{"c":true}]}`, `{"k":{"a":5}}`, `{"m":tru}`, `{"s":nul}`, `{"m":{"a":nul}}`, `{"x":{"y":1,"y":2},"m":{"a":1}}`, `{"m":true}`, `{"m":{"a":true},"s":[true]} x`,
}

// mutants returns texts that are almost those.
func mutants(texts []string) (all []string) {
	r := rand.New(rand.NewPCG(1, 2))
	all = append(all, texts...)
	size := 1200
	if testing.Short() || race.Instrumented {
		size = 100
	}
	for range size {
		b := []byte(texts[r.IntN(len(texts))])
		other := texts[r.IntN(len(texts))]
		i, j := r.IntN(len(b)), r.IntN(len(other))
		switch r.IntN(5) {
		case 0:
			b[i] = other[j]
		case 1:
			b = b[:i]
		case 2:
			b = append(b[:i], b[min(i+1+r.IntN(3), len(b)):]...)
		case 3:
			b = append(b[:i], other[j:]...)
		case 4:
			b = append(b[:i:i], append([]byte(`"a":null,1,{}[]"`)[r.IntN(16):], b[i:]...)...)
		}
		all = append(all, string(b))
	}
	return all
}

var containedOptions = map[string][]arenajson.Options{
	"v2": nil, "v1": {arenajson.DefaultOptionsV1()}, "duplicates": {arenajson.AllowDuplicateNames(true)}, "invalid": {arenajson.AllowInvalidUTF8(true)},
	"all": {arenajson.AllowDuplicateNames(true), arenajson.AllowInvalidUTF8(true)}, "depth": {arenajson.WithDepthLimit(3)}, "strings": {arenajson.StringifyNumbers(true)},
	"input": {arenajson.ReferenceInput(true)}, "v1 unique": {arenajson.DefaultOptionsV1(), arenajson.AllowDuplicateNames(false)},
}

// TestContainersAsBuiltins: decoding into containers that are empty or not, also of wrong texts, has the results and
// errors of Go's maps and slices, and so does writing.
func TestContainersAsBuiltins(t *testing.T) {
	for name, opts := range containedOptions {
		a := arena.NewArena()
		all := mutants(containedTexts)
		for i := range 2 * len(all) {
			text := all[i/2]
			var b builtin
			var c contained
			if i%2 != 0 {
				if err := errors.Join(arenajson.Unmarshal(a, []byte(containedTexts[0]), &b), arenajson.Unmarshal(a, []byte(containedTexts[0]), &c)); err != nil {
					t.Fatal(err)
				}
			}
			want := arenajson.Unmarshal(a, []byte(text), &b, opts...)
			got := arenajson.Unmarshal(a, []byte(text), &c, opts...)
			same(t, text, name, &b, &c, want, got)
			sorted := append(opts[:len(opts):len(opts)], arenajson.Deterministic(true), arenajson.FormatNilMapAsNull(false), arenajson.FormatNilSliceAsNull(false))
			out, want := arenajson.Append(nil, &b, sorted...)
			out2, got := arenajson.Append(nil, &c, sorted...)
			if string(out) != string(out2) || (want == nil) != (got == nil) {
				t.Errorf("%s: writes %s, %v\nwant %s, %v", name, out2, got, out, want)
			}
			a.Reset()
			if t.Failed() {
				return
			}
		}
	}
}

// TestSyntaxErrorsInContainers: a syntax error has the same place as with Go's types, for which arenajson may call
// the standard library.
func TestSyntaxErrorsInContainers(t *testing.T) {
	type builtin struct {
		M map[string]int                `json:"m"`
		N map[string]map[string][]int64 `json:"n"`
		S []*struct{ A []int }          `json:"s"`
		P map[string]part               `json:"p"`
	}
	type contained struct {
		M collections.Map[string, int]                                               `json:"m"`
		N collections.Map[string, collections.Map[string, collections.Slice[int64]]] `json:"n"`
		S collections.Slice[*struct{ A collections.Slice[int] }]                     `json:"s"`
		P collections.Map[string, part]                                              `json:"p"`
	}
	for name, opts := range containedOptions {
		for _, text := range mutants(containedTexts) {
			var w, g *arenajson.Error
			want, got := arenajson.Unmarshal(nil, []byte(text), new(builtin), opts...), arenajson.Unmarshal(nil, []byte(text), new(contained), opts...)
			if errors.As(want, &w) != errors.As(got, &g) || w != nil && (w.Offset != g.Offset || w.Pointer != g.Pointer || fmt.Sprint(w.Err) != fmt.Sprint(g.Err)) {
				t.Fatalf("%s: %s\nhas  %v\nwant %v", name, text, got, want)
			}
		}
	}
}
