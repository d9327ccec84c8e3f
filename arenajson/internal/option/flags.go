// Package option has the options of arenajson as bits. The API makes them from its
// Options; everything below gets them as one word, by value.
//
// It must not depend on any other package of arenajson.
package option

// Flags are the options that are on or off.
type Flags uint32

// Each bit is what the function of package arenajson with that name turns on. All
// bits zero is what encoding/json/v2 does by default.
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

	// legacy is what encoding/json does differently beyond the options above: it goes on
	// after a mismatch, leaves values alone at null, and merges into what is there.
	Legacy

	// Batch is the function of that name. DefaultOptionsV1 and V2 leave it as it is.
	Batch
)

// A Matching is the options that decide which field a name leads to, from 0, which is
// exact, to Matchings-1.
type Matching uint8

// Matchings is how many there are: by version 1 or 2, with regard to case or without.
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

// DefaultDepth is how deep values may be nested without WithDepthLimit.
const DefaultDepth = 10_000
