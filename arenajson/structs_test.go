package arenajson_test

import (
	"bytes"
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
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file compares arenajson with encoding/json, and where the standard library has it with its version 2,
// at types of structs made at random: with embedded structs and pointers to them, with names that others
// shadow, with all tags, and with methods on values and on pointers.

// Types with methods, on the value or on the pointer.
type (
	JSONOfValue   struct{ S string }
	JSONOfPointer struct{ S string }
	TextOfValue   int
	TextOfPointer float64
	TextOfSlice   []byte // as net.IP
	TextOfMap     map[string]int
	TextOfString  string
	OnlyReads     int
	Nilable       struct{ S string } // whose method is called without one
)

func (v JSONOfValue) MarshalJSON() ([]byte, error)    { return json.Marshal("<" + v.S) }
func (v *JSONOfValue) UnmarshalJSON(b []byte) error   { return readMark(&v.S, b) }
func (v *JSONOfPointer) MarshalJSON() ([]byte, error) { return json.Marshal(">" + v.S) }
func (v *JSONOfPointer) UnmarshalJSON(b []byte) error { return readMark(&v.S, b) }
func (v TextOfValue) MarshalText() ([]byte, error)    { return fmt.Appendf(nil, "v%d", int(v)), nil }
func (v *TextOfValue) UnmarshalText(b []byte) error {
	return readCount(b, func(n int) { *v = TextOfValue(n) })
}
func (v *TextOfPointer) MarshalText() ([]byte, error) {
	return fmt.Appendf(nil, "p%v", float64(*v)), nil
}
func (v *TextOfPointer) UnmarshalText(b []byte) error {
	return readCount(b, func(n int) { *v = TextOfPointer(n) })
}
func (v TextOfSlice) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%x", []byte(v)), nil }
func (v *TextOfSlice) UnmarshalText(b []byte) error {
	return readCount(b, func(int) { *v = bytes.Clone(b) })
}
func (v *TextOfMap) UnmarshalText(b []byte) error {
	return readCount(b, func(n int) { *v = TextOfMap{"n": n} })
}
func (v *TextOfString) UnmarshalText(b []byte) error {
	return readCount(b, func(int) { *v = TextOfString(b) })
}
func (v *OnlyReads) UnmarshalText(b []byte) error {
	return readCount(b, func(n int) { *v = OnlyReads(n) })
}

func (v *Nilable) UnmarshalJSON(b []byte) error {
	if v == nil {
		return errors.New("nil")
	}
	return readMark(&v.S, b)
}

func readCount(b []byte, set func(n int)) error {
	if len(b) > 20 {
		return errors.New("too long")
	}
	set(len(b))
	return nil
}

func readMark(s *string, b []byte) error {
	if string(b) == "7" {
		return errors.New("seven")
	}
	*s += string(b)
	return nil
}

// Structs with names of their own, to be embedded: those that reflect makes have no methods, and can't be
// embedded if they aren't exported.
type (
	Deep struct {
		A int `json:"a"`
		B string
		*Deeper
	}
	Deeper struct {
		A, B, D any
		deepest
	}
	deepest struct {
		A string `json:"A"`
		E *int   `json:"e,omitempty"`
	}
	Shadow struct {
		Deep
		*Deeper
		B  bool `json:"b,omitzero"`
		AA int  `json:"aa"`
	}
	Hidden struct {
		deepest
		*JSONless
		unused int
	}
	JSONless struct{ X, x, Y float32 }
	Twins    struct {
		First
		Second
	}
	First  struct{ Name, NAME int }
	Second struct{ NaMe, Other string }
	Marked struct {
		JSONOfPointer // whose methods are Marked's
		A             int
	}
	MarkedText struct {
		*Deep
		TextOfValue
	}
	Named struct {
		Deep `json:"deep"`
	}
	MarkedTwice struct {
		Marked
		B int
	}
	Pointed struct {
		*First
		Rest  map[string]int `json:",omitempty"`
		Last  [2]*Second
		Inner *Pointed `json:"in"`
	}
	// Pointers with names have no methods.
	ToJSON  *JSONOfPointer
	ToText  *TextOfValue
	ToTime  *time.Time
	ToRaw   *json.RawMessage
	ToToRaw **json.RawMessage
	closed  struct{ C int }
	Closed  struct {
		*closed
		A int
	}
)

var structLeaves = []reflect.Type{
	reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[uint16](), reflect.TypeFor[float64](),
	reflect.TypeFor[bool](), reflect.TypeFor[string](),
	reflect.TypeFor[any](), reflect.TypeFor[[]byte](), reflect.TypeFor[json.RawMessage](),
	reflect.TypeFor[time.Time](), reflect.TypeFor[json.Number](),
	reflect.TypeFor[map[string]any](), reflect.TypeFor[map[int8]string](), reflect.TypeFor[map[float64]int](),
	reflect.TypeFor[map[bool]int](), reflect.TypeFor[map[json.Number]int](),
	reflect.TypeFor[map[TextOfValue]int](), reflect.TypeFor[map[TextOfString]any](), reflect.TypeFor[[]int](),
	reflect.TypeFor[[2]string](), reflect.TypeFor[*int](), reflect.TypeFor[**string](),
	reflect.TypeFor[JSONOfValue](), reflect.TypeFor[JSONOfPointer](), reflect.TypeFor[TextOfValue](),
	reflect.TypeFor[TextOfPointer](), reflect.TypeFor[OnlyReads](), reflect.TypeFor[TextOfSlice](),
	reflect.TypeFor[TextOfMap](), reflect.TypeFor[TextOfString](), reflect.TypeFor[fmt.Stringer](),
	reflect.TypeFor[[]TextOfPointer](), reflect.TypeFor[struct{}](),
	reflect.TypeFor[ToJSON](), reflect.TypeFor[ToText](), reflect.TypeFor[ToTime](), reflect.TypeFor[ToRaw](),
	reflect.TypeFor[ToToRaw](), reflect.TypeFor[[]ToJSON](), reflect.TypeFor[map[string]ToText](),
	// Types without a name have the methods of their embedded fields.
	reflect.TypeFor[struct {
		JSONOfPointer
		X int
	}](), reflect.TypeFor[*struct {
		*Nilable
		A int
	}](), reflect.TypeFor[[]struct {
		*Nilable
		A int
	}](), reflect.TypeFor[map[string]struct{ Marked }](), reflect.TypeFor[[1]struct{ TextOfSlice }](),
	reflect.TypeFor[struct {
		time.Time
		Zone string
	}](), reflect.TypeFor[struct{ OnlyReads }](), reflect.TypeFor[**struct{ TextOfMap }](),
}

var structNamed = []reflect.Type{
	reflect.TypeFor[Deep](), reflect.TypeFor[Deeper](), reflect.TypeFor[Shadow](), reflect.TypeFor[Hidden](),
	reflect.TypeFor[Twins](), reflect.TypeFor[Marked](),
	reflect.TypeFor[MarkedText](), reflect.TypeFor[MarkedTwice](), reflect.TypeFor[Named](),
	reflect.TypeFor[Pointed](), reflect.TypeFor[First](), reflect.TypeFor[Closed](), reflect.TypeFor[JSONless](),
}

// structRests are the types of fields for members without one.
var structRests = []reflect.Type{reflect.TypeFor[map[string]any](), reflect.TypeFor[*map[keyPlain]int]()}

var structNames = []string{"a", "A", "b", "B", "aa", "AA", "aA", "name", "NAME", "Name", "d", "e", "x", "c", "in",
	"other", "deep", "a_b", "ab", "kK", "\u212ak", ""}

// structs makes types and texts at random.
type structs struct{ *rand.Rand }

func pick[T any](r structs, of []T) T { return of[r.IntN(len(of))] }

// leaf returns the type of a field.
func (r structs) leaf(depth int) reflect.Type {
	switch n := r.IntN(12); {
	case n == 0 && depth > 0:
		return reflect.PointerTo(r.leaf(depth - 1))
	case n == 1 && depth > 0:
		return reflect.SliceOf(r.leaf(depth - 1))
	case n == 2 && depth > 0:
		return reflect.MapOf(reflect.TypeFor[string](), r.leaf(depth-1))
	case n < 5 && depth > 0:
		return r.typ(depth - 1)
	case n == 5:
		return pick(r, structNamed)
	}
	return pick(r, structLeaves)
}

// typ returns the type of a struct.
func (r structs) typ(depth int) (t reflect.Type) {
	if depth < 0 || r.IntN(5) == 0 {
		return pick(r, structNamed)
	}
	defer func() {
		if recover() != nil { // fields may have the same name
			t = pick(r, structNamed)
		}
	}()
	var fields []reflect.StructField
	for i := range 1 + r.IntN(5) {
		name := pick(r, []string{"A", "B", "AA", "Aa", "NAME", "Name", "X", "Ab", "A_b"})
		f := reflect.StructField{Name: name + []string{"", "", strconv.Itoa(i)}[r.IntN(3)]}
		f.Type = r.leaf(depth)
		if in := r.typ(depth - 1); depth > 0 && r.IntN(3) == 0 && reflect.PointerTo(in).NumMethod() == 0 { // reflect can't embed methods
			f.Anonymous, f.Type = true, pick(r, []reflect.Type{in, reflect.PointerTo(in)})
		}
		if !f.Anonymous && r.IntN(2) == 0 || r.IntN(8) == 0 {
			opts := pick(r, []string{"", "", "", ",omitempty", ",omitzero", ",string", ",string", ",string,omitempty", ",case:ignore", ",case:strict", ",embed"}[:10+len(codecs)-1])
			name := pick(r, append(structNames, "-", "-,"))
			if opts == ",embed" && !f.Anonymous && r.IntN(4) > 0 {
				name, f.Type = "", pick(r, structRests)
			}
			f.Tag = reflect.StructTag(fmt.Sprintf("json:%q", name+opts))
		}
		fields = append(fields, f)
	}
	return reflect.StructOf(fields)
}

var structScalars = []string{"0", "1", "-1", "7", "300", "1.5", "1e3", "1e400", "true", "false", "null", "null",
	`""`, `"a"`, `"12"`, `"-3"`, `"1.5"`, `"true"`, `"null"`,
	`"aGk="`, `"\"q\""`, `"2006-01-02T15:04:05Z"`, "[]", "{}", "[1,2,3]", `["x",null]`, `{"a":1}`,
	`{"A":{"b":null}}`, `"a text that is too long"`, "", "tru", "[1,", "}"}

// text returns a text, mostly one for a type.
func (r structs) text(t reflect.Type, depth int) string {
	if r.IntN(12) == 0 || depth == 0 {
		return pick(r, structScalars[:len(structScalars)-4*min(1, r.IntN(60))])
	}
	switch t.Kind() {
	case reflect.Pointer:
		return r.text(t.Elem(), depth)
	case reflect.Slice, reflect.Array:
		var all []string
		for range r.IntN(4) {
			all = append(all, r.text(t.Elem(), depth-1))
		}
		return "[" + strings.Join(all, ", ") + "]"
	case reflect.Map:
		return r.object(func() (string, string) {
			return pick(r, append(structNames, "1", "-5", "1.5", "true")), r.text(t.Elem(), depth-1)
		})
	case reflect.Struct:
		return r.object(func() (string, string) { return r.member(t, depth) })
	case reflect.Bool:
		return pick(r, []string{"true", "false"})
	case reflect.String:
		return pick(r, []string{`"a"`, `""`, `"\u00e9"`, `"text"`})
	case reflect.Interface:
		return pick(r, structScalars[:len(structScalars)-4])
	}
	return strconv.Itoa(r.IntN(200) - 50)
}

// member returns a member for a field of a struct, or one that it embeds.
func (r structs) member(t reflect.Type, depth int) (name, value string) {
	if t.NumField() == 0 || r.IntN(8) == 0 {
		return pick(r, structNames), pick(r, structScalars[:len(structScalars)-4])
	}
	f := t.Field(r.IntN(t.NumField()))
	name, opts, _ := strings.Cut(f.Tag.Get("json"), ",")
	in := f.Type
	if in.Kind() == reflect.Pointer {
		in = in.Elem()
	}
	if f.Anonymous && name == "" && in.Kind() == reflect.Struct && depth > 0 {
		return r.member(in, depth-1)
	}
	if name == "" {
		name = f.Name
	}
	switch r.IntN(10) {
	case 0:
		name = strings.ToUpper(name)
	case 1:
		name = strings.ToLower(name)
	}
	value = r.text(f.Type, depth-1)
	if strings.Contains(opts, "string") && r.IntN(2) == 0 {
		value = strconv.Quote(value)
	}
	return name, value
}

func (r structs) object(member func() (name, value string)) string {
	var all []string
	for range r.IntN(6) {
		name, value := member()
		all = append(all, strconv.Quote(name)+pick(r, []string{":", ": ", " :"})+value)
	}
	return "{" + strings.Join(all, ",") + "}"
}

// A codec is how texts are read and values written, by the standard library and by arenajson.
type codec struct {
	name             string
	lazy             bool // it may report a value that doesn't fit before or after a later syntax error
	read, readWant   func(a *arena.Arena, b []byte, v any) error
	write, writeWant func(v any) ([]byte, error)
	describe         func(err error) string
	tells            func(t reflect.Type) bool // the value after an error is the same, too
}

var codecs []codec

func init() { codecs = append(codecs, stdCodec) }

var stdCodec = codec{"v1", false,
	func(a *arena.Arena, b []byte, v any) error { return arenajson.Unmarshal(a, b, v, v1) },
	func(_ *arena.Arena, b []byte, v any) error { return json.Unmarshal(b, v) },
	func(v any) ([]byte, error) { return arenajson.Append(nil, v, v1) },
	json.Marshal,
	describeStd,
	func(t reflect.Type) bool { // newer versions read base64 to where the bytes are, if there is room
		return len(codecs) == 1 || !strings.Contains(t.String(), "uint8")
	},
}

// describeStd describes an error as a program sees it that knows encoding/json.
func describeStd(err error) string {
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case err == nil:
		return "none"
	case errors.As(err, &typ): // which in newer versions may hold one of the syntax
		return fmt.Sprintf("type: %v, %v, at %d, in %q, field %q", typ.Value, typ.Type, typ.Offset, typ.Struct, typ.Field)
	case errors.As(err, &syntax):
		return fmt.Sprintf("syntax: %v at %d", syntax, syntax.Offset)
	}
	return "other"
}

// differs reads texts one after the other to a value of a type, and writes it, with both libraries, and returns
// how they differ or "".
func (c *codec) differs(a *arena.Arena, t reflect.Type, texts []string) string {
	x, y := reflect.New(t), reflect.New(t)
	for i, s := range texts {
		want, got := c.readWant(a, []byte(s), x.Interface()), c.read(a, []byte(s), y.Interface())
		if w, g := c.describe(want), c.describe(got); w != g && (want == nil || got == nil || !c.lazy || json.Valid([]byte(s))) {
			return fmt.Sprintf("%s, %q to %v:\n%s (%v), not\n%s (%v)", c.name, texts[:i+1], t, g, got, w, want)
		}
		if want != nil && !c.tells(t) {
			return ""
		}
		if !reflect.DeepEqual(x.Interface(), y.Interface()) {
			return fmt.Sprintf("%s, %q to %v:\n%+v, not\n%+v (%v)", c.name, texts[:i+1], t, shown(y), shown(x), want)
		}
		for _, v := range []any{x.Interface(), x.Elem().Interface()} {
			want, wantErr := c.writeWant(v)
			got, err := c.write(v)
			if (wantErr != nil) != (err != nil) || err == nil && !bytes.Equal(want, got) {
				return fmt.Sprintf("%s, %T of %q:\n%s (%v), not\n%s (%v)", c.name, v, texts[:i+1], got, err, want, wantErr)
			}
		}
	}
	return ""
}

func shown(v reflect.Value) string {
	b, err := json.Marshal(v.Interface())
	return fmt.Sprintf("%+v %s %v", v.Elem().Interface(), b, err)
}

// shrink returns how the libraries differ at the shortest texts that can be found by leaving something out.
func (c *codec) shrink(a *arena.Arena, t reflect.Type, texts []string) string {
	for k := 0; k < len(texts); k++ {
		for n := len(texts[k]) / 2; n > 0; n /= 2 {
			for i := 0; i+n <= len(texts[k]); i++ {
				fewer := append([]string{}, texts...)
				if fewer[k] = texts[k][:i] + texts[k][i+n:]; c.differs(a, t, fewer) != "" {
					texts, i = fewer, i-1
				}
			}
		}
	}
	return c.differs(a, t, texts)
}

// TestStructs: random texts decoded into random struct types have the same values and errors as with the standard
// library, and the values are written with the same bytes. ARENAJSON_EXECUTIONS sets the number of texts.
func TestStructs(t *testing.T) {
	n, seed := testkit.Cases(20_000), uint64(1)
	if s := os.Getenv("ARENAJSON_EXECUTIONS"); s != "" {
		n, _ = strconv.Atoi(s)
		seed = uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
	}
	a := arena.NewArena(arena.WithChunkSize(4096))
	r := structs{rand.New(rand.NewPCG(seed, 1))}
	var typ reflect.Type
	reports, failed := 0, false
	for i := range n {
		if i%20 == 0 {
			typ, failed = r.typ(3), false
		}
		texts := []string{r.text(typ, 5), r.text(typ, 5)}[:1+r.IntN(2)]
		for _, c := range codecs {
			if !failed && c.differs(a, typ, texts) != "" {
				failed = true
				t.Error(c.shrink(a, typ, texts))
				reports++
			}
		}
		if reports > 8 {
			t.FailNow()
		}
		a.Reset()
	}
}
