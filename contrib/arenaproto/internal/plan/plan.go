// Package plan has the plans by which messages are decoded: the operation for each tag of a type's fields. It
// must not depend on how plans are made (package compile) or used (package decode).
//
//	Plan ── Index[tag] ──▶ Op: what to do, where in the struct, its type
//	  │                     ├─ Sub ───▶ Plan of the message in the field
//	  └─ far[tag] ─────▶ Op ├─ Inner ─▶ Op of a lazy field
//	                        └─ Entry ─▶ MapPlan ── Cell ──▶ Plan of key and value
//
// A field may have several ops: a list of numbers comes packed or one by one. A plan, and the plans that it
// leads to, don't change once they are in use, so that any number of goroutines may read them.
package plan

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"
)

// A Kind is the operation on a field's value. The kinds of one wire type are neighbours, since the decoder
// compares: below KindBool values have a length.
type Kind uint8

const (
	KindForeign Kind = iota // decoded by the official runtime

	// Values with a length.
	KindString
	KindMessage
	KindMessages
	KindBytes
	KindStrings
	KindByteses
	KindPacked
	KindMap
	KindLazy    // like its inner op, if nothing is pending
	KindStruct  // a struct in place, of UnmarshalStruct
	KindStructs // a slice of such structs

	// Varints.
	KindBool
	KindInt32
	KindInt64
	KindSint32
	KindSint64
	KindVarints // elements of a list without packing

	// Fixed sizes.
	KindFixed64
	KindFixed32
	KindFixeds // elements of a list without packing

	// Groups.
	KindGroup
	KindGroups
)

// An indirection is the way from a field in the struct to its value:
//
//	direct   Name string         the value
//	boxed    Name *string        a pointer to it, nil if the field is absent
//	wrapped  Kind isEvent_Kind   an interface that holds an *Event_Name, a struct of only the value
type indirection uint8

const (
	Direct  indirection = iota
	Boxed               // a pointer to the value
	Wrapped             // the interface of a oneof
	Foreign             // stored by the official runtime
)

// An Op is the operation for a field with one of its possible tags. The members for most fields come first,
// to be in one cache line.
type Op struct {
	Kind     Kind
	Scalar   Kind // of the elements of a list
	Indirect indirection
	Check    bool   // it must be valid UTF-8
	Empty    bool   // bytes of length 0 aren't nil
	Present  bool   // it has a presence bit
	Plain    bool   // the decoder's plain reads it
	Size     uint8  // bytes of a number in memory
	Width    uint8  // bytes of the tag
	Wire     uint32 // the tag's bytes, the first one lowest, if there are at most 4
	Tag      uint32
	Off      uintptr       // of the field in the struct
	Sub      *Plan         // of messages
	Block    arena.TypeKey // of the message
	At       arena.TypeKey // target of the pointer or the interface
	Word     mem.Word      // of the interface, if it is wrapped
	Required uint64        // its bit of Plan.Required, 0 if it is optional

	AtSlot, BlockSlot uint8 // the decoder's slots of the allocators for At and Block, see slotOf

	Elem   arena.TypeKey // of a list
	Stride uintptr       // bytes from one message of a list to the next
	Part   uintptr       // offset of the word with the presence bit
	Bit    uint32        // number of the presence bit
	Num    protoreflect.FieldNumber
	Inner  *Op // of KindLazy: the operation on the value
	Entry  *MapPlan
	Field  string // its name

	Custom   Custom // decodes a value in place, of UnmarshalStruct
	Pointers bool   // of KindStructs: its elements are pointers to values with such a method
}

// A Plan says how messages of a type are decoded.
type Plan struct {
	Typ   reflect.Type   // of the struct
	Index []*Op          // by tag, of the fields with small numbers
	far   map[uint32]*Op // by tag, of the others
	Ops   []*Op          // all

	Known     map[protoreflect.FieldNumber]bool // the type's fields
	Maps      map[protoreflect.FieldNumber]bool // the type's maps
	Unknown   bool                              // unknown fields are kept
	UnknownAt uintptr                           // offset of the bytes with them

	Presence   uint32  // number of presence bits
	Required   uint64  // a bit for each required field
	Overflow   bool    // there are more required fields than bits
	Demanding  bool    // there may be required fields in it or below
	Extensible bool    // it may have extensions
	HeapOnly   bool    // it can't be in a self-contained arena
	State      uintptr // offset of the official runtime's own state
	StateSize  uintptr // and its size

	Official string     // why all of it is left to the official runtime, or ""
	Left     []LeftOver // fields left to the official runtime
	Desc     protoreflect.MessageDescriptor
	Info     *protoimpl.MessageInfo // messages point to it, so that self-contained arenas keep it alive
}

// A LeftOver is a field that is left to the official runtime, and why.
type LeftOver struct{ Field, Reason string }

// OpOf returns the op for a tag, or nil.
func (pl *Plan) OpOf(tag uint) *Op {
	if tag < uint(len(pl.Index)) {
		return pl.Index[tag]
	}
	return pl.opFar(tag)
}

// opFar is OpOf for large numbers. It isn't inlined, so that OpOf can be.
//
//go:noinline
func (pl *Plan) opFar(tag uint) *Op {
	if pl.far == nil || tag > 1<<32-1 {
		return nil
	}
	return pl.far[uint32(tag)]
}

// Leave leaves a field to the official runtime, and clears the rest of the op.
func (pl *Plan) Leave(f *Op, why string) {
	*f = Op{Num: f.Num, Field: f.Field, Kind: KindForeign, Indirect: Foreign, Required: f.Required}
	pl.HeapOnly = true
	pl.Left = append(pl.Left, LeftOver{f.Field, why})
}

// SameField returns all ops of the field of f.
func (pl *Plan) SameField(f *Op) (ops []*Op) {
	for _, g := range pl.Ops {
		if g.Num == f.Num {
			ops = append(ops, g)
		}
	}
	return ops
}

// A Custom decodes b to the value at p by a method of that value.
type Custom func(p unsafe.Pointer, b []byte) error
