package arenajson

import (
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/option"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/arenajson/internal/syntax"
	"github.com/harena-go/arena/arenajson/internal/text"
)

// This file holds the decoder and how values of all kinds begin. Each of the functions that
// read a value gets where it begins and returns where it ends, or -1. It then has set d.err,
// or leaves it to diagnose to find out what is wrong with the syntax.

// A decoder reads one text.
type decoder struct {
	syntax.Reader
	a *arena.Arena

	err       *syntax.Fault // what has ended it, if that isn't the syntax
	saved     *syntax.Fault // with the options of v1, the first value that didn't fit
	methodErr error         // likewise, what a method returned
	fatal     error         // likewise, what it doesn't go on after
	faults    int           // errors so far

	folded  []byte           // the last name that was folded
	sets    []syntax.NameSet // of structs that are open
	bits    []uint64         // fields seen, of large structs
	values  stack[any]       // of open arrays
	members stack[plan.Pair] // of open objects
	root    reflect.Type     // of the whole value, for errors
}

// A stack is what a text takes of memory that is kept for the next one. Its length is what is in use, and
// high how far it was, if it is less now.
type stack[T any] struct {
	all  []T
	high int
}

func (s *stack[T]) push(v T) { s.all = append(s.all, v) }

// popTo shortens the stack.
func (s *stack[T]) popTo(n int) {
	s.high = max(s.high, len(s.all))
	s.all = s.all[:n]
}

// reset clears what was in use, and only that, and empties the stack.
func (s *stack[T]) reset() {
	s.popTo(0)
	clear(s.all[:s.high])
	s.high = 0
}

var decoders = sync.Pool{New: func() any { return new(decoder) }}

// keepScratch is up to how many bytes of scratch a decoder keeps for the next text.
const keepScratch = 64 << 10

// release gives the decoder back. What it has of the text and its values goes, in time for what this text
// took, whatever others did.
func (d *decoder) release() {
	d.Data, d.a, d.root = nil, nil, nil
	d.err, d.saved, d.methodErr, d.fatal = nil, nil, nil, nil
	d.values.reset()
	d.members.reset()
	d.Seen, d.bits, d.Unescaped, d.sets = d.Seen[:0], d.bits[:0], d.Unescaped[:0], d.sets[:0]
	if cap(d.values.all)*16+cap(d.members.all)*32+cap(d.Seen)*24+cap(d.sets)*48+d.Slots*8 > 4*keepScratch ||
		cap(d.Scratch)+cap(d.folded)+cap(d.Unescaped)+cap(d.bits)*8 > 4*keepScratch {
		*d = decoder{}
	}
	decoders.Put(d)
}

// value reads a value to p.
func (d *decoder) value(n *plan.Node, p unsafe.Pointer, i int) int {
	switch n.Kind {
	case plan.KindString:
		// A string of ordinary bytes, which most are, is read here.
		data := d.Data
		if uint(i) >= uint(len(data)) || data[i] != '"' || d.Flags&option.ReferenceInput != 0 {
			return d.string(n, p, i)
		}
		end := text.Run(data, i+1)
		if uint(end) >= uint(len(data)) || data[end] != '"' {
			return d.string(n, p, i)
		}
		mem.Set(p, d.a.AllocString(mem.String(data[i+1:end])))
		return end + 1
	case plan.KindStruct:
		return d.object(n, p, i)
	case plan.KindInt64:
		return d.integer(n, p, i)
	case plan.KindFloat64:
		return d.float64(n, p, i)
	case plan.KindBool:
		return d.bool(n, p, i)
	case plan.KindSlice:
		return d.slice(n, p, i)
	case plan.KindPointer:
		return d.pointer(n, p, i)
	case plan.KindInt:
		return d.integer(n, p, i)
	case plan.KindUint:
		return d.unsigned(n, p, i)
	case plan.KindFloat32:
		return d.number(n, p, i, d.Flags&option.StringifyNumbers != 0)
	case plan.KindAny:
		return d.anyTo(n, p, i)
	case plan.KindMap:
		return d.mapping(n, p, i)
	case plan.KindArray:
		return d.array(n, p, i)
	case plan.KindBytes, plan.KindByteArray:
		return d.bytes(n, p, i)
	}
	return d.rare(n, p, i)
}

// rare is value for the kinds that are.
//
//go:noinline
func (d *decoder) rare(n *plan.Node, p unsafe.Pointer, i int) int {
	switch n.Kind {
	case plan.KindInterface:
		return d.iface(n, p, i)
	case plan.KindNumber:
		return d.jsonNumber(p, i, d.Flags&option.StringifyNumbers != 0)
	case plan.KindObject:
		return d.objectTo(n, p, i)
	case plan.KindQuoted:
		return d.quotedValue(n, p, i)
	case plan.KindMethod:
		return d.method(n, p, i)
	case plan.KindText:
		return d.textMethod(n, p, i)
	case plan.KindArena:
		return d.arenaMethod(n, p, i)
	case plan.KindTime:
		return d.time(n, p, i)
	case plan.KindDuration:
		return d.duration(n, p, i)
	case plan.KindRaw:
		return d.raw(p, i)
	case plan.KindTable:
		return d.table(n, p, i)
	case plan.KindList:
		return d.list(n, p, i)
	}
	return d.invalid(n, i)
}

func (d *decoder) string(n *plan.Node, p unsafe.Pointer, i int) int {
	if d.Peek(i) != '"' {
		return d.notString(n, p, i)
	}
	b, end := d.Text(i)
	if end >= 0 {
		mem.Set(p, d.keep(b, i+1))
	}
	return end
}

// keep returns a string of what text returned, whose text begins at start.
func (d *decoder) keep(b []byte, start int) string {
	if d.Flags&option.ReferenceInput != 0 && text.Within(d.Data, b, start) {
		return mem.String(b)
	}
	if len(b) == 0 {
		return ""
	}
	return d.a.AllocString(mem.String(b))
}

//go:noinline
func (d *decoder) notString(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "null"); end >= 0 {
		if d.Flags&option.Legacy == 0 {
			mem.Set(p, "")
		}
		return end
	}
	return d.mismatch(n.Typ, i, nil)
}

func (d *decoder) bool(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "true"); end >= 0 {
		mem.Set(p, true)
		return end
	}
	if end := d.Word(i, "false"); end >= 0 {
		mem.Set(p, false)
		return end
	}
	if end := d.Word(i, "null"); end >= 0 {
		if d.Flags&option.Legacy == 0 {
			mem.Set(p, false)
		}
		return end
	}
	return d.mismatchToken(n.Typ, i, nil)
}

func (d *decoder) pointer(n *plan.Node, p unsafe.Pointer, i int) int {
	if end := d.Word(i, "null"); end >= 0 {
		mem.Set[unsafe.Pointer](p, nil)
		return end
	}
	q := mem.Get[unsafe.Pointer](p)
	if q == nil {
		q = arena.NewType(d.a, n.Elem.Key)
		mem.Set(p, q)
	}
	return d.value(n.Elem, q, i)
}

// invalid is value for types that there is no JSON for. The options of v1 let null pass.
func (d *decoder) invalid(n *plan.Node, i int) int {
	if d.Flags&option.Legacy != 0 {
		if end := d.Word(i, "null"); end >= 0 {
			return end
		}
		return d.mismatch(n.Typ, i, nil)
	}
	if d.IsName(i) {
		e := d.faultAt(n.Typ, i, 0, nil)
		e.Pointer = e.Pointer[:strings.LastIndexByte(e.Pointer, '/')]
		return d.report(e, -1)
	}
	return d.misfit(n.Typ, i, i, 0, nil)
}

// setZero sets a value of any type to zero.
func setZero(n *plan.Node, p unsafe.Pointer) {
	switch n.Kind {
	case plan.KindSlice, plan.KindBytes:
		mem.Set(p, mem.Slice{})
	case plan.KindPointer, plan.KindMap:
		mem.Set[unsafe.Pointer](p, nil)
	case plan.KindString, plan.KindNumber:
		mem.Set(p, "")
	default:
		mem.Value(n.Typ, p).SetZero()
	}
}
