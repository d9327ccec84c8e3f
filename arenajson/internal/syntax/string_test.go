package syntax

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"

	"github.com/harena-go/arena/arenajson/internal/option"
)

// readString reads a string as text does, without and with invalid UTF-8.
func readString(s string, f option.Flags) (string, bool) {
	d := Reader{Data: []byte(s), Flags: f}
	b, end := d.Text(0)
	skip := (&Reader{Data: []byte(s), Flags: f}).SkipText(0)
	if skip != end {
		return "skipText differs from text", true
	}
	return string(b), end == len(s)
}

// TestEscapes: all \uXXXX, and all pairs of those at the edges of the surrogates, are what
// encoding/json makes of them; halves of pairs are errors unless they are replaced.
func TestEscapes(t *testing.T) {
	check := func(s string, lone bool) {
		var want string
		if err := json.Unmarshal([]byte(s), &want); err != nil {
			t.Fatal(s, err)
		}
		if got, ok := readString(s, option.AllowInvalidUTF8); !ok || got != want {
			t.Fatalf("%s: %q, not %q", s, got, want)
		}
		if got, ok := readString(s, 0); ok == lone || ok && got != want {
			t.Fatalf("%s: %q, %v", s, got, ok)
		}
	}
	for r := range rune(0x10000) {
		check(fmt.Sprintf(`"\u%04x"`, r), utf16.IsSurrogate(r))
		check(fmt.Sprintf(`"é\u%04Xabcdefgh"`, r), utf16.IsSurrogate(r))
	}
	edges := []rune{0, 'a', 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xd800, 0xd801, 0xdbfe, 0xdbff, 0xdc00, 0xdc01, 0xdffe, 0xdfff, 0xe000, 0xfffd, 0xffff}
	for _, x := range edges {
		for _, y := range edges {
			pair := utf16.DecodeRune(x, y) != unicode.ReplacementChar
			lone := !pair && (utf16.IsSurrogate(x) || utf16.IsSurrogate(y))
			check(fmt.Sprintf(`"\u%04x\u%04x"`, x, y), lone)
			check(fmt.Sprintf(`"\u%04x-\u%04x"`, x, y), utf16.IsSurrogate(x) || utf16.IsSurrogate(y))
		}
	}
	for c := range 256 {
		s := `"\` + string([]byte{byte(c)}) + `0000"`
		if _, ok := readString(s, 0); ok != json.Valid([]byte(s)) {
			t.Errorf("%q: %v", s, ok)
		}
		s = `"\u00` + string([]byte{byte(c)}) + `0"`
		if _, ok := readString(s, 0); ok != json.Valid([]byte(s)) {
			t.Errorf("%q: %v", s, ok)
		}
		for at := range 4 {
			digits := []byte("00e9")
			digits[at] = byte(c)
			s = `"\u20ac\u` + string(digits) + `and more"`
			if _, ok := readString(s, 0); ok != json.Valid([]byte(s)) {
				t.Errorf("%q: %v", s, ok)
			}
		}
		s = `"abcdefghij` + string([]byte{byte(c)}) + `klmnopqrst"`
		if _, ok := readString(s, option.AllowInvalidUTF8); ok != json.Valid([]byte(s)) {
			t.Errorf("%q: %v", s, ok)
		}
	}
}

// TestManyEscapes: consecutive strings of many escapes, of all lengths, with any room that the last one has left.
func TestManyEscapes(t *testing.T) {
	var d Reader
	runes := []string{`\u0041`, `\u00e9`, `\u20ac`, `\ud83d\ude00`, `\n`, "x", "é"}
	for n := range 700 {
		var b strings.Builder
		for i := range n {
			b.WriteString(runes[(i*i+n+i/7)%len(runes)])
		}
		s := `"` + b.String() + `"  `
		var want string
		if err := json.Unmarshal([]byte(s), &want); err != nil {
			t.Fatal(err)
		}
		if n%50 == 0 {
			d.Scratch = nil
		}
		d.Data = []byte(s)
		if got, end := d.Text(0); string(got) != want || end != len(s)-2 {
			t.Fatalf("%s: %q, %d", s, got, end)
		}
	}
}
