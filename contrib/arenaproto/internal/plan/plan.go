package plan

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"
)

// This file holds plans: what there is to do for messages of a type, found out once.

// A Kind says what is done with a field's value. Those of one wire type are neighbours.
type Kind uint8

const (
	KindForeign Kind = iota // the official runtime does it

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

// What leads from a field in the struct to where its value is stored.
type indirection uint8

const (
	Direct  indirection = iota
	Boxed               // a pointer to the value
	Wrapped             // the interface of a oneof
	Foreign             // it isn't stored here, but by the official runtime
)

// An Op is what is done with one field if it comes with one of the tags that it may have.
// It doesn't change once its plan is in use.
//
// What is needed for most fields comes first, so that it lies in one cache line.
type Op struct {
	Kind     Kind
	Scalar   Kind // of the elements of a list
	Indirect indirection
	Check    bool // valid UTF-8 is asked for
	Empty    bool // bytes of length 0 aren't nil
	Present  bool // it has a presence bit
	Plain    bool // plan.plain reads it
	Size     uint8
	Width    uint8         // bytes of the tag
	Wire     uint32        // the tag's bytes, the first one lowest, if they are 4 at most
	Tag      uint32        // the tag
	Off      uintptr       // of the field
	Sub      *Plan         // of messages
	Block    arena.TypeKey // of the message
	At       arena.TypeKey // what the pointer or the interface leads to
	Word     mem.Word      // of the interface, if it is wrapped
	Required uint64        // its bit of plan.required

	AtSlot, BlockSlot uint8 // of allocCache

	Elem   arena.TypeKey // of a list
	Stride uintptr       // bytes of a message in a list
	Part   uintptr       // offset of the word with the presence bit
	Bit    uint32        // number of the presence bit
	Num    protoreflect.FieldNumber
	Inner  *Op // of kindLazy
	Entry  *MapPlan
	Field  string // name

	Custom   Custom // decodes a value in place, of UnmarshalStruct
	Pointers bool   // of kindStructs: to values with such a method
}

// A Plan says how messages of a type are decoded. It doesn't change once it is in use.
type Plan struct {
	Typ       reflect.Type   // of the struct
	Index     []*Op          // by tag, of the fields with small numbers
	far       map[uint32]*Op // by tag, of the others
	Ops       []*Op          // all
	Known     map[protoreflect.FieldNumber]bool
	Maps      map[protoreflect.FieldNumber]bool
	Unknown   bool    // unknown fields are kept
	UnknownAt uintptr // where

	Presence   uint32 // presence bits there are
	Required   uint64 // a bit for each required field
	Overflow   bool   // there are more of them than bits
	Demanding  bool   // there may be required fields in it or below
	Extensible bool
	Foreign    bool // it can't lie in a self-contained arena
	State      uintptr
	StateSize  uintptr

	Official string     // why all of it is left to the official runtime, or ""
	Left     []LeftOver // what else is left to it
	Desc     protoreflect.MessageDescriptor
	Info     *protoimpl.MessageInfo // to which messages point, for self-contained arenas to keep alive
}

// A LeftOver is a field that is left to the official runtime.
type LeftOver struct{ Field, Reason string }

// OpOf returns what to do for a tag, or nil.
func (pl *Plan) OpOf(tag uint) *Op {
	if tag < uint(len(pl.Index)) {
		return pl.Index[tag]
	}
	return pl.opFar(tag)
}

//go:noinline
func (pl *Plan) opFar(tag uint) *Op {
	if pl.far == nil || tag > 1<<32-1 {
		return nil
	}
	return pl.far[uint32(tag)]
}

// Leave leaves a field to the official runtime.
func (pl *Plan) Leave(f *Op, why string) {
	*f = Op{Num: f.Num, Field: f.Field, Kind: KindForeign, Indirect: Foreign, Required: f.Required}
	pl.Foreign = true
	pl.Left = append(pl.Left, LeftOver{f.Field, why})
}

// SameField returns the ops of the same field as f.
func (pl *Plan) SameField(f *Op) (ops []*Op) {
	for _, g := range pl.Ops {
		if g.Num == f.Num {
			ops = append(ops, g)
		}
	}
	return ops
}

// A Custom decodes a value by a method of its own.
type Custom func(p unsafe.Pointer, b []byte) error
