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

// This file holds how the plan of a type is found, and made if it is the first
// time.

// plans has the plans of all types that were asked for, and of those in them.
var plans sync.Map // of reflect.Type to *Node

// Of returns the plan of a type. All goroutines get the same one, so that what one
// learns all others know.
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
	// Another goroutine's, if it was faster: what is learned is learned once.
	first, _ := plans.Load(t)
	return first.(*Node)
}

// A recent is a plan that was used lately, with the type of pointers to its values.
type recent struct {
	word mem.Word
	node *Node
}

// recents finds plans by the type of a pointer to the value, without a lock: a
// direct-mapped table in which the last one of each place stays.
var recents [256]atomic.Pointer[recent]

// OfPointer returns the address of what v points to, and the plan of that. The plan
// is nil if v isn't a pointer, or a nil one without a type; the address is nil for
// a nil pointer of a type.
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
		n = Of(t).Elem // by a pointer type with a name methods may not count
	}
	r.Store(&recent{w, n})
	return n, p
}

// plan returns the plan of a type in another one. It may not be complete yet: a
// type may lead to itself.
func (p *planner) plan(t reflect.Type) *Node {
	if n := p.nodes[t]; n != nil {
		return n
	}
	if n, ok := plans.Load(t); ok {
		return n.(*Node)
	}
	n := &Node{Type: t, Size: t.Size(), Key: arena.KeyOf(t)}
	n.setRooms()
	// Before it is filled: the type may lead to itself.
	p.nodes[t] = n
	p.fill(n, t)
	return n
}

// fill makes the plan of a type: how it is read, and with that how it is written,
// which is by a method if it has one for that.
func (p *planner) fill(n *Node, t reflect.Type) {
	p.fillKinds(n, t)
	if n.Write = n.Kind; n.Writer != ByKind {
		n.Write = KindWriter
	}
	if n.Plain != nil {
		n.Plain.Write = n.Plain.Kind
	}
}

// fillKinds finds out how values of a type are read, and what writes them. Of
// several methods that read, UnmarshalJSONArena counts before UnmarshalJSON, and
// that before UnmarshalText. A type with methods keeps in Plain what it would be
// without them, for where they aren't called: in names of members, and if they
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

// part returns the plan of a type in a place that no pointer leads to. The original
// encoding/json looks for methods of pointers only when it reads, and takes the address of
// a value only if its type has a name. So it reads some types by their kind:
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

// bare returns the plan of a type that the original encoding/json reads without
// methods. fillBares completes it.
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

// fillBares fills in the plans of bare, once those that they are copies of are complete.
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

// isWord reports whether values of a type are shaped like pointers: then the zero
// value is the second word of an interface itself, and else that points to one.
func isWord(t reflect.Type) bool {
	return t.Kind() != reflect.Interface && mem.Data(reflect.Zero(t).Interface()) == nil
}

// ErrStringTag is for fields with the tag option string of types that aren't
// numbers.
var ErrStringTag = errors.New("invalid use of `string` tag option")

// ErrDuration is for durations, which version 2 neither reads nor writes without a
// format.
var ErrDuration = errors.New("no default representation")
