package arenaproto

import (
	"google.golang.org/protobuf/reflect/protoreflect"
)

// UnmarshalOptions says how to decode. The zero value is what [Unmarshal] uses. The fields that
// proto.UnmarshalOptions has as well mean the same here.
type UnmarshalOptions struct {
	// Merge adds the input to what is in the message. Without it the message is reset first.
	Merge bool

	// AllowPartial takes messages that lack required fields.
	AllowPartial bool

	// DiscardUnknown drops unknown fields.
	DiscardUnknown bool

	// Resolver finds extensions. If it is nil, protoregistry.GlobalTypes does.
	Resolver interface {
		FindExtensionByName(field protoreflect.FullName) (protoreflect.ExtensionType, error)
		FindExtensionByNumber(
			message protoreflect.FullName, field protoreflect.FieldNumber,
		) (protoreflect.ExtensionType, error)
	}

	// RecursionLimit is how many levels messages may have. If it is 0, that is 10,000.
	RecursionLimit int

	// NoLazyDecoding says that no field is decoded later. It matters only where the official
	// runtime decodes: fields that may be decoded later are decoded at once here.
	NoLazyDecoding bool

	// Batch has decoding to a nil arena lay all values of a message beside each other in blocks of the heap, which
	// messages one after the other share. The message is an ordinary one, which may be kept, but a string that is kept
	// keeps a block of at most 32 KiB, and a message the blocks of up to 64 KiB of values, and what these lead to; see
	// arenajson.Batch, which does the same for JSON. With an arena it changes nothing.
	Batch bool

	// AliasBuffer lets strings, bytes and unknown fields of the message be parts of the input, which
	// is copied without it. Then the input must neither change nor be used for something
	// else for as long as the message is in use.
	AliasBuffer bool
}
