package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestWide: wide takes a run of UTF-8 beyond ASCII as far as package utf8 finds it valid: all
// sequences of up to three bytes, and those of four at all edges, in front of the end
// and of other text.
func TestWide(t *testing.T) {
	check := func(b []byte) {
		checkWide(t, b, "", "abcd", "abcdefgh")
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

// checkWide compares wide with package utf8, with each tail behind b.
func checkWide(t *testing.T, b []byte, tails ...string) {
	t.Helper()
	for _, tail := range tails {
		data := append(append([]byte{}, b...), tail...)
		want := 0
		for want < len(data) && data[want] >= 0x80 {
			r, n := utf8.DecodeRune(data[want:])
			if r == utf8.RuneError && n == 1 {
				break
			}
			want += n
		}
		if got := SkipWide(data, 0); got != want {
			t.Fatalf("%x: %d, not %d", data, got, want)
		}
	}
}

// TestWideWords: the same for characters that share a word: all of two bytes in each of the four
// places, and all of three in both, with valid ones in the other places.
func TestWideWords(t *testing.T) {
	for c := range 1 << 16 {
		for place := range 4 {
			b := []byte("\u0080\u07ff\u00ff\u0700")
			b[2*place], b[2*place+1] = byte(c>>8), byte(c)
			checkWide(t, b, "", "é", "\xc0\x80")
		}
	}
	for c := 0xe00000; c < 0xf00000; c++ {
		if c&0xff != 0x80 && c&0x7f != 0x7f && c&0xff != 0x41 && c&0xffff != 0 {
			continue
		}
		for place := range 2 {
			b := []byte("\u0800\uffff")
			b[3*place], b[3*place+1], b[3*place+2] = byte(c>>16), byte(c>>8), byte(c)
			checkWide(t, b, "ab", "\u2028", "\xed\xa0\x80")
		}
	}
}

// TestSpace: white space of all lengths ends where the first other byte is, and at the end of the input.
func TestSpace(t *testing.T) {
	for n := range 90 {
		for _, begin := range []string{"", "\n", "\r\n", "\n\n", " \n"} {
			for _, end := range []string{"", "\t", "\n", "\n   ", "\r\n         \t"} {
				for _, tail := range []string{"", "x", "\x00", "\x1f        ", "\xa0", "\"abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz"} {
					white := begin + strings.Repeat(" ", n) + end
					if got := SkipSpace([]byte(white+tail), 0); got != len(white) {
						t.Fatalf("%q: %d, not %d", white+tail, got, len(white))
					}
				}
			}
		}
	}
}
