package decode

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
)

// remembers reports whether keys are remembered at all: where callers may fill the slots of maps.
func remembers() bool {
	s := anyMapPlan().Small()
	return s != nil && s.Entries()
}

// withDecoder runs f with one decoder, which remembers earlier texts.
func withDecoder(f func(d *decoder)) {
	d := new(decoder)
	defer func(was func() any) { decoders = sync.Pool{New: was} }(decoders.New)
	decoders = sync.Pool{New: func() any { return d }}
	f(d)
}

// object writes an object whose members are drawn from few names, so that objects are alike. Some names come
// twice, with escapes, or not in order.
func object(r *rand.Rand, depth int) string {
	names := []string{`id`, `name`, `a`, ``, `a long name, longer than two words`, `é`, `caf\u00e9`, `x\"y`, `labels`, `url`, `Id`, `n`}
	s, n, from := "{", r.IntN(12), r.IntN(3)
	if r.IntN(4) == 0 {
		n += r.IntN(30)
	}
	for i := range n {
		name := names[(from+i)%len(names)]
		if from+i >= len(names) {
			name = fmt.Sprint("more ", i)
		}
		switch r.IntN(500) {
		case 0:
			name = names[r.IntN(len(names))] // perhaps a second
		case 1:
			name = fmt.Sprint("unique ", r.Uint32())
		case 2:
			name += "\xff"
		}
		if i > 0 {
			s += ", "
		}
		value := "1"
		switch k := r.IntN(8); {
		case k == 0 && depth > 0:
			value = object(r, depth-1)
		case k == 1 && depth > 0:
			value = "[" + object(r, depth-1) + "," + object(r, depth-1) + "]"
		case k < 5:
			value = fmt.Sprintf("%q", fmt.Sprint("value ", i))
		case k == 5:
			value = "null"
		}
		s += fmt.Sprintf("\"%s\" : %s", name, value)
	}
	return s + "}"
}

// TestRememberedKeys: the keys that a decoder remembers change no result and no error, with any options.
func TestRememberedKeys(t *testing.T) {
	const v1 = option.AllowDuplicateNames | option.AllowInvalidUTF8 | option.MatchCaseInsensitive | option.Legacy
	type pair struct{ ID, N any }
	types := []reflect.Type{reflect.TypeFor[any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[map[string]string](),
		reflect.TypeFor[map[string]pair](), reflect.TypeFor[map[string]*pair](), reflect.TypeFor[map[string]int](), reflect.TypeFor[map[int8]any](),
		reflect.TypeFor[[]map[string]any](), reflect.TypeFor[map[string]json.RawMessage](), reflect.TypeFor[map[string]map[string]any]()}
	r := rand.New(rand.NewPCG(7, 8))
	fine, failed, remembered := 0, 0, 0
	withDecoder(func(d *decoder) {
		a := arena.NewArena()
		for round := range 500 {
			text := object(r, 3)
			if r.IntN(12) == 0 {
				text = text[:r.IntN(len(text))]
			}
			typ := types[round%len(types)]
			if typ.Kind() == reflect.Slice {
				text = "[" + text + "," + text + "]"
			}
			for _, set := range []option.Flags{0, v1, option.AllowDuplicateNames, option.AllowInvalidUTF8, option.ReferenceInput} {
				n := plan.Of(typ)
				got, want := reflect.New(typ), reflect.New(typ)
				if r.IntN(5) == 0 && typ.Kind() == reflect.Map { // which has something already
					got.Elem().Set(reflect.MakeMap(typ))
					want.Elem().Set(reflect.MakeMap(typ))
				}
				d.keys, d.at = keep, nil
				_, gotFault, gotErr := Unmarshal(a, []byte(text), n, got.UnsafePointer(), set, 100)
				keep = d.keys
				d.keys = nil
				_, wantFault, wantErr := Unmarshal(nil, []byte(text), n, want.UnsafePointer(), set, 100)
				if !reflect.DeepEqual(got.Interface(), want.Interface()) || told(gotFault, gotErr) != told(wantFault, wantErr) {
					t.Fatalf("round %d, %v, options %b: %s\n%v\n%v\n%v %v\n%v %v", round, typ, set, text, got.Elem(), want.Elem(), gotFault, gotErr, wantFault, wantErr)
				}
				if set == v1 {
					std := reflect.New(typ)
					err := json.Unmarshal([]byte(text), std.Interface())
					if (err == nil) != (gotFault == nil && gotErr == nil) || err == nil && !reflect.DeepEqual(std.Interface(), got.Interface()) {
						t.Fatalf("round %d, %v: %s\n%v\n%v\n%v %v %v", round, typ, text, got.Elem(), std.Elem(), gotFault, gotErr, err)
					}
				}
				if gotFault == (*syntax.Fault)(nil) {
					fine++
				} else {
					failed++
				}
			}
			if keep != nil {
				remembered = max(remembered, learnKeys-keep.left)
			}
			a.Reset()
		}
	})
	if fine < 500 || failed < 500 || remembered < 100 && remembers() {
		t.Errorf("%d were fine, %d failed, %d keys", fine, failed, remembered)
	}
}

// told returns the contents of an error without the excerpt of the text, which depends on the way to the error.
func told(f *syntax.Fault, err error) string {
	if f == nil {
		return fmt.Sprint(err)
	}
	return fmt.Sprint(f.Offset, f.Pointer, f.Kind, f.Type, f.Value, f.Err, err)
}

var keep *keyTree // of the decoder of TestRememberedKeys

// TestKeysAreBounded: texts whose keys are new each time take neither memory nor the keys of others.
func TestKeysAreBounded(t *testing.T) {
	if !remembers() {
		t.Skip("keys are remembered where maps can be in an arena: not on 32-bit machines, or with versions of Go that aren't known")
	}
	withDecoder(func(d *decoder) {
		n := plan.Of(reflect.TypeFor[any]())
		read := func(text string) {
			var v any
			if _, f, err := Unmarshal(nil, []byte(text), n, reflect.ValueOf(&v).UnsafePointer(), 0, 100); f != nil || err != nil {
				t.Fatal(f, err)
			}
		}
		usual := `{"id": 1, "name": "x", "labels": {"app": "y", "tier": "z"}}`
		for range 3 {
			read(usual)
		}
		before := d.keys.left
		for i := range 2000 {
			read(fmt.Sprintf(`{"key %d": 1, "id": {"inner %d": 2}}`, i, i))
		}
		// Some come by chance when another of the same hash came.
		if learned := before - d.keys.left; learned > 100 {
			t.Errorf("%d keys of data were learned", learned)
		}
		// Then all that may be learned, twice each.
		for i := 0; i < 2*learnKeys && d.keys.left > 0; i++ {
			for range 3 {
				read(fmt.Sprintf(`{"%d": 1}`, i))
			}
		}
		if d.keys.left != 0 {
			t.Errorf("%d keys may be learned yet", d.keys.left)
		}
		tree := d.keys
		for range renewalTexts + 5 {
			read(usual)
		}
		if d.keys == tree {
			t.Error("the tree isn't renewed")
		}
		if d.keys.left == learnKeys {
			t.Error("the new one learns nothing")
		}
	})
}

// TestKeysPredict: the first member of the latest object is remembered for its place, for any contents and any other
// maps.
func TestKeysPredict(t *testing.T) {
	if !remembers() {
		t.Skip("keys aren't remembered with this toolchain")
	}
	type pair struct {
		Wide, Second map[string]any
		Other        map[string]string
	}
	withDecoder(func(d *decoder) {
		n := plan.Of(reflect.TypeFor[pair]())
		wide := `{"a":1,"b":{"x":2},"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"i":{"y":9},"j":{"z":[{"q":1}]},"k":11}`
		text := []byte(`{"Wide": ` + wide + `, "Other": {"other": "1"}, "Second": {"o": ` + wide + `}}`)
		for range 200 {
			v := new(pair)
			if _, f, err := Unmarshal(nil, text, n, reflect.ValueOf(v).UnsafePointer(), option.AllowDuplicateNames|option.Legacy, 100); f != nil || err != nil {
				t.Fatal(f, err)
			}
		}
		// The first map of a text is in the value of the root.
		if f := d.keys.root.first; f == nil || f.name != "a" || f.wide != 11 {
			t.Errorf("the first map begins with %v", f)
		}
		o := d.keys.place(plan.Of(reflect.TypeFor[map[string]any]())).first
		if o == nil || o.name != "o" {
			t.Fatalf("the second map begins with %v", o)
		}
		if a := o.first; a == nil || a.name != "a" || a.wide != 11 {
			t.Errorf("the wide object begins with %v", a)
		}
	})
}
