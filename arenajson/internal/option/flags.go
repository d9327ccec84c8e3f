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
)

// DefaultDepth is how deep values may be nested without WithDepthLimit.
const DefaultDepth = 10_000
