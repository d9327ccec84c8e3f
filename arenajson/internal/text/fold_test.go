package text

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
)

// TestFold: two runes are folded to the same if and only if strings.EqualFold says so.
func TestFold(t *testing.T) {
	seen := map[string]rune{}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if utf16.IsSurrogate(r) || r == '-' || r == '_' {
			continue
		}
		key := string(Fold(nil, []byte(string(r))))
		first, ok := seen[key]
		if !ok {
			seen[key] = r
			continue
		}
		if !strings.EqualFold(string(r), string(first)) {
			t.Fatalf("%q and %q are folded to %q", r, first, key)
		}
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		if next := unicode.SimpleFold(r); foldRune(r) != foldRune(next) {
			t.Fatalf("%q and %q are folded to different runes", r, next)
		}
	}
	if got := string(Fold(nil, []byte("a_B-ſK"))); got != "ABSK" {
		t.Errorf("%q", got)
	}
}
