package arenajson

import (
	"testing"
	"unicode/utf8"
)

// TestWide: wide takes a run of UTF-8 beyond ASCII as far as package utf8 finds it valid: all
// sequences of up to three bytes, and those of four at all edges, in front of the end
// and of other text.
func TestWide(t *testing.T) {
	check := func(b []byte) {
		for _, tail := range []string{"", "abcd"} {
			data := append(append([]byte{}, b...), tail...)
			want := 0
			for want < len(data) && data[want] >= 0x80 {
				r, n := utf8.DecodeRune(data[want:])
				if r == utf8.RuneError && n == 1 {
					break
				}
				want += n
			}
			if got := wide(data, 0); got != want {
				t.Fatalf("%x: %d, not %d", data, got, want)
			}
		}
	}
	for a := 0x80; a < 256; a++ {
		check([]byte{byte(a)})
		for b := range 256 {
			check([]byte{byte(a), byte(b)})
			for c := range 256 {
				check([]byte{byte(a), byte(b), byte(c)})
			}
		}
	}
	edges := []byte{0, 0x41, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc2, 0xe0, 0xff}
	for a := 0xf0; a < 256; a++ {
		for b := range 256 {
			for _, c := range edges {
				for _, d := range edges {
					check([]byte{byte(a), byte(b), c, d})
				}
			}
		}
	}
}
