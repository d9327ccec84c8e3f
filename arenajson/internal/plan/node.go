// Package plan has what there is to do for the values of a type, found out once: how a
// value is read and written, where in it which value is, and which names lead to it.
//
// A Node is the plan of a type. Nodes refer to each other as types do, in circles too, and
// don't change once they are made, but for what is learned: how long slices are, which
// name comes after which, and names that have no field. What is learned may be wrong, which
// takes time but changes no result.
//
// The life of a plan: Of looks in the table of all plans. If the type is new, a planner
// makes its Node and those of all types in it: kinds.go and plan.go find out how the type
// is read and written, fields.go which fields a struct has, containers.go whether it is
// one of package collections. Then foreign.go marks what leads to methods, columns.go
// copies what writing needs, and all Nodes go to the table.
//
// The package must not depend on decoders or encoders. What these keep with a plan is in
// pools, which they fill.
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

// This file holds what plans consist of. The other files hold the functions that make them.

// A Node is the plan of a type. It doesn't change once it is made, but for what is learned.
type Node struct {
	Kind   Kind   // how it is read
	Write  Kind   // as Kind, or KindWriter if it has methods that write it
	Writer writer // what writes it
	Bits   uint8  // of a number

	NamedByte bool // elements are of a byte type with a name
	Word      bool // a value of the type is a pointer, and the second word of an interface
	Scalar    bool // whatever is read replaces all of it
	Bare      bool // the original encoding/json doesn't read it by methods
	Quoted    bool // it has, or leads to, fields with the tag option string
	Foreign   bool // it or something in it has methods, which may put what they want anywhere

	Size uintptr // in bytes
	Type reflect.Type
	Key  arena.TypeKey // by which an arena allocates it

	Elem   *Node        // of a pointer, slice, array, map; what a quoted one is without quotes
	MapKey *Node        // of a map
	Plain  *Node        // what it would be without methods
	Len    int          // of an array
	Fields *Struct      // of a struct
	room   atomic.Int32 // elements that slices lately had, to begin with
	few    int32        // elements of this type that slices begin with if they had fewer
	most   int32        // and if they had more

	Native uint8      // of a map: how it is written
	Walks  *sync.Pool // of a map: of what the encoder needs to go through one
	Cells  *sync.Pool // of a map: of what the decoder needs to store an entry

	Small func() *Small // of a map: how one of few entries lies in an arena; nil if it can't

	Container *container // of package collections
}

// A Kind says how a value is read and written. Types that are read alike have one kind.
type Kind uint8

// The kinds. Codecs switch on them, the frequent ones first.
const (
	kindInvalid Kind = iota // can't be
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
	KindSkipped // of objects that nobody needs
)

// A writer says what writes a value: its kind, or a method.
type writer uint8

const (
	ByKind        writer = iota
	byMarshalJSON        // or MarshalJSONTo, in newer versions of Go
	byMarshalText        // or AppendText
)

// A Struct is what a struct has fields for.
type Struct struct {
	List    []Field                // in the order in which they are written
	Columns []column               // of the same fields
	First   atomic.Pointer[Member] // that objects lately began with
	Names   nameTable              // of the fields
	Others  Vocabulary             // names that came and that no field has just so
	folded  map[string][]*Field    // by folded name, in the order of their IDs
	casing  bool                   // a field has the tag option case:ignore

	Rest  *Field // for members without a field, if there is one with the tag option embed
	flaws        // of the tags, or of a format, which isn't supported; only v2 minds

	// views are the same for other options, by which names lead elsewhere; see In.
	views [option.Matchings]atomic.Pointer[Struct]
}

// flaws are what is wrong with the tags of a struct. Err is nil if nothing is.
type flaws struct {
	Err     error
	Culprit reflect.Type // that struct, which may be embedded in the one of the plan
}

// A Member is what has to be known of a name, which mostly is that of a field. What is
// needed each time comes first, in 64 bytes: a cache line.
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

// A prediction is what the name of a field looks like in the input. Its words are compared
// with those of the input where the name is expected.
type prediction struct {
	head, headMask uint64                 // the first up to eight bytes of "name":
	tail           uint64                 // the last eight of them
	Size           int                    // of "name": in bytes; 0 if there is no prediction
	need           int                    // bytes that must be left of the input: Size, or a word
	Next           atomic.Pointer[Member] // which came after it lately; nil if none did
}

// A Field is a field of a struct or of one embedded in it.
type Field struct {
	Member
	Tag
	index []int // by which reflect finds it

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

// A column is what is needed of a field to write it, in 64 bytes. The field itself is
// mostly about reading, and four times as large.
type column struct {
	Node  *Node
	Off   uint32
	Write Kind      // as in the node
	Size  uint8     // of the name
	Name  mem.Block // Field.Written, of so many bytes; none if there is more to do than to copy it
}

// A nameTable finds fields by their names: a hash table with open addressing, whose seed
// was chosen so that there are no collisions, if there is such a seed.
type nameTable struct {
	seed  uint64
	shift uint
	whole bool    // all bytes of a name count, since some names have the same key
	slots []int32 // index of the field in the list plus one, or 0
}

// A Vocabulary is the names in the objects for one plan that no field has just so: names
// without a field, and those that lead to a field without regard to case. They may be looked
// up by any goroutine while one learns.
type Vocabulary struct {
	table  atomic.Pointer[[]atomic.Pointer[Member]] // by secret hash; at least half of it is nil
	count  int                                      // of names; under Memory.mu
	folded int                                      // of them, those that lead to a field
	Memory *learning
}

// A learning is what the vocabularies of a struct and of all objects within share.
type learning struct {
	mu   sync.Mutex
	left atomic.Int32       // bytes that may be spent yet
	once [256]atomic.Uint32 // hashes of names that came once, by their upper byte
}

// A container is what a plan has for a type of package collections.
type container struct {
	Table   MapCoding   // of a Map
	List    sliceCoding // of a Slice
	Items   *Node       // of a Slice: how its elements, a Go slice, are read and written
	Entries sync.Pool   // of a Map: of what the decoder needs for an entry
}

// MapCoding is how a Map of package collections is used by its address. A field of the Map
// has a type with these methods.
type MapCoding interface {
	Types() (container, key, value reflect.Type)
	Adopt(at unsafe.Pointer, a *arena.Arena) *arena.Arena
	Len(at unsafe.Pointer) int
	Forget(at unsafe.Pointer)
	Place(at, key unsafe.Pointer) (value unsafe.Pointer, found bool)
	Number(at, key unsafe.Pointer) int
	Next(at unsafe.Pointer, i int) (key, value unsafe.Pointer, next int)
}

// sliceCoding is how a Slice of package collections is used by its address.
type sliceCoding interface {
	Types() (container, items reflect.Type)
	Adopt(at unsafe.Pointer, a *arena.Arena) *arena.Arena
	Items(at unsafe.Pointer) unsafe.Pointer
}

// planner makes plans that refer to each other. Those in nodes may not be complete yet.
type planner struct {
	nodes map[reflect.Type]*Node
	bares []*Node // made by bare
}
