package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/harena-go/arena/bench/json/work"
)

// TestSourcesAreThoseOfTheTexts: nobody forgot to generate them again.
func TestSourcesAreThoseOfTheTexts(t *testing.T) {
	texts, err := work.Texts(false)
	if err != nil {
		t.Fatal(err)
	}
	for file, generate := range map[string]func([]work.Text) ([]byte, error){
		filepath.Join("..", "fixed", "types.go"):       goTypes,
		filepath.Join("..", "rust", "src", "types.rs"): rustTypes,
	} {
		want, err := generate(texts)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is old: go generate ./json (%v)", file, err)
		}
	}
}

// TestNames: members that differ get names that differ, and each is one.
func TestNames(t *testing.T) {
	for member, want := range map[string]string{"id_str": "IdStr", "4x": "X", "h:ttp-a": "HTtpA", "": "Member", "$ref": "Ref"} {
		if got := camel(member); got != want {
			t.Errorf("%q becomes %q, want %q", member, got, want)
		}
	}
	n := names{}
	if a, b := n.unique("A"), n.unique("A"); a != "A" || b != "A2" {
		t.Errorf("%s, %s", a, b)
	}
}
