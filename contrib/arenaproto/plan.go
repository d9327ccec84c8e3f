package arenaproto

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"
)

// This file holds plans: what there is to do for messages of a type, found out once.

// A kind says what is done with a field's value. Those of one wire type are neighbours.
type kind uint8

const (
	kindForeign kind = iota // the official runtime does it

	// Values with a length.
	kindString
	kindMessage
	kindMessages
	kindBytes
	kindStrings
	kindByteses
	kindPacked
	kindMap
	kindLazy    // like its inner op, if nothing is pending
	kindStruct  // a struct in place, of UnmarshalStruct
	kindStructs // a slice of such structs

	// Varints.
	kindBool
	kindInt32
	kindInt64
	kindSint32
	kindSint64
	kindVarints // elements of a list without packing

	// Fixed sizes.
	kindFixed64
	kindFixed32
	kindFixeds // elements of a list without packing

	// Groups.
	kindGroup
	kindGroups
)

// What leads from a field in the struct to where its value is stored.
type indirection uint8

const (
	direct  indirection = iota
	boxed               // a pointer to the value
	wrapped             // the interface of a oneof
	foreign             // it isn't stored here, but by the official runtime
)

// An op is what is done with one field if it comes with one of the tags that it may have.
// It doesn't change once its plan is in use.
//
// What is needed for most fields comes first, so that it lies in one cache line.
type op struct {
	kind     kind
	scalar   kind // of the elements of a list
	indirect indirection
	check    bool // valid UTF-8 is asked for
	empty    bool // bytes of length 0 aren't nil
	present  bool // it has a presence bit
	plain    bool // plan.plain reads it
	size     uint8
	width    uint8         // bytes of the tag
	wire     uint32        // the tag's bytes, the first one lowest, if they are 4 at most
	tag      uint32        // the tag
	off      uintptr       // of the field
	sub      *plan         // of messages
	block    arena.TypeKey // of the message
	at       arena.TypeKey // what the pointer or the interface leads to
	word     mem.Word      // of the interface, if it is wrapped
	required uint64        // its bit of plan.required

	atSlot, blockSlot uint8 // of allocCache

	elem  arena.TypeKey // of a list
	bytes uintptr       // of a message in a list
	part  uintptr       // offset of the word with the presence bit
	bit   uint32        // number of the presence bit
	num   protoreflect.FieldNumber
	inner *op // of kindLazy
	entry *mapPlan
	field string // name

	custom   custom // decodes a value in place, of UnmarshalStruct
	pointers bool   // of kindStructs: to values with such a method
}

// A plan says how messages of a type are decoded. It doesn't change once it is in use.
type plan struct {
	typ     reflect.Type   // of the struct
	index   []*op          // by tag, of the fields with small numbers
	far     map[uint32]*op // by tag, of the others
	ops     []*op          // all
	known   map[protoreflect.FieldNumber]bool
	maps    map[protoreflect.FieldNumber]bool
	unknown bool    // unknown fields are kept
	bytes   uintptr // where

	presence   uint32 // presence bits there are
	required   uint64 // a bit for each required field
	overflow   bool   // there are more of them than bits
	demanding  bool   // there may be required fields in it or below
	extensible bool
	foreign    bool // it can't lie in a self-contained arena
	state      uintptr
	stateSize  uintptr

	official string // why all of it is left to the official runtime, or ""
	left     []Left // what else is left to it
	desc     protoreflect.MessageDescriptor
	info     *protoimpl.MessageInfo // to which messages point, for self-contained arenas to keep alive
}

// opOf returns what to do for a tag, or nil.
func (pl *plan) opOf(tag uint) *op {
	if tag < uint(len(pl.index)) {
		return pl.index[tag]
	}
	return pl.opFar(tag)
}

//go:noinline
func (pl *plan) opFar(tag uint) *op {
	if pl.far == nil || tag > 1<<32-1 {
		return nil
	}
	return pl.far[uint32(tag)]
}

// plans holds what was made, of reflect.Type of the struct to *plan. Goroutines that need the same at the
// same time each make their own, which doesn't matter: a lock would be held while code runs that isn't ours.
var plans sync.Map

// A recent is a plan that was used lately.
type recent struct {
	word mem.Word
	plan *plan
}

// recents finds plans by the type of a message, without a lock.
var recents [256]atomic.Pointer[recent]

// planOfMessage returns the plan of a message, and where that is. It is nil if m is nil, or a nil
// pointer, or no pointer at all.
func planOfMessage(m proto.Message) (*plan, unsafe.Pointer) {
	p, w := mem.Pointer(m)
	r := &recents[w.Hash()%uintptr(len(recents))]
	if c := r.Load(); c != nil && c.word == w {
		return c.plan, p
	}
	t := reflect.TypeOf(m)
	if t == nil || t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct || p == nil {
		return nil, nil
	}
	pl := planOf(t.Elem(), m)
	r.Store(&recent{w, pl})
	return pl, p
}

// planOf returns the plan of a struct to which m is a pointer.
func planOf(t reflect.Type, m proto.Message) *plan {
	if pl, ok := plans.Load(t); ok {
		return pl.(*plan)
	}
	return compile(t, m)
}
