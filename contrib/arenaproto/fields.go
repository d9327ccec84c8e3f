package arenaproto

import (
	"reflect"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// This file holds what is done with a field, by its descriptor and the type that it has in the struct.

// leave leaves a field to the official runtime.
func (pl *plan) leave(f *op, why string) {
	*f = op{num: f.num, field: f.field, kind: kindForeign, indirect: foreign, required: f.required}
	pl.foreign = true
	pl.left = append(pl.left, Left{Field: f.field, Reason: why})
}

// fill fills in an op, or says why that can't be done.
func (b *builder) fill(f *op, fd protoreflect.FieldDescriptor) string {
	sf, ok := b.fields[fd.Number()]
	t := sf.Type
	oneof := fd.ContainingOneof()
	real := oneof != nil && !oneof.IsSynthetic()
	switch {
	case real:
		if sf, ok = b.oneofs[oneof.Name()]; ok {
			t, ok = b.wrap(f, sf, fd)
		}
	case !ok:
	case fd.IsMap():
	case b.opaque && (fd.Message() != nil || fd.HasPresence() && fd.Cardinality() != protoreflect.Repeated):
		f.present = fd.Message() == nil || isLazy(fd)
	}
	if !ok {
		return "the struct has no such field"
	}
	f.off, f.part = sf.Offset, b.bits+uintptr(f.bit/32)*4
	if f.present && !b.hasBits {
		return "the struct has no presence bits"
	}
	if f.present && f.bit/32*4+4 > uint32(b.bitsSize()) {
		return "the struct has too few presence bits"
	}
	if f.present && raceEnabled {
		b.pl.foreign = true
	}
	switch {
	case fd.IsMap():
		return b.fillMap(f, fd, t)
	case fd.Message() != nil:
		return b.fillMessage(f, fd, t)
	case fd.IsList():
		return b.fillList(f, fd, t)
	}
	if t.Kind() == reflect.Pointer {
		if real {
			return "its type is " + t.String()
		}
		t = t.Elem()
		f.indirect, f.at = boxed, arena.KeyOf(t)
	}
	return fillScalar(f, fd, t, real || fd.HasPresence())
}

func (b *builder) bitsSize() uintptr {
	f, _ := b.pl.typ.FieldByName("XXX_presence")
	return f.Type.Size()
}

func isLazy(fd protoreflect.FieldDescriptor) bool {
	l, ok := fd.(interface{ IsLazy() bool })
	return ok && l.IsLazy()
}

// wrap plans how the interface of a oneof holds a field, whose type in its wrapper it returns.
func (b *builder) wrap(f *op, sf reflect.StructField, fd protoreflect.FieldDescriptor) (reflect.Type, bool) {
	w := b.wrappers[fd.Number()]
	if w == nil || sf.Type.Kind() != reflect.Interface || sf.Type.NumMethod() == 0 || !reflect.PointerTo(w).Implements(sf.Type) {
		return nil, false
	}
	return w.Field(0).Type, f.wrap(sf.Type, w)
}

// wrap makes a value one in a wrapper that the interface of a oneof holds.
func (f *op) wrap(holding, w reflect.Type) bool {
	holder, held := reflect.New(holding), reflect.New(w)
	holder.Elem().Set(held)
	f.word = mem.WordAt(holder.UnsafePointer())
	f.indirect, f.at = wrapped, arena.KeyOf(w)
	return mem.Held(holder.UnsafePointer(), f.word) == held.UnsafePointer() && w.Field(0).Offset == 0
}

// goKinds are the kinds of Go types for those of protobuf, and what is done with them.
var goKinds = map[protoreflect.Kind]struct {
	goKind reflect.Kind
	kind   kind
}{
	protoreflect.BoolKind:     {reflect.Bool, kindBool},
	protoreflect.EnumKind:     {reflect.Int32, kindInt32},
	protoreflect.Int32Kind:    {reflect.Int32, kindInt32},
	protoreflect.Sint32Kind:   {reflect.Int32, kindSint32},
	protoreflect.Uint32Kind:   {reflect.Uint32, kindInt32},
	protoreflect.Int64Kind:    {reflect.Int64, kindInt64},
	protoreflect.Sint64Kind:   {reflect.Int64, kindSint64},
	protoreflect.Uint64Kind:   {reflect.Uint64, kindInt64},
	protoreflect.Sfixed32Kind: {reflect.Int32, kindFixed32},
	protoreflect.Fixed32Kind:  {reflect.Uint32, kindFixed32},
	protoreflect.FloatKind:    {reflect.Float32, kindFixed32},
	protoreflect.Sfixed64Kind: {reflect.Int64, kindFixed64},
	protoreflect.Fixed64Kind:  {reflect.Uint64, kindFixed64},
	protoreflect.DoubleKind:   {reflect.Float64, kindFixed64},
	protoreflect.StringKind:   {reflect.String, kindString},
	protoreflect.BytesKind:    {reflect.Slice, kindBytes},
}

// fillScalar plans a single value that is no message, of a Go type. nonNil says that bytes of
// length 0 aren't nil.
func fillScalar(f *op, fd protoreflect.FieldDescriptor, t reflect.Type, nonNil bool) string {
	k, ok := goKinds[fd.Kind()]
	if !ok || k.goKind != t.Kind() || t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 {
		return "its type is " + t.String()
	}
	f.kind, f.scalar, f.size = k.kind, k.kind, uint8(t.Size())
	f.check = fd.Kind() == protoreflect.StringKind && enforcesUTF8(fd)
	f.empty = nonNil
	return ""
}

// enforcesUTF8 says whether the official runtime wants strings of a field to be UTF-8. The comparison
// of the plan with it would notice a difference.
func enforcesUTF8(fd protoreflect.FieldDescriptor) bool {
	if fd.Syntax() == protoreflect.Editions {
		if e, ok := fd.(interface{ EnforceUTF8() bool }); ok {
			return e.EnforceUTF8()
		}
	}
	return fd.Syntax() == protoreflect.Proto3
}

// fillMessage plans messages and lists of them.
func (b *builder) fillMessage(f *op, fd protoreflect.FieldDescriptor, t reflect.Type) string {
	group := fd.Kind() == protoreflect.GroupKind
	if f.kind = kindMessage; group {
		f.kind = kindGroup
	}
	if fd.IsList() {
		if f.kind = kindMessages; group {
			f.kind = kindGroups
		}
		if b.opaque && t.Kind() == reflect.Pointer {
			t = t.Elem()
			f.indirect, f.at = boxed, arena.KeyOf(t)
		}
		if t.Kind() != reflect.Slice {
			return "its type is " + t.String()
		}
		t = t.Elem()
		f.elem = arena.KeyOf(t)
	}
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return "its type is " + t.String()
	}
	f.sub = b.c.plan(t.Elem(), messageInfo(t.Elem()))
	f.block, f.bytes = arena.KeyOf(t.Elem()), t.Elem().Size()
	if f.sub.official == "" && f.sub.desc.FullName() != fd.Message().FullName() {
		return "its type is that of " + string(f.sub.desc.FullName())
	}
	if f.present {
		inner := *f
		*f = op{kind: kindLazy, num: f.num, field: f.field, present: true, bit: f.bit, off: f.off, part: f.part,
			required: f.required, sub: f.sub, inner: &inner}
	}
	return ""
}

// fillList plans lists of what are no messages.
func (b *builder) fillList(f *op, fd protoreflect.FieldDescriptor, t reflect.Type) string {
	if t.Kind() != reflect.Slice {
		return "its type is " + t.String()
	}
	if why := fillScalar(f, fd, t.Elem(), true); why != "" {
		return why
	}
	f.elem, f.present = arena.KeyOf(t.Elem()), false
	switch f.scalar {
	case kindString:
		f.kind = kindStrings
	case kindBytes:
		f.kind = kindByteses
	case kindFixed32, kindFixed64:
		f.kind = kindFixeds
	default:
		f.kind = kindVarints
	}
	return ""
}
