package arenajson

import (
	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file holds the options. The codecs get the boolean ones as bits.

// all has all bits.
const all = option.Legacy<<1 - 1

// v1 is DefaultOptionsV1.
const v1 = option.AllowDuplicateNames | option.AllowInvalidUTF8 | option.MatchCaseInsensitive | option.Deterministic |
	option.EscapeHTML | option.EscapeJS | option.NilMapAsNull | option.NilSliceAsNull | option.Legacy

// Options change the behavior of this package's functions. Later options override earlier
// ones. The zero Options change nothing; they may be kept and shared.
type Options struct {
	given, set option.Flags
	depth      int // 0 if not given
	bytes      int64
	hasBytes   bool
}

// flag returns Options that turn some bits on or off, and leave the others.
func flag(f option.Flags, on bool) Options {
	if on {
		return Options{given: f, set: f}
	}
	return Options{given: f}
}

// join returns opts joined, on top of DefaultOptionsV2.
func join(opts []Options) (o Options) {
	o.depth = option.DefaultDepth
	for i := range opts {
		p := &opts[i]
		o.set = o.set&^p.given | p.set
		if p.depth != 0 {
			o.depth = p.depth
		}
		if p.hasBytes {
			o.bytes, o.hasBytes = p.bytes, true
		}
	}
	return o
}

// JoinOptions returns the Options with the effect of all opts, the later ones overriding the
// earlier.
func JoinOptions(opts ...Options) (o Options) {
	for _, p := range opts {
		o.given |= p.given
		o.set = o.set&^p.given | p.set
		if p.depth != 0 {
			o.depth = p.depth
		}
		if p.hasBytes {
			o.bytes, o.hasBytes = p.bytes, true
		}
	}
	return o
}

// DefaultOptionsV2 sets all options to their defaults, those of package encoding/json/v2: names are
// matched exactly, and duplicate names, invalid UTF-8 and the first value that doesn't fit are
// errors.
func DefaultOptionsV2() Options { return Options{given: all} }

// DefaultOptionsV1 sets all options to the behavior of package encoding/json: names are matched
// without regard to case, the last of duplicate names counts, invalid UTF-8 is replaced, a value
// that doesn't fit is left out and reported at the end, and a syntax error leaves the destination
// unchanged.
func DefaultOptionsV1() Options { return Options{given: all, set: v1} }

// AllowDuplicateNames allows an object to have several members of the same name. The last one
// counts; objects are merged into the earlier ones.
func AllowDuplicateNames(on bool) Options { return flag(option.AllowDuplicateNames, on) }

// AllowInvalidUTF8 replaces invalid UTF-8, and halves of surrogate pairs, with U+FFFD
// instead of reporting an error.
func AllowInvalidUTF8(on bool) Options { return flag(option.AllowInvalidUTF8, on) }

// MatchCaseInsensitiveNames matches a member without an exact field also by a name that differs in
// case, dashes and underscores. Fields with the tag option case:strict are left out.
func MatchCaseInsensitiveNames(on bool) Options { return flag(option.MatchCaseInsensitive, on) }

// RejectUnknownMembers makes a member without a field in the struct an error. By default it is
// checked and skipped.
func RejectUnknownMembers(on bool) Options { return flag(option.RejectUnknown, on) }

// StringifyNumbers reads and writes Go numbers as JSON strings.
func StringifyNumbers(on bool) Options { return flag(option.StringifyNumbers, on) }

// UseNumber decodes a number in an any as an encoding/json Number instead of a float64.
func UseNumber(on bool) Options { return flag(option.UseNumber, on) }

// OrderedObjects decodes an object in an any as an [Object], which keeps the order of the members
// and is in the arena, instead of a map[string]any.
func OrderedObjects(on bool) Options { return flag(option.OrderedObjects, on) }

// ReferenceInput lets strings without escapes refer to the input instead of copying it. The input
// must neither change nor be reclaimed while they are in use: the option is for text that is in the
// arena already, from [github.com/harena-go/arena.Arena.ReadAll]. It has no effect in
// [UnmarshalRead] and a [Decoder], which read the input piece by piece.
func ReferenceInput(on bool) Options { return flag(option.ReferenceInput, on) }

// Deterministic writes the members of Go maps sorted by name.
func Deterministic(on bool) Options { return flag(option.Deterministic, on) }

// EscapeForHTML writes <, > and & in strings as escapes.
func EscapeForHTML(on bool) Options { return flag(option.EscapeHTML, on) }

// EscapeForJS writes U+2028 and U+2029 in strings as escapes.
func EscapeForJS(on bool) Options { return flag(option.EscapeJS, on) }

// FormatNilSliceAsNull writes a nil slice as null instead of [].
func FormatNilSliceAsNull(on bool) Options { return flag(option.NilSliceAsNull, on) }

// FormatNilMapAsNull writes a nil map as null instead of {}.
func FormatNilMapAsNull(on bool) Options { return flag(option.NilMapAsNull, on) }

// Batch makes Unmarshal and its like, for a nil arena, allocate all values of a text together in
// blocks of the heap. Consecutive texts share the blocks, as lives of an [arena.Pool] without reuse
// do. That is faster than one object for each value; no call is needed to release the memory, and
// values stay valid for as long as something points to them. But a kept value keeps more than
// itself: a string keeps a block of at most 32 KiB, a struct the blocks of up to 64 KiB of values
// and everything that these lead to. If the values of a type are often kept, its next texts are
// decoded object by object. Keep copies of small parts that live long, such as strings.Clone(v.ID),
// or decode these without Batch.
//
// A call costs a quarter of a microsecond more than one with a nil arena alone. Texts below about
// 1 KB that are decoded into structs take longer with Batch than without.
//
// Containers of package collections and methods UnmarshalJSONArena get a nil arena. Batch changes
// nothing for a non-nil arena, and nothing for writing. DefaultOptionsV1 and DefaultOptionsV2 leave
// it on.
func Batch() Options { return flag(option.Batch, true) }

// WithDepthLimit sets the limit for nested objects and arrays, by default 10,000. It panics if n is
// not positive.
func WithDepthLimit(n int) Options {
	if n <= 0 {
		panic("arenajson: WithDepthLimit: the limit must be positive")
	}
	return Options{depth: n}
}

// WithByteLimit sets the largest input of a value in bytes; by default there is no limit. It panics
// if n is negative.
func WithByteLimit(n int64) Options {
	if n < 0 {
		panic("arenajson: WithByteLimit: the limit is negative")
	}
	return Options{bytes: n, hasBytes: true}
}
