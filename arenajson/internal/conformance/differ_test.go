package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

func v2Valid(data []byte) bool {
	var v rawValue
	return unmarshalV2(data, &v) == nil
}

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

// describe returns what of an error must agree.
func describe(err error) string {
	var own *arenajson.Error
	var syn *syntacticError
	var sem *semanticError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &own) && own.Type == nil:
		return describeSyntax(own.Offset, own.Pointer, own.Err == arenajson.ErrDuplicateName)
	case errors.As(err, &own):
		return fmt.Sprintf("type %d %s %v %s", own.Offset, own.Pointer, own.Type, own.Value)
	case errors.As(err, &sem):
		return fmt.Sprintf("type %d %s %v %s", sem.ByteOffset, sem.JSONPointer, sem.GoType, string(sem.JSONValue))
	case errors.As(err, &syn):
		return describeSyntax(syn.ByteOffset, string(syn.JSONPointer), syn.Err == errDuplicate)
	}
	return "error " + err.Error()
}

// describeSyntax leaves the pointer out where the reference's depends on how it reads: token by
// token or a value at a time.
func describeSyntax(offset int64, pointer string, duplicate bool) string {
	if !exactPointers && !duplicate {
		pointer = ""
	}
	return fmt.Sprintf("syntax %d %s %v", offset, pointer, duplicate)
}

// A comparison decodes texts one after the other with both decoders, into values that earlier
// texts have filled, and returns how the outcomes differ, or "".
type comparison func(a *arena.Arena, typ reflect.Type, texts []string) string

func compareV2(a *arena.Arena, typ reflect.Type, texts []string) string {
	return compare(typ, texts, describe,
		func(b []byte, v any) error { return unmarshalV2(b, v) },
		func(b []byte, v any) error { return arenajson.Unmarshal(a, b, v) })
}

func compareV1(a *arena.Arena, typ reflect.Type, texts []string) string {
	return compare(typ, texts, describeV1, json.Unmarshal,
		func(b []byte, v any) error { return arenajson.Unmarshal(a, b, v, v1) })
}

func compare(typ reflect.Type, texts []string, describe func(error) string, want, got func([]byte, any) error) string {
	x, y := reflect.New(typ), reflect.New(typ)
	for i, s := range texts {
		errX, errY := want([]byte(s), x.Interface()), got([]byte(s), y.Interface())
		w, g := describe(errX), describe(errY)
		if w != g && (!exactPointers || hasMethods(typ) || holdsAny(typ, 0)) && strings.HasPrefix(w, "syntax ") &&
			(withoutPointer(w) == withoutPointer(g) || readsSo(s, g, describe)) {
			w = g
		}
		if strings.Contains(fmt.Sprint(errX), "cannot derive concrete type") && strings.HasPrefix(g, "syntax ") {
			break // version 2 reports the interface although not even a colon is in front of the value
		}
		if w != g || !unsure(typ, errX) && !same(x, y) {
			return fmt.Sprintf("texts %q\nwant %s (%v)\n got %s (%v)\nwant %s\n got %s", texts[:i+1], w, errX, g, errY, show(x), show(y))
		}
		if unsure(typ, errX) {
			break // what comes next may depend on what is left
		}
	}
	return ""
}

// shrink looks for shorter texts that make a difference.
func shrink(c comparison, a *arena.Arena, typ reflect.Type, texts []string) string {
	report := c(a, typ, texts)
	for again := true; again; {
		again = false
		if len(texts) > 1 {
			if r := c(a, typ, texts[1:]); r != "" {
				texts, report, again = texts[1:], r, true
			}
		}
		for k, s := range texts {
			for n := len(s) / 2; n > 0; n /= 2 {
				for i := 0; i+n <= len(s); i++ {
					fewer := append([]string{}, texts...)
					fewer[k] = s[:i] + s[i+n:]
					if r := c(a, typ, fewer); r != "" {
						texts, report, again, s = fewer, r, true, fewer[k]
					}
				}
			}
		}
	}
	return report
}

// readsSo says whether the reference describes a text's syntax so when it reads it token by token,
// or as a whole: which one it does depends on the type.
func readsSo(s, want string, describe func(error) string) bool {
	d := newTokens(strings.NewReader(s))
	var err error
	for err == nil {
		_, err = d.ReadToken()
	}
	var v rawValue
	return describe(err) == want || describe(unmarshalV2([]byte(s), &v)) == want
}

// hasMethods says whether types in t have methods, which mustn't be called again to find out how
// the reference reads a text that is wrong.
func hasMethods(t reflect.Type) bool {
	s := t.String()
	return strings.Contains(s, "conformance.") || strings.Contains(s, "Stringer") || strings.Contains(s, "jsontext.Value")
}

// withoutPointer returns the description of a syntax error without the pointer.
func withoutPointer(s string) string {
	if f := strings.Fields(s); len(f) > 2 {
		return f[0] + f[1] + f[len(f)-1]
	}
	return s
}

// unsure says whether an error leaves something that each decoder may decide on for itself: what
// was begun when the syntax of a value turned out to be wrong, or an interface.
func unsure(t reflect.Type, err error) bool {
	var syn *syntacticError
	var syn1 *json.SyntaxError
	return errors.As(err, &syn) && !errors.As(err, &syn1) || err != nil && holdsAny(t, 0)
}

// holdsAny says whether a value of a type may hold an interface: what an error leaves there is
// for each decoder to say.
func holdsAny(t reflect.Type, depth int) bool {
	switch t.Kind() {
	case reflect.Interface:
		return true
	case reflect.Uint8:
		return depth > 0 // may be of bytes, which are decoded in place
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return depth < 8 && holdsAny(t.Elem(), depth+1)
	case reflect.Struct:
		for i := range t.NumField() {
			if depth < 8 && holdsAny(t.Field(i).Type, depth+1) {
				return true
			}
		}
	}
	return false
}

func same(x, y reflect.Value) bool {
	return reflect.DeepEqual(x.Interface(), y.Interface()) || show(x) == show(y)
}

func show(v reflect.Value) string {
	b, err := json.Marshal(v.Interface())
	if err != nil {
		return err.Error() // of NaN, which isn't equal to itself
	}
	return string(b)
}

func describeV1(err error) string {
	var syn *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case err == nil:
		return "ok"
	case errors.As(err, &syn):
		return fmt.Sprintf("syntax %d %v", syn.Offset, syn)
	case errors.As(err, &typ):
		return "type " + strings.TrimLeft(typ.Type.String(), "*") // the original says *T of some
	}
	return "error"
}

// TestDifference: random texts decode to random types as with encoding/json and with its
// version 2: the same values and errors.
func TestDifference(t *testing.T) {
	n, seed := 30_000, uint64(1)
	if s := os.Getenv("ARENAJSON_EXECUTIONS"); s != "" {
		n, _ = strconv.Atoi(s)
		seed = uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
	}
	a := arena.NewArena(arena.WithChunkSize(4096))
	g := generator{rand.New(rand.NewPCG(seed, 2))}
	failures := 0
	var typ reflect.Type
	for i := range n {
		if i%50 == 0 {
			typ = g.typ(g.IntN(3))
		}
		var texts []string
		for range 1 + g.IntN(2) {
			s := g.space() + g.text(typ, 5) + g.space()
			if g.IntN(6) == 0 {
				s = g.mutate(s)
			}
			texts = append(texts, s)
		}
		for name, c := range map[string]comparison{"v1": compareV1, "v2": compareV2} {
			if c(a, typ, texts) == "" {
				continue
			}
			t.Errorf("%s, %v: %s", name, typ, shrink(c, a, typ, texts))
			if failures++; failures > 5 {
				t.FailNow()
			}
		}
		a.Reset()
	}
}

// TestBracketsForValues: where a bracket stands for a value of an interface that nothing fits, the error is
// what version 2 says, which doesn't look at it before.
func TestBracketsForValues(t *testing.T) {
	a := arena.NewArena()
	for _, typ := range []reflect.Type{
		reflect.TypeFor[[3][]fmt.Stringer](), reflect.TypeFor[[]fmt.Stringer](), reflect.TypeFor[map[string][]fmt.Stringer](),
		reflect.TypeFor[map[string]fmt.Stringer](), reflect.TypeFor[struct {
			A fmt.Stringer
			B []fmt.Stringer
		}](),
	} {
		for _, s := range []string{
			"[[null,null,]", "[[null,null,}", "[[null,null, ]", "[null,]", "[null,}", "[]", "[", "[null,", "[null,x", "[x", "[[]]",
			"[}", "[[}", "[[],}", "[[],]", `{"A":}`, `{"A":]`, `{"A":`, `{"A":null,}`, `{"A":null,"B":}`, `{"B":[null,]}`, `{"B":[null,}`,
			`{"A":[null,]}`, `{"B":[}`, `{"B":}`, `{"B":[null,`,
		} {
			for name, c := range map[string]comparison{"v1": compareV1, "v2": compareV2} {
				if r := c(a, typ, []string{s}); r != "" {
					t.Errorf("%s, %v: %s", name, typ, r)
				}
			}
		}
	}
}

// FuzzDifference looks for a text that leads to something else than with encoding/json or its version
// 2, at a random type.
func FuzzDifference(f *testing.F) {
	for i, s := range scalars {
		f.Add(uint64(i), s, `{"a":`+s+`,"x":[`+s+`]}`)
	}
	a := arena.NewArena(arena.WithChunkSize(4096))
	f.Fuzz(func(t *testing.T, seed uint64, first, second string) {
		g := generator{rand.New(rand.NewPCG(seed, 7))}
		typ := g.typ(g.IntN(4))
		a.Reset()
		for name, c := range map[string]comparison{"v1": compareV1, "v2": compareV2} {
			if r := c(a, typ, []string{first, second}); r != "" {
				t.Errorf("%s, %v: %s", name, typ, r)
			}
		}
	})
}
