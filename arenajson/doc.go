// Package arenajson reads and writes JSON as encoding/json/v2 does, and with
// [DefaultOptionsV1] as encoding/json does, but straight into an arena: strings, slices and
// structs are allocated from it and die with it, so that the garbage collector has nothing
// to do with them.
package arenajson
