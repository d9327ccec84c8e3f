package plan_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/harena-go/arena/arenajson"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
)

// TestSpellingsAreLearned: a name that matches a field by case folding is learned with the options that allow
// it, and in no more spellings than the limit, in any order.
func TestSpellingsAreLearned(t *testing.T) {
	type point struct{ X, Yy, Größe int }
	typ := reflect.TypeFor[point]()
	both := arenajson.MatchCaseInsensitiveNames
	for m, opts := range map[option.Matching][]arenajson.Options{1: {both(true)}, 2: {arenajson.DefaultOptionsV1(), both(false)},
		3: {arenajson.DefaultOptionsV1()}} {
		read := func(name string) {
			for range 40 { // another name may have its place in the memory of names that came once
				var v point
				if err := arenajson.Unmarshal(nil, []byte(`{"`+name+`":1}         `), &v, opts...); err != nil {
					t.Fatal(err)
				}
			}
		}
		for _, name := range []string{"x", "yy", "größe"} {
			read(name)
			if _, ok := plan.LeadsTo(typ, m, name); ok != (m != 2) {
				t.Errorf("matching %d: %s leads to a field: %v", m, name, ok)
			}
		}
		known := map[string]bool{}
		for i := range 1 << 5 { // all spellings of größe
			name := []rune("größe")
			for j := range name {
				if i>>j&1 != 0 && name[j] != 'ß' {
					name[j] = []rune(strings.ToUpper(string(name[j])))[0]
				}
			}
			read(string(name))
			if _, ok := plan.LeadsTo(typ, m, string(name)); ok {
				known[string(name)] = true
			}
		}
		if len(known) > 3*4-2 || len(known) < 2 && m != 2 {
			t.Errorf("matching %d: %d spellings are known", m, len(known))
		}
	}
	if _, ok := plan.LeadsTo(typ, 0, "x"); ok {
		t.Error("x leads to a field with exact names")
	}
}

// TestSearchesAreShort: no name takes long to look up, also where all names of a struct begin and end alike.
func TestSearchesAreShort(t *testing.T) {
	for _, format := range []string{"name%d", "beginning %03d with the same end", "%d"} {
		var fields []reflect.StructField
		for i := range 500 {
			fields = append(fields, reflect.StructField{Name: fmt.Sprint("F", i), Type: reflect.TypeFor[int](),
				Tag: reflect.StructTag(fmt.Sprintf("json:%q", fmt.Sprintf(format, i)))})
		}
		if n := plan.LongestSearch(reflect.StructOf(fields)); n > 50 {
			t.Errorf("names like %q: a search looks at %d slots", format, n)
		}
	}
}
