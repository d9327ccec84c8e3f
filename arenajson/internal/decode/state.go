// Package decode decodes JSON into Go values, by their plans, and allocates their memory from an
// arena.
//
// A function that decodes a value gets its plan, its address, and its start in the text; it returns
// its end, or -1. In that case it has set decoder.err, or leaves it to syntax.Diagnose to find the
// syntax error.
//
//	value.go       which function decodes a value of a kind
//	object.go      objects to structs; pass.go: their members that have no field
//	maps.go        objects to Go maps; keys.go: the keys of earlier ones;
//	               containers.go: to those of package collections
//	lists.go       arrays to slices and arrays
//	any.go         all values to any; interface.go: to other interfaces
//	strings.go     strings and bools; numbers.go, bytes.go, times.go
//	methods.go     values with methods for decoding
//	quoted.go      fields with the tag option string
//	mismatch.go    values that don't fit, after which the options of v1 go on
//
// Where the options of v1 differ, the code checks option.Legacy; where the original, the
// encoding/json of Go up to 1.26, differs from newer versions, option.Classic.
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

// This file holds the decoder, and its memory that the next text uses again.

// A decoder decodes one text. It comes from a pool and holds nothing of the text before.
type decoder struct {
	syntax.Reader
	a        *arena.Arena
	matching option.Matching // as in Flags

	err       *syntax.Fault // the error that ended it, unless it is in the syntax
	saved     *syntax.Fault // with the options of v1, the first value that didn't fit
	methodErr error         // likewise, of a method
	fatal     error         // likewise, after which it doesn't go on
	faults    int           // errors so far

	piece     []byte // without an arena, the rest of the memory for strings
	pieceSize int    // of the next piece; below firstPiece there was none yet

	floats     []float64 // likewise for numbers in an any
	nextFloats int       // the length of the next ones

	folded  []byte           // the last name that was folded
	sets    []syntax.NameSet // of open structs
	bits    []uint64         // fields seen, of large structs
	values  stack[any]       // of open arrays
	members stack[plan.Pair] // of open objects
	root    reflect.Type     // of the whole value, for errors
	keys    *keyTree         // keys of earlier maps
	at      *key             // the key whose value is being decoded; nil until the text has a map
}

// A stack holds values of a text in memory that the next text uses again. Its length is the part in
// use; high is the most that was in use before popTo.
type stack[T any] struct {
	all  []T
	high int
}

// push adds a value.
func (s *stack[T]) push(v T) { s.all = append(s.all, v) }

// popTo shortens the stack. The values above stay in memory until reset.
func (s *stack[T]) popTo(n int) {
	s.high = max(s.high, len(s.all))
	s.all = s.all[:n]
}

// reset clears the used part, and only that, and empties the stack. It must be inlined for an
// unused stack.
func (s *stack[T]) reset() {
	if s.high|len(s.all) != 0 {
		s.clear()
	}
}

// clear is reset for a used stack.
func (s *stack[T]) clear() {
	s.popTo(0)
	clear(s.all[:s.high])
	s.high = 0
}

// decoders are the idle decoders.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

// keepScratch is the size of each of the four parts of scratch that a decoder keeps for the next
// text.
const keepScratch = 64 << 10

// release returns the decoder to the pool. It clears all references to the text and its values, in
// time proportional to their size. A decoder whose memory is too large is emptied first: its memory
// goes to the GC.
func (d *decoder) release() {
	small := len(d.Data) <= keepScratch/16 // then the memory can't have become too large
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
		*d = decoder{keys: d.keys} // keys have a bound of their own
	}
	decoders.Put(d)
}

// beginKeys prepares the tree of keys for a text that has a map.
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
