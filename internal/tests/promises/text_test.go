package promises_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/tests/testkit"
)

// This file compares the strings that an arena makes with those of packages strings, strconv and time.

func textArenas() map[string]*arena.Arena {
	return map[string]*arena.Arena{"nil": nil, "plain": arena.NewArena(), "self-contained": arena.NewArena(arena.WithNoScan()),
		"limited": arena.NewArena(arena.WithLimit(1 << 20)), "small": arena.NewArena(arena.WithChunkSize(256)),
		"checked": arena.NewArena(arena.WithChecks(arena.CheckObjects))}
}

// alphabet has letters whose other case is longer, shorter or in ASCII, and bytes that aren't UTF-8.
var alphabet = []string{"a", "b", "B", "Z", "z", "@", "[", "`", "{", "ä", "Ä", "ß", "ı", "İ", "\u212a", "Ⱥ", "ⱥ", "ǆ", "世", "𐐀", "𐐨",
	"\ufffd", "\xff", "\xc3", "\xed\xa0\x80", "\x00"}

func randomText(r *rand.Rand) string {
	var b strings.Builder
	letters := alphabet[:1+r.IntN(len(alphabet))]
	for range r.IntN(12) * (1 + r.IntN(2)*r.IntN(12)) {
		b.WriteString(letters[r.IntN(len(letters))])
	}
	return b.String()
}

var mappings = []func(rune) rune{
	func(r rune) rune { return r },
	func(r rune) rune { return -1 },
	func(rune) rune { return utf8.RuneError },
	func(r rune) rune { return r + 1 },
	func(r rune) rune { return utf8.MaxRune + r },
	func(rune) rune { return 0xd800 },
	func(r rune) rune { return '世' },
	func(r rune) rune {
		if r == 'a' {
			return -1
		}
		return r
	},
	unicode.ToTitle,
}

// TestStrings: each function returns the same as that of package strings. Where that is s itself, so is this, but in a
// self-contained arena, as it might be on the heap. All others are in the arena.
func TestStrings(t *testing.T) {
	for name, a := range textArenas() {
		r := rand.New(rand.NewPCG(3, 4))
		for i := range 3000 {
			s, old, new, n := randomText(r), randomText(r), randomText(r), r.IntN(6)-1
			if i%2 == 0 {
				old = alphabet[r.IntN(len(alphabet))]
			}
			m := mappings[r.IntN(len(mappings))]
			for op, f := range map[string][2]string{
				"ToUpper": {a.ToUpper(s), strings.ToUpper(s)},
				"ToLower": {a.ToLower(s), strings.ToLower(s)},
				"Map":     {a.Map(m, s), strings.Map(m, s)},
				"Replace": {a.Replace(s, old, new, n), strings.Replace(s, old, new, n)},
				"Repeat":  {a.Repeat(s, n+1), strings.Repeat(s, n+1)},
			} {
				got, want := f[0], f[1]
				if got != want {
					t.Fatalf("%s: %s of %q (%q, %q, %d): %q, want %q", name, op, s, old, new, n, got, want)
				}
				p := unsafe.StringData(got)
				same := unsafe.StringData(want) == unsafe.StringData(s) && !a.SelfContained()
				if itself := p == unsafe.StringData(s); want != "" && itself != same {
					t.Fatalf("%s: %s of %q (%q, %q, %d): s itself: %v", name, op, s, old, new, n, itself)
				} else if a != nil && want != "" && a.Owns(unsafe.Pointer(p)) == itself {
					t.Fatalf("%s: %s of %q (%q, %q, %d) isn't in the arena", name, op, s, old, new, n)
				}
			}
			if i%100 == 0 {
				a.Reset()
			}
		}
	}
	a := arena.NewArena()
	testkit.WantPanic(t, func() { a.Repeat("x", -1) }, "arena: Repeat: count -1")
	testkit.WantPanic(t, func() { a.Repeat("xx", math.MaxInt/2+1) }, "arena: Repeat: the result is too long")
	many := strings.Repeat("x", 1<<20)
	testkit.WantPanic(t, func() { a.Replace(many, "", strings.Repeat(many, 1<<8), -1) }, "arena: Replace: the result is too long")
}

// textOps add something to a Text, and return it.
var textOps = []func(r *rand.Rand, t *arena.Text) string{
	func(r *rand.Rand, t *arena.Text) string { s := randomText(r); t.Str(s); return s },
	func(r *rand.Rand, t *arena.Text) string { s := randomText(r); t.Bytes([]byte(s)); return s },
	func(r *rand.Rand, t *arena.Text) string { s := randomText(r); t.Quote(s); return strconv.Quote(s) },
	func(r *rand.Rand, t *arena.Text) string { c := byte(r.Uint32()); t.Byte(c); return string([]byte{c}) },
	func(r *rand.Rand, t *arena.Text) string {
		c := rune(r.Uint32() >> r.IntN(32))
		t.Rune(c)
		return string(c)
	},
	func(r *rand.Rand, t *arena.Text) string { v := r.IntN(2) == 0; t.Bool(v); return fmt.Sprint(v) },
	func(r *rand.Rand, t *arena.Text) string {
		v := int(r.Uint64() >> r.IntN(64))
		t.Int(v)
		return fmt.Sprint(v)
	},
	func(r *rand.Rand, t *arena.Text) string { v := int64(r.Uint64()); t.Int64(v); return fmt.Sprint(v) },
	func(r *rand.Rand, t *arena.Text) string { v := r.Uint64(); t.Uint64(v); return fmt.Sprint(v) },
	func(r *rand.Rand, t *arena.Text) string {
		v, format, prec := math.Float64frombits(r.Uint64()), "efgG"[r.IntN(4)], r.IntN(40)-1
		t.Float(v, format, prec)
		return strconv.FormatFloat(v, format, prec, 64)
	},
	func(r *rand.Rand, t *arena.Text) string {
		v, layout := time.Unix(r.Int64N(1e10), 0).UTC(), []string{time.RFC3339Nano, time.RFC850, "Monday January", ""}[r.IntN(4)]
		t.Time(v, layout)
		return v.Format(layout)
	},
}

// TestText: a Text builds the sum of the added parts, in any order, of any length, and with other allocations between;
// strings that it has returned don't change.
func TestText(t *testing.T) {
	for name, a := range textArenas() {
		r := rand.New(rand.NewPCG(5, 6))
		for range 400 {
			text, want := a.Text(), ""
			strs := map[string]string{}
			for range r.IntN(20) {
				want += textOps[r.IntN(len(textOps))](r, text)
				switch r.IntN(8) {
				case 0:
					got := text.String()
					strs[want] = got
				case 1:
					arena.MakeSlice[byte](a, r.IntN(20), 20)
				case 2:
					a.AllocString("other text")
				}
			}
			strs[want] = text.String()
			for want, got := range strs {
				if got != want {
					t.Fatalf("%s: %q, want %q", name, got, want)
				}
				if a != nil && want != "" && !a.Owns(unsafe.Pointer(unsafe.StringData(got))) {
					t.Fatalf("%s: %q isn't in the arena", name, got)
				}
			}
			if text.Len() != len(want) {
				t.Fatalf("%s: length %d, want %d", name, text.Len(), len(want))
			}
			a.Reset()
		}
	}
}

// TestTextTakesWhatItNeeds: spare memory goes back, and a limit needs no room for it.
func TestTextTakesWhatItNeeds(t *testing.T) {
	for _, n := range []int{5, 100, 1000} {
		a, part := arena.NewArena(), strings.Repeat("x", n)
		_ = a.Text().Str(part).Int(1).String()
		if used := a.UsedBytes(); used > n+1+7 {
			t.Errorf("a text of %d bytes takes %d", n+1, used)
		}
	}
	a := arena.NewArena(arena.WithLimit(64))
	if e := limitOf(t, func() { _ = a.Text().Str("a text of ").Int(64).Str(" bytes at most").String() }); e != nil {
		t.Error(e)
	}
	if e := limitOf(t, func() { _ = a.Text().Str(strings.Repeat("x", 200)).String() }); e == nil {
		t.Error("200 bytes in an arena with a limit of 64")
	}
}

// TestTextTooLong: a text above the maximum of an arena is refused before anything is allocated.
func TestTextTooLong(t *testing.T) {
	b := make([]byte, 1<<27) // of zeroes, which take no memory
	long := unsafe.String(&b[0], len(b))
	for name, a := range textArenas() {
		a.AllocString("x")
		used := a.UsedBytes()
		for what, f := range map[string]func(){
			"Join":   func() { arena.Join(a, make([]string, 1<<21), long) },
			"Concat": func() { arena.Concat(a, slices.Repeat([]string{long}, 1<<21)...) },
		} {
			if v := testkit.Caught(f); v != "arena: Join: the result is too long" {
				t.Errorf("%s, %s: %v", name, what, v)
			}
		}
		if a.UsedBytes() != used || a.AllocString("x") != "x" {
			t.Errorf("%s: %d bytes are in use, %d were before", name, a.UsedBytes(), used)
		}
	}
	if math.MaxInt == math.MaxInt32 {
		return
	}
	a := arena.NewArena(arena.WithLimit(1<<20), arena.WithChecks(arena.CheckObjects))
	if e := limitOf(t, func() { a.Repeat(long, 1<<13) }); e == nil || uint64(e.Asked) != 1<<40 {
		t.Errorf("a checked arena: %v", e)
	}
}
