// Package option has the options of arenajson as bits. The API makes them from its Options; the
// packages below get them as one word, by value.
//
// It must not depend on any other package of arenajson.
package option

// Flags are the boolean options.
type Flags uint32

// The function of package arenajson with the same name sets each bit. All bits zero are the
// defaults of encoding/json/v2.
const (
	AllowDuplicateNames Flags = 1 << iota
	AllowInvalidUTF8
	MatchCaseInsensitive
	RejectUnknown
	StringifyNumbers
	UseNumber
	OrderedObjects
	ReferenceInput
	Deterministic
	EscapeHTML
	EscapeJS
	NilMapAsNull
	NilSliceAsNull

	// Legacy has the differences of encoding/json beyond the options above: it goes on after a
	// mismatch, leaves values unchanged at null, and merges into present values.
	Legacy

	// Batch is the function of that name. DefaultOptionsV1 and V2 leave it unchanged.
	Batch
)

// A Matching is the options that decide which field a name leads to, from 0, which is exact, to
// Matchings-1.
type Matching uint8

// Matchings is their number: for version 1 or 2, with regard to case or without.
const Matchings = 4

// Matching returns the options that decide which field a name leads to.
func (f Flags) Matching() (m Matching) {
	if f&MatchCaseInsensitive != 0 {
		m = 1
	}
	if f&Legacy != 0 {
		m |= 2
	}
	return m
}

// DefaultDepth is the limit for nested values without WithDepthLimit.
const DefaultDepth = 10_000
