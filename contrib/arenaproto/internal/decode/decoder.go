// Package decode reads inputs to messages by their plans. It must not depend on how plans are made.
//
// Each of the functions that read something gets where it begins, and returns where it ends, or -1 if
// something is wrong. What that is the official runtime finds out: an input that fails is decoded again by
// it. Their parameters have the same names: p is the message and at the field in it, b the input, i where
// to read, and n how many bytes a value has whose length was read.
//
// The input is a slice that ends where the message ends. Up to its capacity more may be loaded, which means
// nothing, so that words can be loaded near the end.
//
// The hot loop is in Message and plain. Values that most messages have are read there. The rest is in
// functions that aren't inlined, so that the loop stays small.
//
// # The life of one input
//
//  1. Input copies it to the arena. From then on strings and bytes are stored as parts of that copy.
//  2. All takes a cache of allocators if the input is long, and calls Message.
//  3. Message reads a tag, and finds its op in the plan. follow goes to where the value is stored, if that
//     isn't the struct itself.
//  4. The value is stored. For a message that is step 3 again, one level down; for the first element of a
//     list, that and all that follow.
//  5. Behind a number, plain goes on with fields that lie in the struct, until one comes that doesn't.
//  6. A field without an op goes to other: it is kept as it is, dropped, or given to the official runtime.
//  7. At the end Check is set if required fields may be missing. The caller then finds out.
package decode

import (
	"errors"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// A Decoder reads one input. The caller sets the exported fields, and finds in Check and Err what is left
// to do.
type Decoder struct {
	Arena     *arena.Arena // nil for the Go heap
	Depth     int          // how many more levels there may be
	Contained bool         // the arena is self-contained
	Discard   bool         // unknown fields are dropped
	NoLazy    bool         // the official runtime leaves nothing for later
	Check     bool         // afterwards: required fields may be missing
	Resolver  resolver     // finds extensions; nil for the global one
	Err       error        // afterwards: of a method of a type
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

// ErrInvalid is the error for an input that isn't in the wire format, where the official runtime isn't asked.
var ErrInvalid = errors.New("arenaproto: cannot parse invalid wire-format data")
