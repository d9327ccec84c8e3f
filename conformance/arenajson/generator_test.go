package arenajson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// This file makes types and texts at random.

// leaves are the types that random types are made of.
var leaves = []reflect.Type{
	reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
	reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint64](),
	reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[bool](), reflect.TypeFor[string](), reflect.TypeFor[string](),
	reflect.TypeFor[any](), reflect.TypeFor[any](), reflect.TypeFor[[]byte](), reflect.TypeFor[[3]byte](), numberLeaf,
	reflect.TypeFor[json.RawMessage](), reflect.TypeFor[time.Time](), reflect.TypeFor[map[string]any](), reflect.TypeFor[map[string]string](),
	reflect.TypeFor[Upper](), reflect.TypeFor[Raw](), reflect.TypeFor[fmt.Stringer](), reflect.TypeFor[Base](), reflect.TypeFor[*Base](),
	reflect.TypeFor[Tagged](), reflect.TypeFor[Tree](), reflect.TypeFor[MyString](), reflect.TypeFor[Folded](),
}

type (
	MyString string
	Upper    string
	Raw      struct{ Text string }
	Base     struct {
		X int    `json:"x"`
		Y string `json:"why"`
	}
	Tagged struct {
		Base
		*Extra
		A int      `json:"a,string"`
		B *float64 `json:"b,string"`
		C string   `json:"-"`
		//lint:ignore SA5008 a tag that is odd on purpose
		D []int `json:"-,"`
		E bool  `json:",omitempty"`
	}
	Extra struct {
		Z []string       `json:"z"`
		M map[int]string `json:"m"`
		X int            `json:"x2"`
	}
	Tree struct {
		Kids []Tree `json:"kids"`
		Name string `json:"name"`
	}
	Folded struct {
		Foo  int `json:"foo"`
		FOO  int
		Bär  int    `json:"bär"`
		Kk   int    `json:"Kk"`
		Long string `json:"a_rather_long_name_of_more_than_16"`
	}
)

func (u *Upper) UnmarshalText(b []byte) error {
	if len(b) > 3 {
		return errors.New("too long")
	}
	*u = Upper(strings.ToUpper(string(b)))
	return nil
}

func (r *Raw) UnmarshalJSON(b []byte) error {
	if string(b) == "7" {
		return errors.New("seven")
	}
	r.Text += string(b)
	return nil
}

// A generator makes types, and texts for them, at random.
type generator struct{ *rand.Rand }

var names = []string{"a", "B", "foo", "FOO", "Foo", "x", "why", "z", "name", "kids", "bär", "KK", "kk", "\u212Ak", "f_oo", "q\"uote", "0", "1", "-1", "",
	"a_rather_long_name_of_more_than_16", "a_rather_long_nameXof_more_than_16"}

func (g generator) typ(depth int) reflect.Type {
	if depth <= 0 || g.IntN(4) == 0 {
		return leaves[g.IntN(len(leaves))]
	}
	switch g.IntN(8) {
	case 0:
		return reflect.PointerTo(g.typ(depth - 1))
	case 1, 2:
		return reflect.SliceOf(g.typ(depth - 1))
	case 3:
		return reflect.ArrayOf(g.IntN(4), g.typ(depth-1))
	case 4:
		keys := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[int](), reflect.TypeFor[uint8](), reflect.TypeFor[Upper](), reflect.TypeFor[MyString]()}
		return reflect.MapOf(keys[g.IntN(len(keys))], g.typ(depth-1))
	}
	var fields []reflect.StructField
	for i := range g.IntN(6) + 1 {
		f := reflect.StructField{Name: "F" + strconv.Itoa(i), Type: g.typ(depth - 1)}
		name := names[g.IntN(len(names))]
		if strings.Contains(name, `"`) {
			name = "f"
		}
		opts := []string{"", ",omitempty", ",string", ",case:ignore", ",case:strict"}[max(0, g.IntN(12)-7)]
		if k := f.Type.Kind(); opts == ",string" && (k <= reflect.Bool || k > reflect.Float64) {
			opts = ""
		}
		f.Tag = reflect.StructTag(fmt.Sprintf("json:%q", name+opts))
		fields = append(fields, f)
	}
	return reflect.StructOf(fields)
}

var scalars = []string{"0", "1", "-1", "-0", "7", "127", "128", "255", "256", "300", "65536", "2147483648", "-9223372036854775808", "9223372036854775807",
	"9223372036854775808", "18446744073709551615", "18446744073709551616", "1.5", "-0.0", "1e5", "1E400", "3.4028236e38", "1e-400", "123456789012345678901234567890",
	"0.1", "true", "false", "null", "null", `""`, `"a"`, `"12"`, `"-3"`, `"1.5"`, `"null"`, `"true"`, `"\u00e9\n"`, `"\ud83d\ude00"`, `"\ud800"`, `"é€😀"`, "\"\xff\"",
	`"aGk="`, `"aGVs"`, `"aGk"`, `"aG\nk="`, `"2006-01-02T15:04:05Z"`, `"2006-01-02T5:04:05.5+01:00"`, `"\"q\""`, `"long enough to need several words of eight bytes"`,
	"01", "1.", ".5", "+1", "-", "1e", "tru", "nul", `"\x"`, `"\u12"`, "\"\x01\"", `"open`, "", "]", "}", ",", ":", "NaN", "'a'", "\xef\xbb\xbf1"}

func (g generator) space() string {
	return []string{"", "", "", "", " ", "\n", "\t ", "\n            ", "\r\n"}[g.IntN(9)]
}

// text returns a text, mostly one that fits a type.
func (g generator) text(t reflect.Type, depth int) string {
	if depth <= 0 || g.IntN(25) == 0 {
		return scalars[g.IntN(len(scalars)-min(24, 24*g.IntN(40)))]
	}
	switch t.Kind() {
	case reflect.Pointer:
		return g.text(t.Elem(), depth)
	case reflect.Struct:
		return g.object(depth, func(i int) (string, reflect.Type) { return g.member(t) })
	case reflect.Map:
		return g.object(depth, func(i int) (string, reflect.Type) {
			if t.Key().Kind() != reflect.String && g.IntN(10) > 0 {
				return strconv.Itoa(g.IntN(20) - 2), t.Elem()
			}
			return names[g.IntN(len(names))], t.Elem()
		})
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			return []string{`"aGk="`, `"aGVs"`, `""`, `[1,2,3]`, `"aGVsbG8="`}[g.IntN(5)]
		}
		return g.array(depth, t.Elem())
	case reflect.Interface:
		switch g.IntN(4) {
		case 0:
			return g.object(depth, func(i int) (string, reflect.Type) { return names[g.IntN(len(names))], t })
		case 1:
			return g.array(depth, t)
		}
	case reflect.Bool:
		return []string{"true", "false"}[g.IntN(2)]
	case reflect.String:
		return []string{`""`, `"a"`, `"12"`, `"\u00e9\n"`, `"é€😀"`, `"long enough to need several words of eight bytes"`, `"é long enough to need several words of eight bytes"`}[g.IntN(7)]
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(g.NormFloat64()*1000, byte("efg"[g.IntN(3)]), g.IntN(20)-1, 64)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(int64(g.Uint64())>>g.IntN(64), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(g.Uint64()>>g.IntN(64), 10)
	}
	return scalars[g.IntN(len(scalars)-min(24, 24*g.IntN(40)))]
}

// member returns a name, mostly that of a field, and the field's type.
func (g generator) member(t reflect.Type) (string, reflect.Type) {
	if g.IntN(6) == 0 || t.NumField() == 0 {
		return names[g.IntN(len(names))], leaves[g.IntN(len(leaves))]
	}
	f := t.Field(g.IntN(t.NumField()))
	if f.Anonymous {
		e := f.Type
		if e.Kind() == reflect.Pointer {
			e = e.Elem()
		}
		return g.member(e)
	}
	name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "" {
		name = f.Name
	}
	if strings.Contains(opts, "string") && g.IntN(3) > 0 {
		return name + "\x00", f.Type
	}
	return name, f.Type
}

func (g generator) object(depth int, member func(i int) (string, reflect.Type)) string {
	var b strings.Builder
	b.WriteString("{" + g.space())
	for i := range g.IntN(6) {
		if i > 0 {
			b.WriteString(g.space() + "," + g.space())
		}
		name, t := member(i)
		name, quoted := strings.CutSuffix(name, "\x00")
		if g.IntN(30) == 0 {
			name = strings.ToUpper(name)
		}
		q := strconv.Quote(name)
		if g.IntN(10) == 0 && name != "" && name[0] < 0x80 {
			q = fmt.Sprintf(`"\u%04x%s`, name[0], strconv.Quote(name[1:])[1:])
		}
		b.WriteString(q + g.space() + ":" + g.space())
		v := g.text(t, depth-1)
		if quoted && v != "" && v[0] != '"' {
			v = strconv.Quote(v)
		}
		b.WriteString(v)
	}
	b.WriteString(g.space() + "}")
	return b.String()
}

func (g generator) array(depth int, elem reflect.Type) string {
	var b strings.Builder
	b.WriteString("[" + g.space())
	n := g.IntN(5)
	if g.IntN(20) == 0 {
		n = g.IntN(40)
		depth = min(depth, 2)
	}
	for i := range n {
		if i > 0 {
			b.WriteString("," + g.space())
		}
		b.WriteString(g.text(elem, depth-1))
	}
	return b.String() + g.space() + "]"
}

// mutate changes a text a little.
func (g generator) mutate(s string) string {
	if s == "" {
		return s
	}
	i := g.IntN(len(s))
	switch g.IntN(4) {
	case 0:
		return s[:i]
	case 1:
		return s[:i] + s[i+1:]
	case 2:
		return s[:i] + string(`{}[]",:0 n\é`[g.IntN(12)]) + s[i:]
	}
	return s + s[i:]
}
