// Package decode reads inputs to messages by their plans. It must not depend on how plans are made.
//
// Each function that reads gets the offset of its input, and returns the offset of its end, or -1 if the input
// is malformed. The official runtime then decodes the input again, and finds the error. The parameters have
// the same names everywhere: p is the message and at the field in it, b the input, i the offset, and n the
// length of a value.
//
// The input is a slice that ends with the message. Bytes between its length and its capacity may be loaded, so
// that words can be loaded near the end, but they mean nothing.
//
// The hot loop is in Message and plain, which read the common values. The rest is in functions that aren't
// inlined, so that the loop stays small.
//
// # The life of one input
//
//  1. Input copies it to the arena. From then on strings and bytes are stored as parts of that copy.
//  2. All takes a cache of allocators if the input is long, and calls Message.
//  3. Message reads a tag, and finds its op in the plan. follow finds the value's address, if that isn't in
//     the struct itself.
//  4. The value is stored. For a message that is step 3 again, one level down; for the first element of a
//     list, all following elements are stored too.
//  5. After a number, plain reads further fields in the struct itself, up to the first that isn't.
//  6. A field without an op goes to other: it is kept unchanged, dropped, or left to the official runtime.
//  7. At the end Check is set if required fields may be missing. The caller then checks them.
package decode

import (
	"errors"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// A Decoder reads one input. The caller sets the exported fields; Check and Err are results.
type Decoder struct {
	Arena     *arena.Arena // nil for the Go heap
	Depth     int          // the number of further levels allowed
	Contained bool         // the arena is self-contained
	Discard   bool         // unknown fields are dropped
	NoLazy    bool         // the official runtime leaves nothing for later
	Check     bool         // result: required fields may be missing
	Resolver  resolver     // finds extensions; nil for the global one
	Err       error        // result: the error of a type's method
	cache     *allocCache  // nil for short inputs
}

// An allocCache has allocators for types, by slots of ops. Different types may have the same slot.
type allocCache [plan.SlotCount]struct {
	key   arena.TypeKey
	alloc arena.TypeAllocator
}

// A resolver finds extensions. It is the type of proto.UnmarshalOptions.Resolver.
type resolver = interface {
	FindExtensionByName(field protoreflect.FullName) (protoreflect.ExtensionType, error)
	FindExtensionByNumber(
		message protoreflect.FullName, field protoreflect.FieldNumber,
	) (protoreflect.ExtensionType, error)
}

// ErrInvalid is the error for an input that isn't in the wire format, for structs without the official runtime.
var ErrInvalid = errors.New("arenaproto: cannot parse invalid wire-format data")
