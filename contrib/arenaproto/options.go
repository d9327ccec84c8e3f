package arenaproto

import (
	"google.golang.org/protobuf/reflect/protoreflect"
)

// UnmarshalOptions says how to decode. [Unmarshal] uses the zero value. Fields of
// proto.UnmarshalOptions mean the same here.
type UnmarshalOptions struct {
	// Merge adds the input to the message. Without it the message is reset first.
	Merge bool

	// AllowPartial accepts messages that lack required fields.
	AllowPartial bool

	// DiscardUnknown drops unknown fields.
	DiscardUnknown bool

	// Resolver finds extensions. The default is protoregistry.GlobalTypes.
	Resolver interface {
		FindExtensionByName(field protoreflect.FullName) (protoreflect.ExtensionType, error)
		FindExtensionByNumber(
			message protoreflect.FullName, field protoreflect.FieldNumber,
		) (protoreflect.ExtensionType, error)
	}

	// RecursionLimit is the number of levels that messages may have. 0 means 10,000.
	RecursionLimit int

	// NoLazyDecoding makes the official runtime decode lazy fields at once. This package always
	// does.
	NoLazyDecoding bool

	// Batch makes decoding to a nil arena allocate all values of a message together in blocks of the heap, which
	// consecutive messages share. The message is an ordinary one, which may be kept, but a kept string keeps a block of
	// at most 32 KiB alive, and a kept message the blocks of up to 64 KiB of values, and everything they lead to; see
	// arenajson.Batch, which does the same for JSON. Batch does nothing with an arena.
	Batch bool

	// AliasBuffer lets strings, bytes and unknown fields of the message be parts of the input
	// instead of a copy. Then the input must neither change nor be used for something else for as
	// long as the message is in use.
	AliasBuffer bool
}
