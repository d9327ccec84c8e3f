package decode

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"
	"google.golang.org/protobuf/runtime/protoiface"
)

// This file reads fields without an op: unknown fields, extensions, and fields left to the official runtime.

// other reads a field that has no op, or is left to the official runtime. Its tag is at start, its value at i.
//
//go:noinline
func (d *Decoder) other(pl *plan.Plan, p unsafe.Pointer, b []byte, start, i int, tag uint) int {
	num, typ := protowire.Number(tag>>3), protowire.Type(tag&7)
	if !num.IsValid() {
		return -1
	}
	if pl.Maps[num] && d.Depth == 0 {
		return -1 // the official runtime counts the level before it looks at the wire type
	}
	if d.isForeign(pl, tag) {
		return d.foreigns(pl, p, b, start, i, tag)
	}
	n := protowire.ConsumeFieldValue(num, typ, b[i:])
	if n < 0 {
		return -1
	}
	if !d.Discard && pl.Unknown {
		d.keepUnknown(pl, p, b, start, i, i+n, tag)
	}
	return i + n
}

// keepUnknown adds a field to the unknown fields of a message. Their bytes remain a part of the input as long as
// the fields are adjacent there, and become a copy at the first that isn't. A tag that is longer than
// necessary is encoded again.
func (d *Decoder) keepUnknown(pl *plan.Plan, p unsafe.Pointer, b []byte, start, i, end int, tag uint) {
	u := mem.At[[]byte](mem.Add(p, pl.UnknownAt))
	usual := protowire.SizeVarint(uint64(tag)) == i-start // otherwise the official runtime shortens it
	// The first field, one adjacent to the others, or one elsewhere.
	switch {
	case usual && len(*u) == 0 && cap(*u) == 0:
		*u = mem.Bytes(b, start, end-start)
	case usual && len(*u) <= start && unsafe.SliceData(*u) == unsafe.SliceData(b[start-len(*u):]):
		*u = mem.Bytes(b, start-len(*u), len(*u)+end-start)
	default:
		var t [10]byte
		*u = arena.Append(d.Arena, *u, protowire.AppendVarint(t[:0], uint64(tag))...)
		*u = arena.Append(d.Arena, *u, b[i:end]...)
	}
}

// isForeign reports whether a field, which may have no op, is left to the official runtime.
func (d *Decoder) isForeign(pl *plan.Plan, tag uint) bool {
	if f := pl.OpOf(tag); f != nil {
		return f.Indirect == plan.Foreign
	}
	num := protowire.Number(tag >> 3)
	return pl.Extensible && !pl.Known[num] && d.isExtension(pl, num)
}

// isExtension reports whether the resolver finds an extension of that number, or fails.
func (d *Decoder) isExtension(pl *plan.Plan, num protoreflect.FieldNumber) bool {
	r := d.Resolver
	if r == nil {
		r = protoregistry.GlobalTypes
	}
	_, err := r.FindExtensionByNumber(pl.Desc.FullName(), num)
	return err != protoregistry.NotFound
}

// foreign lets the official runtime decode a field. Its tag is at start, its value at i.
//
//go:noinline
func (d *Decoder) foreign(pl *plan.Plan, p unsafe.Pointer, b []byte, start, i int, tag uint, pending bool) int {
	n := protowire.ConsumeFieldValue(protowire.Number(tag>>3), protowire.Type(tag&7), b[i:])
	if n < 0 {
		return -1
	}
	return d.foreignField(pl, p, b[start:i+n], i+n, pending)
}

// foreigns is foreign for a field and the adjacent ones after it that are left to the official runtime too.
// They are decoded together, since calling that runtime takes longer than decoding a field.
func (d *Decoder) foreigns(pl *plan.Plan, p unsafe.Pointer, b []byte, start, i int, tag uint) int {
	end := i
	for last := tag; ; {
		n := protowire.ConsumeFieldValue(protowire.Number(tag>>3), protowire.Type(tag&7), b[end:])
		if n < 0 {
			return -1
		}
		end += n
		num, typ, n := protowire.ConsumeTag(b[end:])
		tag = uint(num)<<3 | uint(typ)
		if n < 0 || typ == protowire.EndGroupType || tag != last && !d.isForeign(pl, tag) {
			return d.foreignField(pl, p, b[start:end], end, false)
		}
		last = tag
		end += n
	}
}

// foreignField lets the official runtime merge one or more fields into the message at p, and returns end. The
// result is the same as decoding them with the others: decoding the concatenation of two messages merges
// them. pending means that the runtime has left this field's message for later. It must decode that first, and
// does so only if its options allow lazy decoding.
func (d *Decoder) foreignField(pl *plan.Plan, p unsafe.Pointer, field []byte, end int, pending bool) int {
	// The runtime counts the message itself as a level, which Depth has counted already.
	m := reflect.NewAt(pl.Typ, p).Interface().(proto.Message)
	o := proto.UnmarshalOptions{Merge: true, AllowPartial: true, DiscardUnknown: d.Discard, Resolver: d.Resolver,
		RecursionLimit: d.Depth + 1, NoLazyDecoding: !pending || d.NoLazy}
	out, err := o.UnmarshalState(protoiface.UnmarshalInput{Buf: field, Message: m.ProtoReflect()})
	if err != nil {
		return -1
	}
	// Required fields are checked once, at the end, in the whole message.
	if out.Flags&protoiface.UnmarshalInitialized == 0 {
		d.Check = true
	}
	return end
}
