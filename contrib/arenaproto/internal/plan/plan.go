// Package plan has the plans by which messages are decoded: for a type, what there is to do for each tag
// that its fields may come with. It must not depend on how plans are made (package compile) or used
// (package decode).
//
//	Plan ── Index[tag] ──▶ Op: what to do, where in the struct, its type
//	  │                     ├─ Sub ───▶ Plan of the message in the field
//	  └─ far[tag] ─────▶ Op ├─ Inner ─▶ Op of a lazy field
//	                        └─ Entry ─▶ MapPlan ── Cell ──▶ Plan of key and value
//
// A field may have several ops: a list of numbers comes packed or one by one. A plan and all that it leads
// to doesn't change once it is in use, so that any number of goroutines may read it.
package plan

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"
)

// A Kind says what is done with a field's value. The kinds of one wire type are neighbours, since the
// decoder compares: below KindBool values have a length.
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

// An indirection is what leads from a field in the struct to where its value is stored:
//
//	direct   Name string         the value
//	boxed    Name *string        a pointer to it, nil if the field didn't come
//	wrapped  Kind isEvent_Kind   an interface that holds an *Event_Name, a struct of just the value
type indirection uint8

const (
	Direct  indirection = iota
	Boxed               // a pointer to the value
	Wrapped             // the interface of a oneof
	Foreign             // it isn't stored here, but by the official runtime
)

// An Op is what is done with a field that comes with one of the tags that it may have. What is needed for
// most fields comes first, so that it lies in one cache line.
type Op struct {
	Kind     Kind
	Scalar   Kind // of the elements of a list
	Indirect indirection
	Check    bool   // it must be valid UTF-8
	Empty    bool   // bytes of length 0 aren't nil
	Present  bool   // it has a presence bit
	Plain    bool   // the decoder's fast way reads it
	Size     uint8  // bytes of a number in memory
	Width    uint8  // bytes of the tag
	Wire     uint32 // the tag's bytes, the first one lowest, if there are at most 4
	Tag      uint32
	Off      uintptr       // of the field in the struct
	Sub      *Plan         // of messages
	Block    arena.TypeKey // of the message
	At       arena.TypeKey // what the pointer or the interface leads to
	Word     mem.Word      // of the interface, if it is wrapped
	Required uint64        // its bit of Plan.Required, 0 if it is optional

	AtSlot, BlockSlot uint8 // where the decoder remembers allocators for At and Block, see slotOf

	Elem   arena.TypeKey // of a list
	Stride uintptr       // bytes from one message of a list to the next
	Part   uintptr       // offset of the word with the presence bit
	Bit    uint32        // number of the presence bit
	Num    protoreflect.FieldNumber
	Inner  *Op // of KindLazy: what is done with the value
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

	Known     map[protoreflect.FieldNumber]bool // the fields that the type has
	Maps      map[protoreflect.FieldNumber]bool // those that are maps
	Unknown   bool                              // unknown fields are kept
	UnknownAt uintptr                           // offset of the bytes with them

	Presence   uint32  // how many presence bits there are
	Required   uint64  // a bit for each required field
	Overflow   bool    // there are more of them than bits
	Demanding  bool    // there may be required fields in it or below
	Extensible bool    // it may have extensions
	HeapOnly   bool    // it can't lie in a self-contained arena
	State      uintptr // offset of what the official runtime keeps there for itself
	StateSize  uintptr // and how many bytes that has

	Official string     // why all of it is left to the official runtime, or ""
	Left     []LeftOver // what else is left to it
	Desc     protoreflect.MessageDescriptor
	Info     *protoimpl.MessageInfo // messages point to it, so that self-contained arenas keep it alive
}

// A LeftOver is a field that is left to the official runtime, and why.
type LeftOver struct{ Field, Reason string }

// OpOf returns what to do for a tag, nil if the plan has nothing for it.
func (pl *Plan) OpOf(tag uint) *Op {
	if tag < uint(len(pl.Index)) {
		return pl.Index[tag]
	}
	return pl.opFar(tag)
}

// opFar is OpOf for large numbers. It isn't inlined, so that OpOf is.
//
//go:noinline
func (pl *Plan) opFar(tag uint) *Op {
	if pl.far == nil || tag > 1<<32-1 {
		return nil
	}
	return pl.far[uint32(tag)]
}

// Leave leaves a field to the official runtime. Of the op only what that needs remains.
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
