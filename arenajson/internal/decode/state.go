// Package decode reads JSON to Go values, by their plans, and allocates what they
// need from an arena.
//
// Each of the functions that read a value gets its plan, the address that it goes
// to, and where in the text it begins; it returns where the value ends, or -1. It
// then has set decoder.err, or leaves it to syntax.Diagnose to find out what is
// wrong with the syntax.
//
//	value.go       which function reads a value of a kind
//	object.go      objects to structs; pass.go: their members that have no field
//	maps.go        objects to Go maps; keys.go: the keys that they had before;
//	               containers.go: to those of package collections
//	lists.go       arrays to slices and arrays
//	any.go         all values to any; interface.go: to other interfaces
//	strings.go     strings and bools; numbers.go, bytes.go, times.go
//	methods.go     values that methods read
//	quoted.go      fields with the tag option string
//	mismatch.go    what doesn't fit, which with the options of v1 doesn't end it
//
// Where the options of v1 differ, flags has option.Legacy. Where the encoding/json
// of Go up to 1.26 differs from that of newer versions, option.Classic is true.
//
// The package must not depend on how values are written.
package decode

import (
	"reflect"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
)

// This file holds the decoder, and what it keeps from one text to the next.

// A decoder reads one text. It comes from a pool and has nothing of the text
// before.
type decoder struct {
	syntax.Reader
	a        *arena.Arena
	matching option.Matching // as in Flags

	err       *syntax.Fault // what has ended it, if that isn't the syntax
	saved     *syntax.Fault // with the options of v1, the first value that didn't fit
	methodErr error         // likewise, what a method returned
	fatal     error         // likewise, what it doesn't go on after
	faults    int           // errors so far

	piece     []byte // without an arena, what is left of memory for strings
	pieceSize int    // of the next one; below firstPiece none is made yet

	floats     []float64 // likewise for numbers in an any
	nextFloats int       // how many the next piece has

	folded  []byte           // the last name that was folded
	sets    []syntax.NameSet // of structs that are open
	bits    []uint64         // fields seen, of large structs
	values  stack[any]       // of open arrays
	members stack[plan.Pair] // of open objects
	root    reflect.Type     // of the whole value, for errors
	keys    *keyTree         // that maps had
	at      *key             // in whose value it is reading; nil until the text has a map
}

// A stack is what a text takes of memory that is kept for the next one. Its length
// is what is in use, and high how far it was, if it is less now.
type stack[T any] struct {
	all  []T
	high int
}

// push adds a value.
func (s *stack[T]) push(v T) { s.all = append(s.all, v) }

// popTo shortens the stack. What was above stays in memory until reset.
func (s *stack[T]) popTo(n int) {
	s.high = max(s.high, len(s.all))
	s.all = s.all[:n]
}

// reset clears what was in use, and only that, and empties the stack. It must be
// inlined for a stack that wasn't used.
func (s *stack[T]) reset() {
	if s.high|len(s.all) != 0 {
		s.clear()
	}
}

// clear is reset for a stack that was used.
func (s *stack[T]) clear() {
	s.popTo(0)
	clear(s.all[:s.high])
	s.high = 0
}

// decoders are those that wait for a text.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// keepScratch is up to how many bytes of scratch a decoder keeps for the next text,
// four times over.
const keepScratch = 64 << 10

// release gives the decoder back. What it has of the text and its values goes, in
// time for what this text took, whatever others did. One whose memory has grown
// beyond bounds is emptied first: its memory goes to the GC.
func (d *decoder) release() {
	small := len(d.Data) <= keepScratch/16 // which can't make the memory grow beyond bounds
	d.Data, d.a, d.root, d.at, d.piece, d.pieceSize = nil, nil, nil, nil, nil, 0
	if d.nextFloats > 0 {
		d.floats, d.nextFloats = nil, 0
	}
	if d.err != nil || d.saved != nil || d.methodErr != nil || d.fatal != nil {
		d.err, d.saved, d.methodErr, d.fatal = nil, nil, nil, nil
	}
	// Values of the text in these stacks would keep an arena's memory alive.
	d.values.reset()
	d.members.reset()
	d.Seen, d.bits, d.Unescaped, d.sets = d.Seen[:0], d.bits[:0], d.Unescaped[:0], d.sets[:0]
	if !small && (cap(d.values.all)*16+cap(d.members.all)*32+cap(d.Seen)*24+cap(d.sets)*48+d.Slots*8 > 4*keepScratch ||
		cap(d.Scratch)+cap(d.folded)+cap(d.Unescaped)+cap(d.bits)*8 > 4*keepScratch) {
		*d = decoder{keys: d.keys} // which are bounded on their own
	}
	decoders.Put(d)
}

// beginKeys makes the tree of keys ready for a text that has a map.
func (d *decoder) beginKeys() {
	t := d.keys
	if t == nil || t.left == 0 && t.texts > renewalTexts {
		t = newKeyTree()
		d.keys = t
	}
	if t.left == 0 {
		t.texts++
	}
	d.at = &t.root
}
