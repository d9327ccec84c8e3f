package plan

import (
	"errors"
	"reflect"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
)

// This file finds the plan of a type, and makes it the first time.

// plans has the plans of all requested types, and of those in them.
var plans sync.Map // of reflect.Type to *Node

// Of returns the plan of a type. All goroutines get the same one, so they share its learning.
func Of(t reflect.Type) *Node {
	if n, ok := plans.Load(t); ok {
		return n.(*Node)
	}
	p := planner{nodes: map[reflect.Type]*Node{}}
	p.plan(t)
	p.fillBares()
	p.spreadForeign()
	for _, n := range p.nodes {
		n.Fields.prepareColumns() // before others see it
	}
	// All at once, when they are complete: another goroutine may use any of them.
	for t, n := range p.nodes {
		plans.LoadOrStore(t, n)
	}
	// Use another goroutine's, if it was faster: all learn in one.
	first, _ := plans.Load(t)
	return first.(*Node)
}

// A recent is a recently used plan, with the type of pointers to its values.
type recent struct {
	word mem.Word
	node *Node
}

// recents finds plans by the type of a pointer to the value, without a lock: a direct-mapped table
// with the latest plan in each place.
var recents [256]atomic.Pointer[recent]

// OfPointer returns the address in the pointer v, and the plan of its target. The plan is nil if v
// isn't a pointer, or is an untyped nil; the address is nil for a typed nil pointer.
func OfPointer(v any) (*Node, unsafe.Pointer) {
	p, w := mem.Pointer(v)
	r := &recents[w.Hash()%uintptr(len(recents))]
	if c := r.Load(); c != nil && c.word == w {
		return c.node, p
	}
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer {
		return nil, nil
	}
	n := Of(t.Elem())
	if t.Name() != "" {
		n = Of(t).Elem // with a named pointer type methods may not count
	}
	r.Store(&recent{w, n})
	return n, p
}

// plan returns the plan of a type in another one. It may be incomplete: a type may lead to itself.
func (p *planner) plan(t reflect.Type) *Node {
	if n := p.nodes[t]; n != nil {
		return n
	}
	if n, ok := plans.Load(t); ok {
		return n.(*Node)
	}
	n := &Node{Type: t, Size: t.Size(), Key: arena.KeyOf(t)}
	n.setRooms()
	// Before filling it: the type may lead to itself.
	p.nodes[t] = n
	p.fill(n, t)
	return n
}

// fill fills in the plan of a type: how it is read, and how it is written, by a method if it has
// one.
func (p *planner) fill(n *Node, t reflect.Type) {
	p.fillKinds(n, t)
	if n.Write = n.Kind; n.Writer != ByKind {
		n.Write = KindWriter
	}
	if n.Plain != nil {
		n.Plain.Write = n.Plain.Kind
	}
}

// fillKinds determines how values of a type are read and written. For reading, UnmarshalJSONArena
// takes precedence over UnmarshalJSON, and that over UnmarshalText. Plain is the plan of a type
// with methods for values on which they aren't called: names of members, and values for which they
// return errors.ErrUnsupported.
func (p *planner) fillKinds(n *Node, t reflect.Type) {
	if p.container(n, t) {
		return
	}
	n.Kind, n.Writer, n.Word = p.kindOf(n, t), writerOf(t), isWord(t)
	switch n.Kind {
	case KindString, KindBool, KindInt64, KindFloat64, KindInt, KindUint, KindFloat32:
		n.Scalar = true
	}
	switch {
	case t == Ordered.Type:
		n.Kind = KindObject
		return
	case t == NumberType:
		n.Kind = KindNumber
		return
	case t == durationType:
		n.Kind = KindDuration
		return
	case t == rawType:
		n.Kind = KindRaw
		return
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface:
		return
	}
	pointer := reflect.PointerTo(t)
	method := kindInvalid
	switch {
	case pointer.Implements(arenaType):
		method = KindArena
	case t == TimeType:
		method = KindTime
	case implementsFrom(pointer):
		method = KindMethod
	case pointer.Implements(unmarshalerType):
		method = KindMethod
	case pointer.Implements(textUnmarshalerType):
		method = KindText
	}
	if method == kindInvalid {
		return
	}
	// The same without methods. A Node isn't copied, as it has an atomic field.
	plain := new(Node)
	*plain = Node{Kind: n.Kind, Bits: n.Bits, NamedByte: n.NamedByte, Size: n.Size, Type: n.Type, Key: n.Key,
		Elem: n.Elem, MapKey: n.MapKey, Len: n.Len, Fields: n.Fields, Native: n.Native, Walks: n.Walks,
		Cells: n.Cells, Small: n.Small}
	n.Plain = plain
	n.Kind = method
	n.Foreign = method == KindMethod || method == KindText
}

// part returns the plan of a type in a place not behind a pointer. The original encoding/json looks
// for methods of pointers only when it reads, and takes the address of a value only if its type has
// a name. So it reads some types by their kind:
//
//	struct{ time.Time; Zone string }    as a field, an element, or a map's value
//	*T behind type P *T                 everywhere: P has no methods
//
// Behind an unnamed pointer, both are read by their methods.
func (p *planner) part(t reflect.Type) *Node {
	if t.Kind() == reflect.Struct && t.Name() == "" {
		return p.bare(t)
	}
	return p.plan(t)
}

// bare returns the plan of a type that the original encoding/json reads without methods. fillBares
// completes it.
func (p *planner) bare(t reflect.Type) *Node {
	n := p.plan(t)
	if !option.Classic || reflect.PointerTo(t).NumMethod() == 0 {
		return n
	}
	b := &Node{Type: t, Size: n.Size, Key: n.Key}
	b.setRooms()
	p.bares = append(p.bares, b)
	return b
}

// fillBares completes the plans of bare, once their originals are complete.
func (p *planner) fillBares() {
	for _, b := range p.bares {
		n := p.plan(b.Type)
		b.Kind, b.Write, b.Writer, b.Word, b.Scalar, b.Foreign = n.Kind, n.Write, n.Writer, n.Word, n.Scalar, n.Foreign
		b.Bits, b.NamedByte, b.Len, b.Fields, b.Elem, b.MapKey = n.Bits, n.NamedByte, n.Len, n.Fields, n.Elem, n.MapKey
		b.Native, b.Walks, b.Cells, b.Small, b.Container = n.Native, n.Walks, n.Cells, n.Small, n.Container
		if b.Plain = n.Plain; n.Kind == KindRaw {
			b.Plain = &Node{Kind: KindBytes, Size: n.Size, Type: n.Type, Key: n.Key, Elem: n.Elem}
		}
		b.Bare = b.Plain != nil
	}
}

// isWord reports whether values of a type are shaped like pointers: then an interface's second word
// is the value itself, and otherwise its address.
func isWord(t reflect.Type) bool {
	return t.Kind() != reflect.Interface && mem.Data(reflect.Zero(t).Interface()) == nil
}

// ErrStringTag is for fields with the tag option string and types other than numbers.
var ErrStringTag = errors.New("invalid use of `string` tag option")

// Nanoseconds is the plan of durations with the options of v1: numbers.
var Nanoseconds = &Node{Kind: KindInt64, Bits: 64, Size: 8, Type: durationType}

// ErrDuration is for durations, which version 2 neither reads nor writes without a format.
var ErrDuration = errors.New("no default representation")
