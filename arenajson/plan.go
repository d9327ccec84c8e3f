package arenajson

import (
	"encoding"
	"encoding/json"
	"reflect"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
)

// This file holds plans: what there is to do for values of a type, found out once.

// A kind says how a value is read and written.
type kind uint8

const (
	kindInvalid kind = iota // can't be
	kindString
	kindStruct
	kindInt64 // and all others of 8 bytes
	kindFloat64
	kindBool
	kindSlice
	kindPointer
	kindInt // of node.size bytes
	kindUint
	kindFloat32
	kindMap
	kindAny
	kindInterface
	kindArray
	kindBytes
	kindByteArray
	kindNumber
	kindObject
	kindQuoted // of a field with the tag option string
	kindMethod // has methods that read it
	kindText
	kindArena
	kindTime
	kindDuration
	kindRaw
	kindTable // collections.Map
	kindList  // collections.Slice
	kindWriter
	kindSkipped // of objects that nobody needs
)

// A node is the plan of a type. It doesn't change once it is made, but for what is learned.
type node struct {
	kind   kind
	write  kind   // as kind, or kindWriter if it has methods that write it
	writer writer // what writes it
	bits   uint8  // of a number

	namedByte bool // elements are of a byte type with a name
	word      bool // a value of the type is a pointer, and the second word of an interface
	scalar    bool // whatever is read replaces all of it
	quoted    bool // likewise, fields with the tag option string
	foreign   bool // it or something in it has methods, which may put what they want anywhere

	size uintptr
	typ  reflect.Type
	key  arena.TypeKey

	elem   *node       // of a pointer, slice, array, map; what a quoted one is without quotes
	mapKey *node       // of a map
	plain  *node       // what it would be without methods
	len    int         // of an array
	fields *structPlan // of a struct
	room   atomic.Int32

	native uint8      // of a map: how it is written
	walks  *sync.Pool // of a map: of *walk

	container *container // of package collections
}

// planner makes plans that refer to each other.
type planner struct{ nodes map[reflect.Type]*node }

var plans sync.Map // of reflect.Type to *node

// Of returns the plan of a type.
func planOf(t reflect.Type) *node {
	if n, ok := plans.Load(t); ok {
		return n.(*node)
	}
	p := planner{map[reflect.Type]*node{}}
	p.plan(t)
	p.spreadForeign()
	for _, n := range p.nodes {
		n.fields.prepareColumns() // before others see it
	}
	for t, n := range p.nodes {
		plans.LoadOrStore(t, n)
	}
	first, _ := plans.Load(t) // another goroutine's, if it was faster: what is learned is learned once
	return first.(*node)
}

// A recent is a plan that was used lately.
type recent struct {
	word mem.Word
	node *node
}

// recents finds plans by the type of a pointer to the value, without a lock.
var recents [256]atomic.Pointer[recent]

// OfPointer returns the address of what v points to, and the plan of that. It is nil if
// v isn't a pointer, or a nil one.
func planOfPointer(v any) (*node, unsafe.Pointer) {
	p, w := mem.Pointer(v)
	r := &recents[w.Hash()%uintptr(len(recents))]
	if c := r.Load(); c != nil && c.word == w {
		return c.node, p
	}
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer {
		return nil, nil
	}
	n := planOf(t.Elem())
	r.Store(&recent{w, n})
	return n, p
}

var (
	unmarshalerType     = reflect.TypeFor[json.Unmarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
	arenaType           = reflect.TypeFor[arenaUnmarshaler]()
	numberType          = reflect.TypeFor[json.Number]()
	rawType             = reflect.TypeFor[json.RawMessage]()
	timeType            = reflect.TypeFor[time.Time]()
	durationType        = reflect.TypeFor[time.Duration]()
	anyType             = reflect.TypeFor[any]()
	stringType          = reflect.TypeFor[string]()
)

// plan returns the plan of a type, which may not be complete yet.
func (p *planner) plan(t reflect.Type) *node {
	if n := p.nodes[t]; n != nil {
		return n
	}
	if n, ok := plans.Load(t); ok {
		return n.(*node)
	}
	n := &node{typ: t, size: t.Size(), key: arena.KeyOf(t)}
	p.nodes[t] = n
	p.fill(n, t)
	return n
}

// fill makes the plan of a type.
func (p *planner) fill(n *node, t reflect.Type) {
	p.fillKinds(n, t)
	if n.write = n.kind; n.writer != byKind {
		n.write = kindWriter
	}
	if n.plain != nil {
		n.plain.write = n.plain.kind
	}
}

func (p *planner) fillKinds(n *node, t reflect.Type) {
	if p.container(n, t) {
		return
	}
	n.kind, n.writer, n.word = p.kindOf(n, t), writerOf(t), isWord(t)
	n.scalar = n.kind == kindString || n.kind == kindBool || kindInt64 <= n.kind && n.kind <= kindFloat64 || kindInt <= n.kind && n.kind <= kindFloat32
	switch {
	case t == ordered.typ:
		n.kind = kindObject
		return
	case t == numberType:
		n.kind = kindNumber
		return
	case t == durationType:
		n.kind = kindDuration
		return
	case t == rawType:
		n.kind = kindRaw
		return
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
		return
	}
	pointer := reflect.PointerTo(t)
	method := kindInvalid
	switch {
	case pointer.Implements(arenaType):
		method = kindArena
	case t == timeType:
		method = kindTime
	case implementsFrom(pointer):
		method = kindMethod
	case pointer.Implements(unmarshalerType):
		method = kindMethod
	case pointer.Implements(textUnmarshalerType):
		method = kindText
	}
	if method == kindInvalid {
		return
	}
	plain := new(node)
	*plain = node{kind: n.kind, bits: n.bits, namedByte: n.namedByte, size: n.size, typ: n.typ, key: n.key,
		elem: n.elem, mapKey: n.mapKey, len: n.len, fields: n.fields, native: n.native, walks: n.walks}
	n.plain = plain
	n.kind = method
	n.foreign = method == kindMethod || method == kindText
}

// kindOf fills in what follows from the kind of a type, and returns it.
func (p *planner) kindOf(n *node, t reflect.Type) kind {
	n.bits = uint8(min(t.Size()*8, 64))
	switch t.Kind() {
	case reflect.Bool:
		return kindBool
	case reflect.String:
		return kindString
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		if t.Size() == 8 {
			return kindInt64
		}
		return kindInt
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return kindUint
	case reflect.Float32:
		return kindFloat32
	case reflect.Float64:
		return kindFloat64
	case reflect.Struct:
		n.fields = p.structPlan(t)
		return kindStruct
	case reflect.Interface:
		if t == anyType {
			return kindAny
		}
		return kindInterface
	case reflect.Map:
		n.mapKey, n.elem = p.plan(t.Key()), p.plan(t.Elem())
		n.native, n.walks = nativeMap(t), new(sync.Pool)
		return kindMap
	case reflect.Pointer:
		n.elem = p.plan(t.Elem())
		return kindPointer
	case reflect.Array:
		n.len = t.Len()
	case reflect.Slice:
	default:
		return kindInvalid
	}
	n.elem = p.plan(t.Elem())
	return n.listKind(t)
}

// listKind is kindOf for slices and arrays.
func (n *node) listKind(t reflect.Type) kind {
	bytes := t.Elem().Kind() == reflect.Uint8
	n.namedByte = bytes && t.Elem().PkgPath() != ""
	switch {
	case t.Kind() == reflect.Slice && bytes:
		return kindBytes
	case t.Kind() == reflect.Slice:
		return kindSlice
	case bytes:
		return kindByteArray
	}
	return kindArray
}

// spreadForeign marks the plans that lead to others with methods, or in strings.
func (p *planner) spreadForeign() {
	for changed := true; changed; {
		changed = false
		for _, n := range p.nodes {
			if !n.foreign && n.leadsTo(func(n *node) bool { return n.foreign }) || n.kind == kindInterface && !n.foreign {
				n.foreign, changed = true, true
			}
			if !n.quoted && n.leadsTo(func(n *node) bool { return n.quoted || n.kind == kindQuoted }) {
				n.quoted, changed = true, true
			}
		}
	}
}

// leadsTo says whether a plan that n leads to in one step is so.
func (n *node) leadsTo(is func(*node) bool) bool {
	if n.elem != nil && is(n.elem) || n.mapKey != nil && is(n.mapKey) {
		return true
	}
	if n.fields != nil {
		for i := range n.fields.list {
			if is(n.fields.list[i].node) {
				return true
			}
		}
	}
	return false
}

// isWord says whether values of a type are shaped like pointers: then the zero value is the second
// word of an interface itself, and else that points to one.
func isWord(t reflect.Type) bool {
	return t.Kind() != reflect.Interface && mem.Data(reflect.Zero(t).Interface()) == nil
}
