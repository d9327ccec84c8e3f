package arenajson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/harena-go/arena/arenajson/internal/encode"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// wantText is how encoding/json/v2 writes a string: with no more escapes than it takes.
func wantText(s string) string {
	if !utf8.ValidString(s) {
		return ""
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch i := strings.IndexRune("\"\\\b\f\n\r\t", r); {
		case i >= 0:
			b.WriteByte('\\')
			b.WriteByte(`"\bfnrt`[i])
		case r < ' ':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func checkText(t *testing.T, s string) {
	t.Helper()
	got, err := Append([]byte("x"), s)
	if want := "x" + wantText(s); string(got) != want && (want != "x" || err == nil) {
		t.Fatalf("%q: %s, %v, want %s", s, got, err, want)
	}
	got, err = Append([]byte("x"), s, DefaultOptionsV1())
	if want, _ := json.Marshal(s); "x"+string(want) != string(got) {
		t.Fatalf("%q, v1: %s, %v, want %s", s, got, err, want)
	}
}

// TestWrittenTexts: strings of all lengths, with everything that has to be escaped at every place, are
// written as encoding/json and its version 2 write them.
func TestWrittenTexts(t *testing.T) {
	parts := []string{"", "é", "\u0800", "\ud7ff", "\ue000", "漢字", "한국어", "\u2026", "\u2027", "\u2028", "\u2029", "\u202a", "\U00010000", "\U0010ffff", "😀漢é",
		"\xff", "\x80", "\xe2\x80", "\xed\xa0\x80", "\xe0\x9f\xbf", "\xf4\x90\x80\x80", "漢\xe0\x80\x80漢", "漢漢\xed\xa0\x80", "привет", "éé\u00bfé", "ééé\xc1\xbf", "\xc1\xbfééé", "é\xc0\x80éé", "é\xe9éé"}
	for c := range rune(0x80) {
		parts = append(parts, string(c))
	}
	const filler = "abcdefghijklmnopqrstuvwxyz0123456789"
	for _, part := range parts {
		for n := range len(filler) {
			for i := range n + 1 {
				checkText(t, filler[:i]+part+filler[i:n])
			}
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range testkit.Cases(100_000) {
		var b strings.Builder
		for range rng.IntN(12) {
			if p := rng.IntN(2 * len(parts)); p < len(parts) {
				b.WriteString(parts[p])
			} else {
				b.WriteString(filler[:rng.IntN(20)])
			}
		}
		checkText(t, b.String())
	}
}

// TestEncoderKeepsToCapacity: nothing is written beyond the capacity of a buffer, and Append leaves
// the memory behind its result unchanged, too.
func TestEncoderKeepsToCapacity(t *testing.T) {
	type value struct {
		A string
		B []any
		C float64
		D *int64
		E bool
		F map[string]string
		G struct{ X, Y float32 }
		H string `json:"a name that is so long that it is not copied with the others of its kind"`
		I []bool
		J string
	}
	i := int64(-1234567890123456789)
	v := &value{"1234567", []any{"漢\n", -1.7976931348623157e+308, true, nil}, -0.0000012345678901234567, &i, false, map[string]string{"k": "v"},
		struct{ X, Y float32 }{1.5, 1e-20}, "<>", []bool{true, false}, strings.Repeat("s", 33)}
	floats := []float64{-1.7976931348623157e+308, -0.0000012345678901234567, -123456789012345680000, 1234567.8901234567, 12345678.901234567, -5e-324, 1e20}
	values := []any{v, floats, []float32{-1.1754944e-38, 3.4028235e+38, -0.0000011754944}, []int64{i, 1, -99999999, 100000000}, []uint64{1<<64 - 1, 9e15, 99999999},
		[]bool{true, false}, []string{"", "a", "abc", "abcd", "1234567", "12345678", "\n", "漢"}, map[int]int{-12345678: 7}, map[string]string{"a": "b"}, Object{{"a", 1.5}}}
	for _, v := range values {
		checkCapacity(t, v)
		checkCapacity(t, v, DefaultOptionsV1())
	}
}

func checkCapacity(t *testing.T, v any, opts ...Options) {
	want, err := Append(nil, v, opts...)
	if err != nil {
		t.Fatal(err)
	}
	for room := range 2*len(want) + 50 {
		array := make([]byte, 10+room+100)
		for i := range array {
			array[i] = 0xaa
		}
		got, _, err := encode.New(join(opts).set).Append(array[:10:10+room], v)
		if err != nil || string(got[10:]) != string(want) || string(got[:10]) != strings.Repeat("\xaa", 10) {
			t.Fatalf("room for %d: %s, %v", room, got, err)
		}
		if string(array[10+room:]) != strings.Repeat("\xaa", 100) {
			t.Fatalf("room for %d: what lies behind is %x", room, array[10+room:])
		}
		for i := range array {
			array[i] = 0xaa
		}
		got, err = Append(array[:10:10+room], v, opts...)
		behind := array[min(10+len(want), 10+room):]
		if err != nil || string(got[10:]) != string(want) || bytes.Count(behind, []byte{0xaa}) != len(behind) {
			t.Fatalf("Append, room for %d: %s, %v; %x", room, got, err, array)
		}
	}
}
