package plan

import (
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds what is needed of a field to write it, apart from the field, which is mostly about
// reading: one cache line for each.

// A column is what is needed to write a field, in 64 bytes.
type column struct {
	Node  *Node
	Off   uint32
	Write Kind // as in the node
	Size  uint8
	Name  mem.Block // field.written, of so many bytes; none if there is more to do than to copy it
}

// sliceCoding is how a Slice of package collections is used by its address.
type sliceCoding interface {
	Types() (container, items reflect.Type)
	Adopt(at unsafe.Pointer, a *arena.Arena) *arena.Arena
	Items(at unsafe.Pointer) unsafe.Pointer
}

// A container is what a plan has for a type of package collections.
type container struct {
	Table   MapCoding   // of a Map
	List    sliceCoding // of a Slice
	Items   *Node       // of a Slice: how its elements, a Go slice, are read and written
	Entries sync.Pool   // of a Map: of *mapEntry
}

const (
	kindInvalid Kind = iota // can't be
	KindString
	KindStruct
	KindInt64 // and all others of 8 bytes
	KindFloat64
	KindBool
	KindSlice
	KindPointer
	KindInt // of node.size bytes
	KindUint
	KindFloat32
	KindMap
	KindAny
	KindInterface
	KindArray
	KindBytes
	KindByteArray
	KindNumber
	KindObject
	KindQuoted // of a field with the tag option string
	KindMethod // has methods that read it
	KindText
	KindArena
	KindTime
	KindDuration
	KindRaw
	KindTable // collections.Map
	KindList  // collections.Slice
	KindWriter
	KindSkipped // of objects that nobody needs
)

// This file holds how values are written that have methods for it, and what is rare besides.

// A writer says what writes a value: its kind, or a method.
type writer uint8

// This file holds how objects and arrays go to containers of package collections, which this one
// doesn't import: it finds what it needs of them by a field's methods (collections/coding.go).
//
// A container that has memory has an arena, too. What is read into it comes from there, all the way
// down, whatever arena the rest goes to: so nothing in it ends before it does, or is in memory that
// nobody keeps alive. One without memory becomes one of the decoder's arena.

// MapCoding is how a Map of package collections is used by its address.
type MapCoding interface {
	Types() (container, key, value reflect.Type)
	Adopt(at unsafe.Pointer, a *arena.Arena) *arena.Arena
	Len(at unsafe.Pointer) int
	Forget(at unsafe.Pointer)
	Place(at, key unsafe.Pointer) (value unsafe.Pointer, found bool)
	Number(at, key unsafe.Pointer) int
	Next(at unsafe.Pointer, i int) (key, value unsafe.Pointer, next int)
}

// This file holds which members of an object go to which fields of a struct. The rules
// are those of encoding/json/v2, which for correct tags are those of encoding/json: of
// several fields with a name the one least deeply embedded counts, then the one whose tag
// gives the name; if that leaves several, none does.

// A Struct is what a struct has fields for.
type Struct struct {
	List    []Field  // in the order in which they are written
	Columns []column // of the same fields
	First   atomic.Pointer[Member]
	Names   nameTable
	Others  Vocabulary          // names without a field that came
	folded  map[string][]*Field // by folded name, in the order of their ids
	casing  bool                // a field has the tag option case:ignore

	Rest  *Field // for members without a field, if there is one with the tag option embed
	flaws        // of the tags, or of a format, which isn't supported; only v2 minds
}

// flaws are what is wrong with the tags of a struct.
type flaws struct {
	Err     error
	Culprit reflect.Type // that struct, which may be embedded in the one of the plan
}

// A Member is what has to be known of a name, which mostly is that of a field. What is needed
// each time comes first, in 64 bytes.
type Member struct {
	prediction
	Node   *Node   // of the field, or nil if there is none of the name
	Off    uintptr // in the struct that holds it
	ID     uint32  // in the order of depth, then of declaration; those without a field come behind
	Direct bool    // it is a field, and there is no path

	Path    []step // to the struct that holds it, where pointers lead there; usually none
	Literal string // "name": as a whole; empty if names like that come escaped

	Inside atomic.Pointer[Node] // what objects in a value without a field look like, if there were some
}

// A Field is a field of a struct or of one embedded in it.
type Field struct {
	Member
	Tag
	index []int

	Written []byte // a comma, the name and a colon; nil if some options escape the name
	Type    reflect.Type
	IsZero  func(reflect.Value) bool // its IsZero method, or nil
}

// A step leads through a pointer to an embedded struct.
type step struct {
	Off    uintptr
	Key    arena.TypeKey // of the struct
	Closed bool          // the pointer can't be set, since its type isn't exported
}

// This file holds plans: what there is to do for values of a type, found out once.

// A Kind says how a value is read and written.
type Kind uint8

// This file holds how names without a field are learned. A program that wants few members of
// large objects would look up, hash and compare all other names, to find duplicates; but those
// names come again and again, and in the same order. Once a name is learned it is predicted as
// that of a field is, and has a number as that has, by which a second one is noticed.
//
// What is learned is never forgotten, so that a name that has a number in the beginning of an
// object has it to the end. It is bounded for each type: by what names cost, and by
// learning those only that come twice, which keys of data mostly don't.

// A Vocabulary is the names without a field of the objects for one plan. They may be looked up
// by any goroutine while one learns.
type Vocabulary struct {
	table  atomic.Pointer[[]atomic.Pointer[Member]] // by secretHash; at least half of it is nil
	count  int                                      // of names; under memory.mu
	Memory *learning
}

// A learning is what the vocabularies of a struct and of all objects within share.
type learning struct {
	mu   sync.Mutex
	left atomic.Int32 // bytes that may be spent yet
	once [256]atomic.Uint32
}

const (
	ByKind        writer = iota
	byMarshalJSON        // or MarshalJSONTo, in newer versions of Go
	byMarshalText        // or AppendText
)

// This file holds how the name of a member leads to a field. Members mostly come in the
// same order: each field knows which one came after it lately, and what that looks like,
// quotes and colon included, so that a name is found by comparing a few words. If it is
// another one, a hash table has it, without collisions if that can be had.

// A prediction is what the name of a field looks like in the input.
type prediction struct {
	head, headMask uint64                 // the first up to eight bytes of "name":
	tail           uint64                 // the last eight of them
	Size           int                    // of "name":
	Next           atomic.Pointer[Member] // which comes after it; nil if none does
}

// A nameTable finds fields by their names.
type nameTable struct {
	seed  uint64
	shift uint
	slots []int32 // index of the field in the list plus one, or 0
}

// A Node is the plan of a type. It doesn't change once it is made, but for what is learned.
type Node struct {
	Kind   Kind
	Write  Kind   // as kind, or kindWriter if it has methods that write it
	Writer writer // what writes it
	Bits   uint8  // of a number

	NamedByte bool // elements are of a byte type with a name
	Word      bool // a value of the type is a pointer, and the second word of an interface
	Scalar    bool // whatever is read replaces all of it
	Quoted    bool // likewise, fields with the tag option string
	Foreign   bool // it or something in it has methods, which may put what they want anywhere

	Size uintptr
	Type reflect.Type
	Key  arena.TypeKey

	Elem   *Node   // of a pointer, slice, array, map; what a quoted one is without quotes
	MapKey *Node   // of a map
	Plain  *Node   // what it would be without methods
	Len    int     // of an array
	Fields *Struct // of a struct
	room   atomic.Int32

	Native uint8      // of a map: how it is written
	Walks  *sync.Pool // of a map: of *walk

	Container *container // of package collections
}

// planner makes plans that refer to each other.
type planner struct{ nodes map[reflect.Type]*Node }
