package arenajson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// TestEncoding: values decoded from random texts at random types are written with the same bytes as by
// encoding/json and its version 2, or neither can write them.
func TestEncoding(t *testing.T) {
	n, seed := 20_000, uint64(3)
	if testkit.Long {
		n, seed = 300_000, uint64(time.Now().UnixNano())
		t.Logf("seed %d", seed)
	}
	g := generator{rand.New(rand.NewPCG(seed, 2))}
	var a *arena.Arena
	failures := 0
	for i := range n {
		if i%1000 == 0 {
			a = arena.NewArena() // one arena keeps something for each of the types
		}
		typ := g.typ(g.IntN(3))
		v := reflect.New(typ)
		arenajson.Unmarshal(a, []byte(g.text(typ, 5)), v.Interface(), v1)
		for _, x := range []any{v.Interface(), v.Elem().Interface()} {
			if !sameBytes(t, typ, x) {
				failures++
			}
		}
		if failures > 5 {
			t.FailNow()
		}
		a.Reset()
	}
}

func sameBytes(t *testing.T, typ reflect.Type, x any) bool {
	want, wantErr := json.Marshal(x)
	got, err := arenajson.Append([]byte("before"), x, v1)
	if wantErr != nil != (err != nil) || err == nil && "before"+string(want) != string(got) || err != nil && string(got) != "before" {
		t.Errorf("v1, %v: %#v\nwant %s (%v)\n got %s (%v)", typ, x, want, wantErr, got, err)
		return false
	}
	want, wantErr = marshalV2(x)
	got, err = arenajson.Append(nil, x, arenajson.Deterministic(true))
	if wantErr != nil != (err != nil) || err == nil && !bytes.Equal(want, got) {
		t.Errorf("v2, %v: %#v\nwant %s (%v)\n got %s (%v)", typ, x, want, wantErr, got, err)
		return false
	}
	return true
}

// Values that random ones don't have.
type (
	Plus  struct{ N int }
	PlusP struct{ N int }
	TextP struct{ S string }
	Ring  struct{ Next *Ring }
	Omit  struct {
		A int            `json:"a,omitempty"`
		B string         `json:"b,omitempty"`
		C []int          `json:"c,omitempty"`
		D map[string]int `json:"d,omitempty"`
		E *int           `json:"e,omitempty"`
		F any            `json:"f,omitempty"`
		G struct{}       `json:"g,omitempty"`
		H time.Time      `json:"h,omitzero"`
		I [0]int         `json:"i,omitempty"`
		J Omitted        `json:"j,omitempty"`
		K int            `json:"<k>,omitzero"`
	}
	Omitted struct {
		X int `json:"x,omitempty"`
	}
)

func (p Plus) MarshalJSON() ([]byte, error) {
	return []byte(` { "n" : "<\u0041\/" , "m":[1, 2 ]} `), nil
}
func (p *PlusP) MarshalJSON() ([]byte, error) {
	if p.N < 0 {
		return []byte(`{"a"`), nil
	}
	if p.N > 9 {
		return nil, errors.New("ten")
	}
	return []byte(strconv.Itoa(p.N)), nil
}
func (p *TextP) MarshalText() ([]byte, error) { return []byte("<" + p.S + ">"), nil }

// TestEncodingOfOthers is TestEncoding for chosen values.
func TestEncodingOfOthers(t *testing.T) {
	one := 1
	ring := &Ring{}
	ring.Next = ring
	deep := any(nil)
	for range 3000 {
		deep = []any{deep}
	}
	var nilPlus *Plus
	for _, v := range []any{
		nil, true, "a<b>&c\u2028\u2029\x00\x1f\x7f\"\\", "\xff", "é\xff<", math.Inf(1), math.NaN(), float32(1e21), 1e20, 1e21, 1e-6, 1e-7, 123456789012345680.0,
		float32(16777216), math.Copysign(0, -1), 5e-324, math.MaxFloat64, float32(1e-45), 100.0, 1e15, -1e15, 1e16,
		Plus{1}, &Plus{1}, PlusP{1}, &PlusP{1}, &PlusP{-1}, &PlusP{10}, []PlusP{{1}}, [1]PlusP{{1}}, map[string]PlusP{"a": {1}}, struct{ P PlusP }{}, &struct{ P PlusP }{},
		TextP{"a"}, &TextP{"a"}, []any{TextP{"a"}, &TextP{"a"}, nilPlus}, map[TextP]int{{"a"}: 1}, map[Plus]int{{1}: 2}, nilPlus,
		Omit{}, Omit{A: 1, B: "b", C: []int{}, E: &one, F: 0, J: Omitted{1}, K: 1}, Omit{C: []int{1}, D: map[string]int{"x": 1}, F: []int{}},
		ring, deep, make(chan int), func() {}, complex(1, 2), []any{make(chan int)}, map[bool]int{true: 1}, map[float64]string{1.5: "x"}, map[int8]string{-5: "x", 3: "y"},
		map[any]int{"a": 1}, [2]byte{1, 2}, []byte(nil), []byte{}, [0]int{}, []int(nil), map[string]int(nil), json.RawMessage(" [ 1 ] "), json.RawMessage(nil),
		json.RawMessage("{"), struct{ R json.RawMessage }{}, time.Date(2020, 1, 2, 3, 4, 5, 6, time.UTC), time.Date(12020, 1, 2, 3, 4, 5, 6, time.UTC), &one, struct {
			A *int `json:",string"`
			B **int
		}{A: &one}, struct{ time.Time }{}, uint64(math.MaxUint64), int8(-128), uintptr(7), struct{ a int }{1}, struct{}{},
	} {
		sameBytes(t, reflect.TypeOf(v), v)
	}
}
