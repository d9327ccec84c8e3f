package arenajson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/internal/tests/testkit"
)

func v2Valid(data []byte) bool {
	var v rawValue
	return unmarshalV2(data, &v) == nil
}

// describe returns the parts of an error that must agree.
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
		func(b []byte, v any) error { return unmarshal(a, b, v) })
}

func compareV1(a *arena.Arena, typ reflect.Type, texts []string) string {
	return compare(typ, texts, describeV1, json.Unmarshal,
		func(b []byte, v any) error { return unmarshal(a, b, v, v1) })
}

// unmarshal is arenajson.Unmarshal; for every other type, by the length of its name, as a batch.
func unmarshal(a *arena.Arena, b []byte, v any, opts ...arenajson.Options) error {
	if len(reflect.TypeOf(v).String())%2 == 0 {
		return arenajson.Unmarshal(nil, b, v, append(opts, arenajson.Batch())...)
	}
	return arenajson.Unmarshal(a, b, v, opts...)
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
			break // later texts are decoded into values that may differ
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

// readsSo reports whether the reference describes a text's syntax so when it reads it token by token,
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

// hasMethods reports whether types in t have methods, which mustn't be called again to find out how
// the reference reads a text that is wrong.
func hasMethods(t reflect.Type) bool {
	s := t.String()
	return strings.Contains(s, "arenajson_test.") || strings.Contains(s, "Stringer") || strings.Contains(s, "jsontext.Value")
}

// withoutPointer returns the description of a syntax error without the pointer.
func withoutPointer(s string) string {
	if f := strings.Fields(s); len(f) > 2 {
		return f[0] + f[1] + f[len(f)-1]
	}
	return s
}

// unsure reports whether decoders may leave different values after an error: a value that was begun before
// its syntax error was found, or an interface.
func unsure(t reflect.Type, err error) bool {
	var syn *syntacticError
	var syn1 *json.SyntaxError
	return errors.As(err, &syn) && !errors.As(err, &syn1) || err != nil && holdsAny(t, 0)
}

// holdsAny reports whether a value of a type may hold an interface, where decoders may leave different values
// after an error.
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
	if testkit.Long {
		n, seed = 1_000_000, uint64(time.Now().UnixNano())
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

// TestBracketsForValues: if a bracket stands for a value of an interface without a fitting type, the error is
// that of version 2, which doesn't read the bracket first.
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
