package arenajson_test

import (
	_ "embed"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson"
)

// suiteDir returns the directory of JSONTestSuite's texts in the module cache.
func suiteDir(t *testing.T) string {
	out, err := exec.Command("go", "mod", "download", "-json", "github.com/nst/JSONTestSuite@v0.0.0-20241122125541-1ef36fa01286").Output()
	var mod struct{ Dir, Error string }
	if err == nil {
		err = json.Unmarshal(out, &mod)
	}
	if err != nil || mod.Dir == "" {
		t.Skipf("JSONTestSuite is not to be had: %v %s", err, mod.Error)
	}
	return filepath.Join(mod.Dir, "test_parsing")
}

// strictlyBad are the texts of the suite that are good, or up to the implementation, but that
// have invalid UTF-8, lone surrogates or duplicate names, which are errors by default.
var strictlyBad = []string{"i_string_", "y_object_duplicated_key", "i_object_key_lone_2nd_surrogate"}

// TestSuite: all texts of JSONTestSuite are taken or not as they should be, alone, as the
// value of an unknown member, in arrays, and with the options of v1 as encoding/json does.
func TestSuite(t *testing.T) {
	files, err := os.ReadDir(suiteDir(t))
	if err != nil {
		t.Fatal(err)
	}
	a := arena.NewArena(arena.WithMaxRetained(1 << 20))
	count := 0
	for _, f := range files {
		data, err := os.ReadFile(filepath.Join(suiteDir(t), f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		count++
		checkText(t, a, f.Name(), data, v1, v2)
		a.Reset()
		checkText(t, nil, f.Name(), data, arenajson.JoinOptions(v1, arenajson.Batch()), arenajson.JoinOptions(arenajson.Batch(), v2))
	}
	if count < 316 {
		t.Errorf("%d texts only", count)
	}
}

func checkText(t *testing.T, a *arena.Arena, name string, data []byte, v1, v2 arenajson.Options) {
	valid := json.Valid(data)
	if strings.HasPrefix(name, "y_") && !valid || strings.HasPrefix(name, "n_") && valid {
		t.Fatalf("%s: encoding/json says %v", name, valid)
	}
	strict := valid
	for _, s := range strictlyBad {
		if strings.HasPrefix(name, s) && valid {
			strict = v2Valid(data)
		}
	}
	var v any
	wantErr := json.Unmarshal(data, &v) != nil
	for opts, want := range map[*arenajson.Options]bool{&v1: valid, &v2: strict} {
		if got := arenajson.Valid(data, *opts); got != want {
			t.Errorf("%s: Valid %v", name, got)
		}
		inside := append(append([]byte(`{"unknown": `), data...), '}')
		var s struct{ Known int }
		// A text with something behind its value may be fine inside an object.
		if want2 := want && json.Valid(inside); (arenajson.Unmarshal(a, inside, &s, *opts) == nil) != want2 {
			t.Errorf("%s: as an unknown member: %v", name, !want2)
		}
		for _, c := range []any{new(any), new([]any), new(map[string]any), new(arenajson.Object), new(json.RawMessage)} {
			ref := reflect.New(reflect.TypeOf(c).Elem()).Interface()
			got := arenajson.Unmarshal(a, data, c, *opts)
			if !want && got == nil {
				t.Errorf("%s: %T takes it", name, c)
			}
			if _, object := c.(*arenajson.Object); want && !object && opts == &v1 {
				if wantErr := json.Unmarshal(data, ref) != nil; wantErr != (got != nil) || !reflect.DeepEqual(ref, c) {
					t.Errorf("%s: %T: %v, %v", name, c, got, c)
				}
			}
		}
	}
	_ = wantErr
}

var v1, v2 = arenajson.DefaultOptionsV1(), arenajson.DefaultOptionsV2()
