package arenajson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// A sevenReader reads up to seven bytes at a time.
type sevenReader struct{ r io.Reader }

func (s sevenReader) Read(b []byte) (int, error) { return s.r.Read(b[:min(len(b), 7)]) }

// pieces are readers that return a text in pieces of different sizes.
var pieces = []func(s string) io.Reader{
	func(s string) io.Reader { return strings.NewReader(s) },
	func(s string) io.Reader { return iotest.OneByteReader(strings.NewReader(s)) },
	func(s string) io.Reader { return iotest.DataErrReader(iotest.HalfReader(strings.NewReader(s))) },
	func(s string) io.Reader { return sevenReader{strings.NewReader(s)} },
}

var streams = []string{
	"", " ", "1", "1 2 3", "null\ntrue\nfalse", `"a""b"`, `{"a":1}{"a":2}` + "\n[1,2]", `"é€😀\\\"" {"x":"\\"} [[],[[]]]`, `{"a":"}]"}`, `[1`, `{"a":`, `"ab`, `"ab\`,
	"tru", "1 x 2", "1,2", "}", "]", "{]", `[}`, `{"a":1,}`, "1 {\"a\":tru} 2", `{"a":[1,{"b":"c"},null,true,1.5e3]} [ ] { }`, "[1,]", `{"a" 1}`, `{"a":1 "b":2}`, `{1:2}`,
	"[1 2]", strings.Repeat(`{"long":"`+strings.Repeat("x", 300)+`"} `, 40), "\xef\xbb\xbf1", "1\x002", `[["a",{"b":[]}],"c"] 5`, "-", "1e", "[,1]", `{,}`, `{"a",1}`, `{"a":,}`,
	"1-2", "01", "-2-3[1]", "1e5-2", "1.5.5", "1+2", "1e5e5", "-0.5-0", "[1-2]", `{""`, `{"":`, "[", `["a"`, "{-", `{tru`, "2-", "truefalse-1null",
}

// TestDecoder: a Decoder returns the values that encoding/json's returns, from readers of pieces of
// all sizes, and an error where that does.
func TestDecoder(t *testing.T) {
	for _, s := range streams {
		want := json.NewDecoder(strings.NewReader(s))
		var values []string
		for {
			var v any
			err := want.Decode(&v)
			values = append(values, outcomeOf(v, err, want.InputOffset()))
			if err != nil {
				break
			}
		}
		for k, r := range pieces {
			a := arena.NewArena()
			got := arenajson.NewDecoder(r(s), arenajson.DefaultOptionsV1())
			for i, w := range values {
				var v any
				more := got.More()
				err := got.Decode(a, &v)
				if g := outcomeOf(v, err, got.InputOffset()); g != w {
					t.Fatalf("%q, reader %d, value %d: %s, not %s", s, k, i, g, w)
				}
				if err == nil && !more || err == io.EOF && more {
					t.Fatalf("%q, reader %d, value %d: More is %v, and then %v", s, k, i, more, err)
				}
				if err != nil {
					if err2 := got.Decode(a, &v); err2 != err && !reflect.DeepEqual(err2, err) {
						t.Fatalf("%q: after %v comes %v", s, err, err2)
					}
				}
				a.Reset()
			}
		}
	}
}

// outcomeOf describes the result of a call of Decode or Token.
func outcomeOf(v any, err error, offset int64) string {
	switch {
	case err == nil:
		return fmt.Sprintf("%T %v at %d", v, v, offset)
	case err == io.EOF:
		return "end"
	}
	return "error"
}

// TestToken: Token returns what encoding/json's returns.
func TestToken(t *testing.T) {
	for _, s := range streams {
		for mix := range 3 { // number of tokens before a call of Decode; 0 is all
			for k, r := range pieces {
				want, got := json.NewDecoder(strings.NewReader(s)), arenajson.NewDecoder(r(s), arenajson.DefaultOptionsV1())
				for i := 1; i < 100; i++ {
					var x, y any
					var errX, errY error
					if mix > 0 && i%(mix+1) == 0 {
						if errX = want.Decode(&x); fmt.Sprint(errX) == "not at beginning of value" {
							break // ours reads the name
						}
						errY = got.Decode(nil, &y)
					} else {
						x, errX = want.Token()
						y, errY = got.Token()
					}
					w, g := outcomeOf(x, errX, want.InputOffset()), outcomeOf(y, errY, got.InputOffset())
					if strings.HasPrefix(w, "error") && strings.HasPrefix(g, "error") {
						break
					}
					if w != g {
						t.Fatalf("%q, reader %d, mix %d, token %d: %s (%v), not %s (%v)", s, k, mix, i, g, errY, w, errX)
					}
					if errX != nil {
						break
					}
				}
			}
		}
	}
}

// TestDecoderErrors: values that don't fit are skipped, offsets count from the beginning of the stream, and an error
// of the reader comes after the values in front of it.
func TestDecoderErrors(t *testing.T) {
	d := arenajson.NewDecoder(strings.NewReader(`{"a":1} {"a":"x"} {"a":3} {"a":}`))
	var v struct {
		A int `json:"a"`
	}
	var got []string
	for range 5 {
		err := d.Decode(nil, &v)
		var e *arenajson.Error
		if errors.As(err, &e) {
			got = append(got, fmt.Sprintf("%v at %d %s", e.Type, e.Offset, e.Pointer))
		} else {
			got = append(got, fmt.Sprint(v.A, err))
		}
	}
	want := []string{"1 <nil>", "int at 13 /a", "3 <nil>", "<nil> at 31 /a", "<nil> at 31 /a"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
	broken := errors.New("broken")
	d = arenajson.NewDecoder(io.MultiReader(strings.NewReader("1 2"), iotest.ErrReader(broken)))
	var x int
	if err := d.Decode(nil, &x); err != nil || x != 1 {
		t.Error(x, err)
	}
	if err := d.Decode(nil, &x); err != broken && x != 2 {
		t.Error(x, err)
	}
	if d.More() || d.Decode(nil, &x) != broken {
		t.Error("the reader's error is gone")
	}
	d = arenajson.NewDecoder(strings.NewReader(`[`+strings.Repeat("1,", 1000)), arenajson.WithByteLimit(100))
	var e *arenajson.Error
	if err := d.Decode(nil, new([]int)); !errors.As(err, &e) || e.Err != arenajson.ErrBytes {
		t.Error(err)
	}
	d = arenajson.NewDecoder(strings.NewReader(`1 [2, 3`))
	d.Decode(nil, &x)
	if b, _ := io.ReadAll(d.Buffered()); string(b) != " [2, 3" {
		t.Errorf("buffered are %q", b)
	}
}

// TestUnmarshalRead: it decodes one value, and no other may follow.
func TestUnmarshalRead(t *testing.T) {
	a := arena.NewArena()
	for _, r := range pieces {
		v, err := arenajson.Read[outer](a, r(example))
		if err != nil {
			t.Fatal(err)
		}
		var want outer
		json.Unmarshal([]byte(example), &want)
		if !reflect.DeepEqual(*v, want) {
			t.Fatal("not equal")
		}
		if _, err := arenajson.Read[outer](a, r(example+"1")); err == nil {
			t.Error("something follows")
		}
		if _, err := arenajson.Read[outer](a, r(example), arenajson.WithByteLimit(int64(len(example)-1))); err == nil {
			t.Error("longer than allowed")
		}
		if _, err := arenajson.Read[outer](a, r(example), arenajson.WithByteLimit(int64(len(example)))); err != nil {
			t.Error(err)
		}
	}
	if _, err := arenajson.Read[int](a, iotest.ErrReader(io.ErrClosedPipe)); err != io.ErrClosedPipe {
		t.Error(err)
	}
}

// TestDecoderKeepsNothing: values don't refer to the Decoder's buffer.
func TestDecoderKeepsNothing(t *testing.T) {
	var b bytes.Buffer
	for i := range 100 {
		fmt.Fprintf(&b, `{"s":"text number %d","r":[%d]}`+"\n", i, i)
	}
	type line struct {
		S string          `json:"s"`
		R json.RawMessage `json:"r"`
	}
	a := arena.NewArena()
	d := arenajson.NewDecoder(&b, arenajson.ReferenceInput(true))
	var all []*line
	for d.More() {
		v := arena.New[line](a)
		if err := d.Decode(a, v); err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	for i, v := range all {
		if v.S != fmt.Sprintf("text number %d", i) || string(v.R) != fmt.Sprintf("[%d]", i) {
			t.Fatalf("number %d is %+v", i, v)
		}
	}
	if len(all) != 100 {
		t.Error(len(all))
	}
}

// TestMore: calls of More, Token and Decode in random orders have the outcome that they have with encoding/json, up to
// the first error.
func TestMore(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	for range testkit.Cases(20_000) {
		s := streams[r.IntN(len(streams))]
		s = s[:r.IntN(len(s)+1)]
		if i := r.IntN(len(s) + 1); i < len(s) && r.IntN(2) == 0 {
			s = s[:i] + s[i+1:]
		}
		broken := iotest.ErrReader(errors.New("broken"))
		if len(codecs) == 1 || r.IntN(4) > 0 { // the original reads on behind strings
			broken = strings.NewReader("")
		}
		want := json.NewDecoder(io.MultiReader(strings.NewReader(s), broken))
		got := arenajson.NewDecoder(io.MultiReader(pieces[r.IntN(len(pieces))](s), broken), arenajson.DefaultOptionsV1())
		for calls := ""; len(calls) < 60; {
			var x, y any
			var errX, errY error
			call := r.IntN(4)
			switch calls += "TDMM"[call:][:1]; call {
			case 0:
				x, errX = want.Token()
				y, errY = got.Token()
			case 1:
				if errX = want.Decode(&x); fmt.Sprint(errX) == "not at beginning of value" {
					errX = errNotValue // ours reads the name
					break
				}
				errY = got.Decode(nil, &y)
			default:
				x, y = want.More(), got.More()
			}
			if errX == errNotValue {
				break
			}
			if w, g := outcomeOf(x, errX, 0), outcomeOf(y, errY, 0); w != g {
				t.Fatalf("%q, %s: %s (%v), not %s (%v)", s, calls, g, errY, w, errX)
			}
			if errX != nil {
				if got.More() && errX != io.EOF {
					t.Fatalf("%q, %s: there is more after %v", s, calls, errY)
				}
				break
			}
		}
	}
}

var errNotValue = errors.New("a name")
