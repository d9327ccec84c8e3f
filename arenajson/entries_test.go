package arenajson_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

// TestMapsOfAllShapes: maps with new names are decoded as by encoding/json, for all types of elements. Of a duplicate
// name the last value counts, or it is an error and the first value stays.
func TestMapsOfAllShapes(t *testing.T) {
	type name string
	type point struct{ X, Y int }
	type flag bool
	for _, c := range []struct {
		to    any
		value func(i int) string
	}{
		{map[string]bool{}, func(i int) string { return fmt.Sprint(i%2 == 0) }},
		{map[name]flag{}, func(i int) string { return fmt.Sprint(i%3 == 0) }},
		{map[string]int8{}, func(i int) string { return fmt.Sprint(i%256 - 128) }},
		{map[string]uint16{}, func(i int) string { return fmt.Sprint(i) }},
		{map[name]float32{}, func(i int) string { return fmt.Sprintf("%d.5", i) }},
		{map[string]int{}, func(i int) string { return fmt.Sprint(-i) }},
		{map[string]float64{}, func(i int) string { return fmt.Sprintf("%d.25e-3", i) }},
		{map[string]string{}, func(i int) string { return fmt.Sprintf(`"value \u0041 %d"`, i) }},
		{map[string]name{}, func(i int) string { return fmt.Sprintf(`"value %d"`, i) }},
		{map[string]*int{}, func(i int) string { return fmt.Sprint(i) }},
		{map[string][]string{}, func(i int) string { return fmt.Sprintf(`["a%d","b%d"]`, i, i) }},
		{map[string]map[string]int{}, func(i int) string { return fmt.Sprintf(`{"a%d":%d}`, i, i) }},
		{map[string]point{}, func(i int) string { return fmt.Sprintf(`{"X":%d,"Y":%d}`, i, -i) }},
		{map[string][2]int{}, func(i int) string { return fmt.Sprintf("[%d,%d]", i, -i) }},
		{map[string]any{}, func(i int) string { return fmt.Sprintf(`["a%d",%d]`, i, i) }},
	} {
		typ := reflect.TypeOf(c.to)
		for round, n := range []int{3, 9, 40, 1000, 12, 1000} {
			var members []string
			for i := range n {
				members = append(members, fmt.Sprintf(`"round %d \n %d": %s`, round, i, c.value(i)))
			}
			text := "{" + strings.Join(members, ", ") + "}"
			twice := "{" + strings.Join(append(members, fmt.Sprintf(`"round %d \u000a 1" :%s`, round, c.value(n+2))), ",") + "}"
			for _, a := range []*arena.Arena{nil, arena.NewArena(), arena.NewArena(arena.WithNoScan())} {
				readAsStd(t, a, typ, text)
				readAsStd(t, a, typ, twice, arenajson.DefaultOptionsV1())
				got, want := reflect.New(typ), reflect.New(typ)
				err := arenajson.Unmarshal(a, []byte(twice), got.Interface())
				if e := json.Unmarshal([]byte(text), want.Interface()); e != nil || !errors.Is(err, arenajson.ErrDuplicateName) {
					t.Fatalf("%v: %v, %v; want a duplicate name", typ, err, e)
				}
				if !reflect.DeepEqual(got.Interface(), want.Interface()) {
					t.Errorf("%v of %d: after a duplicate it is %v; want %v", typ, n, got.Elem(), want.Elem())
				}
			}
		}
	}
}

// readAsStd decodes a text and compares the value with that of encoding/json, after a collection.
func readAsStd(t *testing.T, a *arena.Arena, typ reflect.Type, text string, opts ...arenajson.Options) {
	t.Helper()
	got, want := reflect.New(typ), reflect.New(typ)
	if err := arenajson.Unmarshal(a, []byte(text), got.Interface(), opts...); err != nil {
		t.Fatalf("%v: %v", typ, err)
	}
	if err := json.Unmarshal([]byte(text), want.Interface()); err != nil {
		t.Fatal(err)
	}
	if len(text) < 300 { // it takes its time
		runtime.GC()
	}
	if !reflect.DeepEqual(got.Interface(), want.Interface()) {
		t.Errorf("%v: %.100s is %v; want %v", typ, text, got.Elem(), want.Elem())
	}
	runtime.KeepAlive(a)
}
