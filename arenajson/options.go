package arenajson

import (
	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file holds the options. What is on or off goes to the codecs as bits.

// all are all of them.
const all = option.Legacy<<1 - 1

// v1 is DefaultOptionsV1.
const v1 = option.AllowDuplicateNames | option.AllowInvalidUTF8 | option.MatchCaseInsensitive | option.Deterministic |
	option.EscapeHTML | option.EscapeJS | option.NilMapAsNull | option.NilSliceAsNull | option.Legacy

// Options change what the functions of this package do. Later options override earlier
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

// join returns what opts say together, on top of DefaultOptionsV2.
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

// JoinOptions returns one Options that does what opts do one after the other.
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

// DefaultOptionsV2 sets all options to what they are by default, which is what package
// encoding/json/v2 does: names are matched exactly, duplicate names and invalid UTF-8
// are errors, and so is the first value that doesn't fit.
func DefaultOptionsV2() Options { return Options{given: all} }

// DefaultOptionsV1 sets all options to what package encoding/json does: names are matched
// without regard to case, the last of duplicate names counts, invalid UTF-8 is replaced,
// a value that doesn't fit is left out and reported at the end, and a syntax error
// leaves the destination as it was.
func DefaultOptionsV1() Options { return Options{given: all, set: v1} }

// AllowDuplicateNames allows an object to have several members of the same name. The last
// one counts, merged into the earlier ones where those are objects.
func AllowDuplicateNames(on bool) Options { return flag(option.AllowDuplicateNames, on) }

// AllowInvalidUTF8 replaces invalid UTF-8, and halves of surrogate pairs, with U+FFFD
// instead of reporting an error.
func AllowInvalidUTF8(on bool) Options { return flag(option.AllowInvalidUTF8, on) }

// MatchCaseInsensitiveNames lets a member go to the field whose name it has but for case,
// dashes and underscores, if there is none that has its exact name. Fields with the tag
// option case:strict are left out.
func MatchCaseInsensitiveNames(on bool) Options { return flag(option.MatchCaseInsensitive, on) }

// RejectUnknownMembers makes a member that a struct has no field for an error. By default
// it is checked and skipped.
func RejectUnknownMembers(on bool) Options { return flag(option.RejectUnknown, on) }

// StringifyNumbers expects numbers that go to Go numbers in strings, and writes them so.
func StringifyNumbers(on bool) Options { return flag(option.StringifyNumbers, on) }

// UseNumber makes a number that goes to an any an encoding/json Number instead of a float64.
func UseNumber(on bool) Options { return flag(option.UseNumber, on) }

// OrderedObjects makes an object that goes to an any an [Object], which keeps the order of
// the members and lies in the arena, instead of a map[string]any.
func OrderedObjects(on bool) Options { return flag(option.OrderedObjects, on) }

// ReferenceInput lets strings without escapes refer to the input instead of copying it.
// The input must not change, and must stay, as long as they are in use: it is for text
// that lies in the arena already, from [github.com/harena-go/arena.Arena.ReadAll]. Where
// the input is read piece by piece, by [UnmarshalRead] or a [Decoder], it does nothing.
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

// Batch has Unmarshal and its like, for a nil arena, lay all values of a text beside each other in blocks of the heap,
// which texts one after the other share, as lives of an [arena.Pool] without reuse do. That takes less time than an
// object for each value; nothing has to be put back, and values stay valid for as long as something points to them.
// But a value that is kept keeps more than itself: a string a block of at most 32 KiB, a struct the blocks of up to 64
// KiB of values, and what these lead to. If texts of a type often leave something, the next ones are read object by
// object. Keep copies of small parts that live long, such as strings.Clone(v.ID), or read these without Batch.
//
// A call costs a quarter of a microsecond more than with a nil arena alone. Texts below about 1 KB that are read into
// structs take longer with Batch than without.
//
// Containers of package collections and methods UnmarshalJSONArena get a nil arena. Batch changes nothing for an
// arena, and nothing for writing. DefaultOptionsV1 and DefaultOptionsV2 leave it on.
func Batch() Options { return flag(option.Batch, true) }

// WithDepthLimit sets how many objects and arrays may be nested in each other: 10,000 by
// default. It panics if n is not positive.
func WithDepthLimit(n int) Options {
	if n <= 0 {
		panic("arenajson: WithDepthLimit: the limit must be positive")
	}
	return Options{depth: n}
}

// WithByteLimit sets how many bytes of input a value may take; by default it is any
// number. It panics if n is negative.
func WithByteLimit(n int64) Options {
	if n < 0 {
		panic("arenajson: WithByteLimit: the limit is negative")
	}
	return Options{bytes: n, hasBytes: true}
}
