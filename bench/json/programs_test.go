package json

import (
	stdjson "encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena/bench/json/work"
	"github.com/harena-go/arena/bench/program"
	"github.com/harena-go/arena/bench/suite"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// inRustProgram is the program in Rust, or the end of a test where there is none. It isn't
// compiled for a test alone, unless HARENA_RUST is set.
func inRustProgram(t *testing.T) string {
	t.Helper()
	built, _ := filepath.Glob(filepath.Join("rust", "target", "release", "*json*"))
	if os.Getenv("HARENA_RUST") == "" && built == nil {
		t.Skip("compiles for minutes: set HARENA_RUST=1, or run the suite once")
	}
	if _, err := exec.LookPath("cargo"); err != nil {
		t.Skip("there is no cargo")
	}
	path, err := rust.Build()
	if err != nil {
		if strings.Contains(err.Error(), "download") || strings.Contains(err.Error(), "network") {
			t.Skip(err)
		}
		t.Fatal(err)
	}
	return path
}

func newerProgram(t *testing.T) string {
	t.Helper()
	testkit.NeedsLong(t, "builds a program with another toolchain")
	path, err := newer.Build()
	if err != nil {
		t.Skip(err)
	}
	return path
}

func savedTexts(t *testing.T) (string, []work.Text) {
	t.Helper()
	dir, all := t.TempDir(), texts(t)
	if err := work.Save(all, dir); err != nil {
		t.Fatal(err)
	}
	return dir, all
}

// TestLibrariesInRustAgree: they read each text that they have a type for to the value that
// encoding/json reads.
func TestLibrariesInRustAgree(t *testing.T) {
	path := inRustProgram(t)
	dir, all := savedTexts(t)
	for _, text := range all {
		for _, peer := range []string{suite.SerdeJSON, suite.SonicRs, suite.SimdJSON} {
			out, err := program.Run(path, "-peer", peer, "-texts", dir, "-check", text.Name)
			if text.Name == "synthea_fhir" || work.Served(text.Name) {
				continue // there is no type for it
			}
			if err != nil || len(out) == 0 {
				t.Errorf("%s, %s: %v", peer, text.Name, err)
				continue
			}
			got, want := reflect.New(text.Type).Interface(), reflect.New(text.Type).Interface()
			if err := stdjson.Unmarshal(text.Data, want); err != nil {
				t.Fatal(err)
			}
			equal := reflect.DeepEqual
			if peer == suite.SerdeJSON {
				equal = near // its floats may be wrong in the last bit, as the row says
			}
			if err := stdjson.Unmarshal(out, got); err != nil || !equal(got, want) {
				t.Errorf("%s, %s: another value (%v)", peer, text.Name, err)
			}
		}
	}
}

// near reports whether two values are the same but for the last bits of floats.
func near(x, y any) bool {
	a, b := reflect.ValueOf(x), reflect.ValueOf(y)
	if !a.IsValid() || !b.IsValid() || a.Type() != b.Type() {
		return !a.IsValid() && !b.IsValid()
	}
	return nearValue(a, b)
}

func nearValue(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Float64:
		return math.Abs(a.Float()-b.Float()) <= 1e-15*math.Abs(b.Float())
	case reflect.Pointer:
		return a.IsNil() == b.IsNil() && (a.IsNil() || nearValue(a.Elem(), b.Elem()))
	case reflect.Struct:
		for i := range a.NumField() {
			if !nearValue(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		same := a.IsNil() == b.IsNil() && a.Len() == b.Len()
		for i := 0; same && i < a.Len(); i++ {
			same = nearValue(a.Index(i), b.Index(i))
		}
		return same
	}
	return reflect.DeepEqual(a.Interface(), b.Interface())
}

// TestProgramsMeasure: each prints the rows that are asked for, and nothing of others.
func TestProgramsMeasure(t *testing.T) {
	for name, build := range map[string]func(*testing.T) string{"newer": newerProgram, "rust": inRustProgram} {
		t.Run(name, func(t *testing.T) {
			c := suite.Config{Quick: true, Rows: "typed-o", Programs: map[string]string{}}
			path := build(t)
			for _, peer := range Suite().Peers {
				if Programs[peer] == nil || (peer == suite.NewerJSON || peer == suite.NewerV2JSON) != (name == "newer") {
					continue
				}
				c.Programs[peer] = path
				out, err := run(peer, c)
				if err != nil {
					t.Fatal(err)
				}
				if len(out.Results) != 1 || out.Results[0].Row != "typed-order" || out.Results[0].Values[0] <= 0 || out.Results[0].Values[0] > 1 {
					t.Errorf("%s: %+v", peer, out.Results)
				}
			}
		})
	}
}

// TestNewerIsNewer: the program has the packages of a toolchain that has version 2.
func TestNewerIsNewer(t *testing.T) {
	out, err := exec.Command("go", "version", newerProgram(t)).Output()
	if err != nil {
		t.Fatal(err)
	}
	if fields := strings.Fields(string(out)); len(fields) < 2 || fields[1] < "go1.27" {
		t.Errorf("%s", out)
	}
}

// TestProgramsThatAreMissing: the error says what there isn't.
func TestProgramsThatAreMissing(t *testing.T) {
	if _, err := run(suite.SonicRs, suite.Config{Quick: true}); err == nil || !strings.Contains(err.Error(), "the program with sonic-rs was not built") {
		t.Errorf("without a program: %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if _, err := rust.Build(); err == nil || !strings.Contains(err.Error(), "not installed") {
		t.Errorf("without cargo: %v", err)
	}
	if _, err := newer.Build(); err == nil || !strings.Contains(err.Error(), "without Go 1.27") {
		t.Errorf("without a go command: %v", err)
	}
}

// TestToolchainThatIsMissing puts a program in the go command's place that fails as it does.
func TestToolchainThatIsMissing(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\necho \"go: download $GOTOOLCHAIN: no\" >&2\nexit 1\n"
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := exec.Command(filepath.Join(dir, "go")).Run(); err == nil || !strings.Contains(err.Error(), "exit status") {
		t.Skip("a script can't take the go command's place here")
	}
	t.Setenv("PATH", dir)
	want := fmt.Sprintf("without Go 1.27, or what it says to the program: go: download %s: no", newerGo)
	if _, err := newer.Build(); err == nil || err.Error() != want && !newEnough() {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestEasyJSON runs the tests of peers for easyjson, which isn't part of this program.
func TestEasyJSON(t *testing.T) {
	testkit.NeedsLong(t, "builds a program")
	const tests = "^Test(PeersAgree|BodiesAreRead|WhatIsWrittenIsRead)$"
	out, err := Easy.Test("-v", "-run", tests+"/^easyjson$", "./json")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, test := range []string{"PeersAgree", "BodiesAreRead", "WhatIsWrittenIsRead"} {
		if !strings.Contains(string(out), "--- PASS: Test"+test+"/easyjson ") {
			t.Errorf("Test%s didn't run:\n%s", test, out)
		}
	}
}

// TestAllPeersAreDescribed: the report says who they are.
func TestAllPeersAreDescribed(t *testing.T) {
	for _, peer := range Suite().Peers {
		if !slices.ContainsFunc(suite.All(), func(p suite.Peer) bool { return p.Name == peer && p.About != "" }) {
			t.Errorf("nothing is said of %s", peer)
		}
	}
}
