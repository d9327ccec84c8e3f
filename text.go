package arena

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/memory"
	"github.com/harena-go/arena/internal/tuning"
)

// This file makes strings. They come from the plain region: short ones from the high end, where objects are, out of the
// way of growing slices, and strings that are built up from the low end. It must not depend on slabs.

// AllocString returns a copy of s in the arena. It panics if the arena was freed, and with a *LimitError if its budget
// doesn't allow for the string.
func (a *Arena) AllocString(s string) string {
	n, left := uintptr(len(s)), uintptr(0)
	if a != nil {
		left = a.window.Left // once, as in take
	}
	if n-1 >= left { // n is 0 or too much
		return a.stringSlow(s)
	}
	left -= n
	a.window.Left = left
	p, q := unsafe.Add(a.window.Base, left), unsafe.Pointer(unsafe.StringData(s)) // fact 1
	switch {
	case n < 8 || n > 32:
		copy(unsafe.Slice((*byte)(p), n), s)
	case n > 16:
		copy8(unsafe.Add(p, 8), unsafe.Add(q, 8))
		copy8(unsafe.Add(p, n-16), unsafe.Add(q, n-16))
		fallthrough
	default:
		copy8(p, q)
		copy8(unsafe.Add(p, n-8), unsafe.Add(q, n-8))
	}
	return unsafe.String((*byte)(p), n)
}

// copy8 copies 8 bytes, aligned or not, through a register. A string of 8 to 32 bytes takes two or four of these
// copies, which overlap in the middle.
func copy8(p, q unsafe.Pointer) {
	binary.LittleEndian.PutUint64((*[8]byte)(p)[:], binary.LittleEndian.Uint64((*[8]byte)(q)[:]))
}

// stringSlow allocates a string that is empty or doesn't fit into the window.
func (a *Arena) stringSlow(s string) string {
	if a == nil {
		return strings.Clone(s)
	}
	p := a.text("AllocString", uintptr(len(s)))
	copy(unsafe.Slice((*byte)(p), len(s)), s)
	return unsafe.String((*byte)(p), len(s))
}

// text returns n bytes for a string, nil for none.
func (a *Arena) text(op string, n uintptr) unsafe.Pointer {
	if left := a.window.Left; n-1 < left { // as in AllocString
		a.window.Left = left - n
		return unsafe.Add(a.window.Base, left-n) // fact 1
	}
	a.check(op)
	if n == 0 {
		return nil
	}
	if n > maxBytes {
		panicSize(op, n)
	}
	a.expect(op, nil, watch.Text)
	switch {
	case n <= tuning.TinyString:
		return a.plain.TakeTop(n)
	case n <= tuning.ShortString:
		return a.plain.TakeTopUninit(n)
	}
	return a.plain.TakeLow(n, 1, true)
}

// AllocBytesToString returns a string in the arena with a copy of b. It panics as AllocString does.
func (a *Arena) AllocBytesToString(b []byte) string {
	if a == nil {
		return string(b)
	}
	return a.AllocString(unsafe.String(unsafe.SliceData(b), len(b)))
}

// Sprintf formats like fmt.Sprintf, into the arena. The operands' methods may use the arena. For results of more than
// 256 bytes, fmt allocates on the Go heap meanwhile. It panics as AllocString does.
func (a *Arena) Sprintf(format string, args ...any) string {
	if a == nil {
		return fmt.Sprintf(format, args...)
	}
	a.check("Sprintf")
	if a.account.share != nil || a.account.total != nil && a.plain.Room() < 2*tuning.Formatted || a.watch() != nil {
		// A limit might not allow for the room, and a report would describe a buffer with spare room.
		return a.AllocBytesToString(fmt.Appendf(nil, format, args...))
	}
	lo, end := a.plain.Lo(), a.plain.LowEnd()
	b := a.AllocBytesUninit(tuning.Formatted)
	out := fmt.Appendf(b[:0], format, args...)
	if len(out) == 0 || unsafe.SliceData(out) != unsafe.SliceData(b) {
		a.giveBackBytes(b, 0)
		start := uintptr(unsafe.Pointer(unsafe.SliceData(b)))
		if a.plain.EndsLow(start) && start-end < memory.ObjectAlign {
			a.giveBackLow(a.plain.Lo() - lo) // the padding for alignment
		}
		return a.AllocBytesToString(out)
	}
	a.giveBackBytes(b, len(out))
	return unsafe.String(unsafe.SliceData(out), len(out))
}

// giveBackBytes reclaims b except its first n bytes, if nothing was allocated behind it.
func (a *Arena) giveBackBytes(b []byte, n int) {
	if a.plain.EndsLow(uintptr(unsafe.Pointer(unsafe.SliceData(b))) + uintptr(len(b))) { // fact 10
		a.giveBackLow(uintptr(len(b) - n))
	}
}

// Concat returns the concatenation of parts in the arena, as parts[0] + parts[1] and so on. It copies each part once,
// and allocates only the result. It panics as [Arena.AllocString] does.
func Concat(a *Arena, parts ...string) string { return Join(a, parts, "") }

// Join returns the elements in the arena, separated by sep, as [strings.Join] does. It panics as [Arena.AllocString]
// does, and if the result is too long.
func Join(a *Arena, elems []string, sep string) string {
	n := 0
	for i, e := range elems {
		if i > 0 {
			n += len(sep)
		}
		if n += len(e); uint(n) > maxBytes {
			panic("arena: Join: the result is too long")
		}
	}
	if a == nil {
		return strings.Join(elems, sep)
	}
	b, at := unsafe.Slice((*byte)(a.text("Join", uintptr(n))), n), 0
	for i, e := range elems {
		if i > 0 && sep != "" {
			at += copy(b[at:], sep)
		}
		at += copy(b[at:], e)
	}
	return unsafe.String(unsafe.SliceData(b), n)
}

// ToUpper returns s with all letters in upper case, as [strings.ToUpper] does, in the arena. If nothing changes the
// result is s itself, and takes no memory; but in a self-contained arena it is a copy, since values there must not
// point to the heap. It panics as [Arena.AllocString] does.
func (a *Arena) ToUpper(s string) string { return a.mapLetters("ToUpper", s, 'a', unicode.ToUpper) }

// ToLower returns s with all letters in lower case, as [strings.ToLower] does, in the arena. If nothing changes it
// returns s as [Arena.ToUpper] does. It panics as [Arena.AllocString] does.
func (a *Arena) ToLower(s string) string { return a.mapLetters("ToLower", s, 'A', unicode.ToLower) }

// mapLetters changes the letters of s to the other case: in ASCII the 26 letters from first on, which differ from their
// counterparts in one bit.
func (a *Arena) mapLetters(op, s string, first byte, mapping func(rune) rune) string {
	changes := false
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return a.Map(mapping, s)
		}
		changes = changes || s[i]-first < 26
	}
	if !changes {
		return a.unchanged(s)
	}
	b := a.draftText(op, len(s))
	for i := range len(s) {
		c := s[i]
		if c-first < 26 {
			c ^= 'a' - 'A'
		}
		b[i] = c
	}
	return a.stringOf(b)
}

// Map returns s with each character replaced by mapping's result for it, as [strings.Map] does, in the arena. A
// negative result drops the character. If nothing changes it returns s as [Arena.ToUpper] does. mapping may allocate
// from the arena. Map panics as [Arena.AllocString] does.
func (a *Arena) Map(mapping func(rune) rune, s string) string {
	for i, c := range s {
		r, n := mapping(c), utf8.RuneLen(c)
		if c == utf8.RuneError {
			_, n = utf8.DecodeRuneInString(s[i:]) // an invalid byte changes: it becomes three
		}
		if r == c && (n != 1 || c < utf8.RuneSelf) {
			continue
		}
		t := a.Text()
		b := append(t.room(len(s)+utf8.UTFMax), s[:i]...)
		if r >= 0 {
			b = utf8.AppendRune(b, r)
		}
		for _, c := range s[i+n:] {
			if r := mapping(c); r >= 0 {
				if cap(b)-len(b) < utf8.UTFMax {
					b = t.set(b).room(utf8.UTFMax)
				}
				b = utf8.AppendRune(b, r)
			}
		}
		return t.set(b).String()
	}
	return a.unchanged(s)
}

// Replace returns s with the first n occurrences of old replaced by new, or all of them if n is negative, as
// [strings.Replace] does, in the arena. If nothing changes it returns s as [Arena.ToUpper] does. It panics as
// [Arena.AllocString] does, and if the result is too long for an int.
func (a *Arena) Replace(s, old, new string, n int) string {
	if old == new || n == 0 {
		return a.unchanged(s)
	}
	if m := strings.Count(s, old); n < 0 || m < n {
		n = m
	}
	if n == 0 {
		return a.unchanged(s)
	}
	b := a.draftText("Replace", len(s)+timesLen("Replace", n, len(new)-len(old)))
	at := 0
	for i := range n {
		j := 0 // an empty old is before each character
		if old != "" {
			j = strings.Index(s, old)
		} else if i > 0 {
			_, j = utf8.DecodeRuneInString(s)
		}
		at += copy(b[at:], s[:j])
		at += copy(b[at:], new)
		s = s[j+len(old):]
	}
	copy(b[at:], s)
	return a.stringOf(b)
}

// Repeat returns count copies of s, as [strings.Repeat] does, in the arena. If count is 1 it returns s as
// [Arena.ToUpper] does. It panics as [Arena.AllocString] does, and if count is negative or the result too long for an
// int.
func (a *Arena) Repeat(s string, count int) string {
	switch {
	case count < 0:
		panicNegative("Repeat", "count", count)
	case count == 0 || s == "":
		return ""
	case count == 1:
		return a.unchanged(s)
	}
	b := a.draftText("Repeat", timesLen("Repeat", count, len(s)))
	for n := copy(b, s); n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
	return a.stringOf(b)
}

// unchanged returns s, copied if the arena is self-contained.
func (a *Arena) unchanged(s string) string {
	if a.SelfContained() {
		return a.AllocString(s)
	}
	return s
}

// timesLen returns the length of n strings of the given length, which may be negative. It panics for op if the product
// is too long.
func timesLen(op string, n, length int) int {
	hi, lo := bits.Mul(uint(n), uint(max(length, -length)))
	if hi != 0 || lo > maxBytes {
		panic("arena: " + op + ": the result is too long")
	}
	return n * length
}

// draftText returns the bytes of a string of n bytes. If values are watched they are on the Go heap, and finish
// allocates the string, so that reports call it a string.
func (a *Arena) draftText(op string, n int) []byte {
	if a != nil && a.watch() != nil {
		a.check(op)
		if uintptr(n) > maxBytes {
			panicSize(op, uintptr(n))
		}
		a.demand(uintptr(n))
		return make([]byte, n)
	}
	return a.bytes(op, n, true)
}

// stringOf makes a string of bytes from draftText, or from a Text.
func (a *Arena) stringOf(b []byte) string {
	if a != nil && a.watch() != nil {
		return a.AllocBytesToString(b)
	}
	return unsafe.String(unsafe.SliceData(b), len(b))
}

// A Text builds a string in an arena from parts of several types. Unlike [Arena.Sprintf] it doesn't convert them to
// interfaces, which take memory of the Go heap. [Arena.Text] makes one:
//
//	s := a.Text().Str("order ").Int(17).Str(": ").Float(9.5, 'f', 2).String()
//
// The first 128 bytes are in the Text itself, which is a variable of the function that calls Arena.Text, as long as the
// Text isn't stored elsewhere. Up to there String takes as much from the arena as AllocString. A longer text is a slice
// of the arena, and grows as [Append] does. The Text's methods return it, and panic as Append does. It must not be used
// after the arena was reset.
type Text struct {
	a     *Arena
	long  []byte // the whole text, if it is longer than short; else nil
	n     int    // bytes in short; for a long text, its first bytes
	short [128]byte
}

// Text returns an empty Text that builds a string in the arena.
func (a *Arena) Text() *Text { return &Text{a: a} }

// String returns the text so far, as a string of the arena that doesn't change if more is added.
func (t *Text) String() string {
	if t.long == nil {
		return t.a.AllocBytesToString(t.short[:t.n])
	}
	if t.a != nil && len(t.long) < cap(t.long) {
		t.a.giveBackBytes(t.long[:cap(t.long)], len(t.long))
	}
	t.long = t.long[:len(t.long):len(t.long)] // the rest may belong to another value now
	return t.a.stringOf(t.long)
}

// Len returns the number of bytes so far.
func (t *Text) Len() int { return max(t.n, len(t.long)) }

// Str adds s.
func (t *Text) Str(s string) *Text { return t.set(append(t.room(len(s)), s...)) }

// Bytes adds b.
func (t *Text) Bytes(b []byte) *Text { return t.set(append(t.room(len(b)), b...)) }

// Byte adds c.
func (t *Text) Byte(c byte) *Text { return t.set(append(t.room(1), c)) }

// Rune adds r in UTF-8, or U+FFFD if r isn't a character.
func (t *Text) Rune(r rune) *Text { return t.set(utf8.AppendRune(t.room(utf8.UTFMax), r)) }

// Bool adds "true" or "false".
func (t *Text) Bool(v bool) *Text { return t.Str(strconv.FormatBool(v)) }

// Int adds v in decimal.
func (t *Text) Int(v int) *Text { return t.Int64(int64(v)) }

// Int64 adds v in decimal.
func (t *Text) Int64(v int64) *Text { return t.set(strconv.AppendInt(t.room(20), v, 10)) }

// Uint64 adds v in decimal.
func (t *Text) Uint64(v uint64) *Text { return t.set(strconv.AppendUint(t.room(20), v, 10)) }

// Float adds v in the format and the precision that [strconv.FormatFloat] describes: with 'g' and -1, the shortest
// number that reads as v.
func (t *Text) Float(v float64, format byte, prec int) *Text {
	return t.set(strconv.AppendFloat(t.room(24), v, format, prec, 64))
}

// Time adds v in the layout that [time.Time.Format] describes.
func (t *Text) Time(v time.Time, layout string) *Text {
	return t.set(v.AppendFormat(t.room(len(layout)+10), layout))
}

// Quote adds s in quotes, as [strconv.Quote] does.
func (t *Text) Quote(s string) *Text { return t.set(strconv.AppendQuote(t.room(len(s)+2), s)) }

// room returns the bytes so far, with room for n more. The caller appends to them and passes the result to set.
func (t *Text) room(n int) []byte {
	if t.long == nil && n <= len(t.short)-t.n {
		return t.short[:t.n]
	}
	return t.lengthen(n)
}

// lengthen is room for a long text: on the Go heap if values are watched, since a report would describe the spare
// memory.
//
//go:noinline
func (t *Text) lengthen(n int) []byte {
	if n <= cap(t.long)-len(t.long) {
		return t.long
	}
	a := t.a
	if a != nil {
		a.check("Text")
		if a.watch() != nil {
			a = nil
		}
	}
	if t.long == nil {
		t.long = append(Grow(a, []byte(nil), max(t.n+n, 2*len(t.short))), t.short[:t.n]...)
	}
	t.long = Grow(a, t.long, n)
	return t.long
}

// set sets the bytes to b: room's result and appended bytes. A function of package strconv moves it to the Go heap if
// the room isn't enough.
func (t *Text) set(b []byte) *Text {
	switch {
	case t.long == nil && len(b) <= len(t.short):
		t.n = len(b)
	case t.long != nil && cap(b) == cap(t.long):
		t.long = t.long[:len(b)] // not b, which aliases a short Text: the Text would escape
	default:
		added := b[t.Len():]
		t.long = append(t.lengthen(len(added)), added...)
	}
	return t
}
