// Package plan has the plans of types, each made once: how a value is read and written, where its
// parts are, and which names lead to them.
//
// A Node is the plan of a type. Nodes refer to each other as types do, in cycles too. They don't
// change once they are made, except by learning: the lengths of slices, the order of names, and
// names without a field. A wrong prediction takes time but changes no result.
//
// The life of a plan: Of looks in the table of all plans. If the type is new, a planner makes its
// Node and those of all types in it: kinds.go and plan.go determine how the type is read and
// written, fields.go its fields, containers.go whether it is one of package collections. Then
// foreign.go marks the types that lead to methods, columns.go prepares writing, and all Nodes go to
// the table.
//
// The package must not depend on decoders or encoders. Their memory for a plan is in pools of the
// plan, which they fill.
package plan

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file holds the parts of plans. The other files hold the functions that make them.

// A Node is the plan of a type. Once made, it changes only by learning.
type Node struct {
	Kind   Kind   // how it is read
	Write  Kind   // as Kind, or KindWriter if a method writes it
	Writer writer // its kind, or a method
	Bits   uint8  // of a number

	NamedByte bool // elements have a byte type with a name
	Word      bool // a value of the type is a pointer, and the second word of an interface
	Scalar    bool // a decoded value always replaces all of it
	Bare      bool // the original encoding/json doesn't call its methods to read it
	Quoted    bool // it has, or leads to, fields with the tag option string
	Foreign   bool // it or something in it has methods, which may store any pointer

	Size uintptr // in bytes
	Type reflect.Type
	Key  arena.TypeKey // for allocation in an arena

	Elem   *Node        // of a pointer, slice, array, map; of a quoted type, the type itself
	MapKey *Node        // of a map
	Plain  *Node        // the plan without methods
	Len    int          // of an array
	Fields *Struct      // of a struct
	room   atomic.Int32 // length of recent slices, their first capacity
	few    int32        // least first capacity of slices of this type
	most   int32        // and the greatest

	Native uint8      // of a map: how it is written
	Walks  *sync.Pool // of a map: the encoder's state for iterating
	Cells  *sync.Pool // of a map: the decoder's places for an entry

	Small func() *Small // of a map: the layout of small maps in an arena; nil if impossible

	Container *container // of package collections
}

// A Kind selects the code that reads and writes a value. Types with the same code have one kind.
type Kind uint8

// The kinds. Codecs switch on them, the frequent ones first.
const (
	kindInvalid Kind = iota // not supported
	KindString
	KindStruct
	KindInt64 // and all others of 8 bytes
	KindFloat64
	KindBool
	KindSlice
	KindPointer
	KindInt // of Node.Size bytes
	KindUint
	KindFloat32
	KindMap
	KindAny
	KindInterface
	KindArray
	KindBytes
	KindByteArray
	KindNumber
	KindObject // an Object of package arenajson
	KindQuoted // of a field with the tag option string
	KindMethod // has UnmarshalJSON or UnmarshalJSONFrom
	KindText   // has UnmarshalText
	KindArena  // has UnmarshalJSONArena
	KindTime
	KindDuration
	KindRaw
	KindTable   // collections.Map
	KindList    // collections.Slice
	KindWriter  // of Node.Write only
	KindSkipped // of skipped objects
)

// A writer tells whether a kind or a method writes a value.
type writer uint8

const (
	ByKind        writer = iota
	byMarshalJSON        // or MarshalJSONTo, in newer versions of Go
	byMarshalText        // or AppendText
)

// A Struct is the plan of a struct's fields.
type Struct struct {
	List    []Field                // in the order of writing
	Columns []column               // of the same fields
	First   atomic.Pointer[Member] // first member of the latest object
	Names   nameTable              // of the fields
	Others  Vocabulary             // names in texts that match no field exactly
	folded  map[string][]*Field    // by folded name, in the order of their IDs
	casing  bool                   // a field has the tag option case:ignore

	Rest  *Field // for members without a field, if there is one with the tag option embed
	flaws        // of the tags, or an unsupported format; only v2 reports them

	// views are the Structs for other options, with which names lead elsewhere; see In.
	views [option.Matchings]atomic.Pointer[Struct]
}

// flaws are the errors in the tags of a struct. Err is nil if there are none.
type flaws struct {
	Err     error
	Culprit reflect.Type // that struct, which may be embedded in the plan's
}

// A Member is the plan of a name, mostly that of a field. The parts used each time come first, in
// 64 bytes: a cache line.
type Member struct {
	prediction
	Node   *Node   // of the field, or nil if the name has none
	Off    uintptr // in the struct that holds it
	ID     uint32  // by depth, then by declaration; those without a field follow
	Direct bool    // it is a field, and there is no path

	Path    []step // pointers to the struct that holds it; usually none
	Literal string // "name": as a whole; empty if the name needs escapes

	Inside atomic.Pointer[Node] // the plan for objects in a value without a field, if there were any
}

// A prediction is the form of a name in the input. Its words are compared with those of the input
// where the name is expected.
type prediction struct {
	head, headMask uint64                 // the first up to eight bytes of "name":
	tail           uint64                 // the last eight of them
	Size           int                    // of "name": in bytes; 0 if there is no prediction
	need           int                    // bytes of input needed: Size, or a word
	Next           atomic.Pointer[Member] // the latest one after it; nil if none
}

// A Field is a field of a struct or of one embedded in it.
type Field struct {
	Member
	Tag
	index []int // for reflect

	Written []byte // a comma, the name and a colon; nil if some options escape the name
	Type    reflect.Type
	IsZero  func(reflect.Value) bool // its IsZero method, or nil
}

// A step leads through a pointer to an embedded struct.
type step struct {
	Off    uintptr       // of the pointer
	Key    arena.TypeKey // of the struct
	Closed bool          // the pointer can't be set, since its type isn't exported
}

// A column is the part of a field for writing, in 64 bytes. The Field is mostly for reading, and
// four times as large.
type column struct {
	Node  *Node
	Off   uint32
	Write Kind      // as in the node
	Size  uint8     // of the name
	Name  mem.Block // the first Size bytes of Field.Written, if copying them is enough
}

// A nameTable finds fields by their names: a hash table with open addressing, whose seed was chosen
// to avoid collisions, if possible.
type nameTable struct {
	seed  uint64
	shift uint
	whole bool    // all bytes of a name count, since some names have the same key
	slots []int32 // index of the field in the list plus one, or 0
}

// A Vocabulary is the learned names in the objects for one plan that match no field exactly: those
// without a field, and those that match one by case folding. Any goroutine may look them up while
// one learns.
type Vocabulary struct {
	table  atomic.Pointer[[]atomic.Pointer[Member]] // by secret hash; at least half of it is nil
	count  int                                      // of names; under Memory.mu
	folded int                                      // of them, those with a field
	Memory *learning
}

// A learning is the state shared by the vocabularies of a struct and of all objects within.
type learning struct {
	mu   sync.Mutex
	left atomic.Int32       // bytes that may still be spent
	once [256]atomic.Uint32 // hashes of names that came once, by their upper byte
}

// A container is the plan of a type of package collections.
type container struct {
	Table   MapCoding   // of a Map
	List    sliceCoding // of a Slice
	Items   *Node       // of a Slice: the plan of the Go slice in it
	Entries sync.Pool   // of a Map: the decoder's places for an entry
}

// MapCoding is the access to a Map of package collections by its address. The type of one of the
// Map's fields has these methods.
type MapCoding interface {
	Types() (container, key, value reflect.Type)
	Adopt(at unsafe.Pointer, a *arena.Arena) *arena.Arena
	Len(at unsafe.Pointer) int
	Forget(at unsafe.Pointer)
	Place(at, key unsafe.Pointer) (value unsafe.Pointer, found bool)
	Number(at, key unsafe.Pointer) int
	Next(at unsafe.Pointer, i int) (key, value unsafe.Pointer, next int)
}

// sliceCoding is the access to a Slice of package collections by its address.
type sliceCoding interface {
	Types() (container, items reflect.Type)
	Adopt(at unsafe.Pointer, a *arena.Arena) *arena.Arena
	Items(at unsafe.Pointer) unsafe.Pointer
}

// planner makes plans that refer to each other. Those in nodes may be incomplete.
type planner struct {
	nodes map[reflect.Type]*Node
	bares []*Node // made by bare
}
