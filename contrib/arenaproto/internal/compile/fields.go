package compile

import (
	"reflect"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/contrib/arenaproto/internal/mem"
	"github.com/harena-go/arena/contrib/arenaproto/internal/plan"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// This file plans the fields of messages, each by its descriptor and its type in the struct. The functions
// return the reason to leave a field to the official runtime, or "".

// fill fills in the op of a field. A field of the opaque API has a presence bit unless it is a message that isn't
// lazy.
func (b *builder) fill(f *plan.Op, fd protoreflect.FieldDescriptor) string {
	// t is the type of the value. In a oneof it isn't that of the struct's field, which is an interface.
	// An optional field of proto3 is a oneof by its descriptor only.
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
		f.Present = fd.Message() == nil || IsLazy(fd)
	}
	if !ok {
		return "the struct has no such field"
	}
	// Presence bits are in words of 32.
	f.Off, f.Part = sf.Offset, b.bits+uintptr(f.Bit/32)*4
	if f.Present && !b.hasBits {
		return "the struct has no presence bits"
	}
	if f.Present && f.Bit/32*4+4 > uint32(b.bitsSize()) {
		return "the struct has too few presence bits"
	}
	if f.Present && RaceEnabled { // the message then has pointers to the heap beside its fields
		b.pl.HeapOnly = true
	}
	// The rest depends on the value's form in memory.
	switch {
	case fd.IsMap():
		return b.fillMap(f, fd, t)
	case fd.Message() != nil:
		return b.fillMessage(f, fd, t)
	case fd.IsList():
		return b.fillList(f, fd, t)
	}
	// A nil pointer to a scalar means that the field is absent.
	if t.Kind() == reflect.Pointer {
		if real {
			return "its type is " + t.String()
		}
		t = t.Elem()
		f.Indirect, f.At = plan.Boxed, arena.KeyOf(t)
	}
	return fillScalar(f, fd, t, real || fd.HasPresence())
}

// bitsSize returns the number of bytes for presence bits.
func (b *builder) bitsSize() uintptr {
	f, _ := b.pl.Typ.FieldByName("XXX_presence")
	return f.Type.Size()
}

// IsLazy reports whether the official runtime may leave a field for later.
func IsLazy(fd protoreflect.FieldDescriptor) bool {
	l, ok := fd.(interface{ IsLazy() bool })
	return ok && l.IsLazy()
}

// wrap plans a field that the interface of a oneof holds. It returns the field's type in its wrapper.
func (b *builder) wrap(f *plan.Op, sf reflect.StructField, fd protoreflect.FieldDescriptor) (reflect.Type, bool) {
	w := b.wrappers[fd.Number()]
	if w == nil || sf.Type.Kind() != reflect.Interface || sf.Type.NumMethod() == 0 ||
		!reflect.PointerTo(w).Implements(sf.Type) {
		return nil, false
	}
	return w.Field(0).Type, hold(f, sf.Type, w)
}

// hold plans a value in a wrapper w, to which an interface of type holding points. It checks whether such an
// interface has the layout that package mem assumes (fact C), and returns false if not.
func hold(f *plan.Op, holding, w reflect.Type) bool {
	holder, held := reflect.New(holding), reflect.New(w)
	holder.Elem().Set(held)
	// The wrapper's only field must be at its start: the decoder stores the value at the wrapper's address.
	f.Word = mem.WordAt(holder.UnsafePointer())
	f.Indirect, f.At = plan.Wrapped, arena.KeyOf(w)
	return mem.Held(holder.UnsafePointer(), f.Word) == held.UnsafePointer() && w.Field(0).Offset == 0
}

// GoKinds has the Go kinds for protobuf's, and the plans' kinds. Signed and unsigned numbers, and floats, of one
// size and encoding are stored alike.
var GoKinds = map[protoreflect.Kind]struct {
	goKind reflect.Kind
	Kind   plan.Kind
}{
	protoreflect.BoolKind:     {reflect.Bool, plan.KindBool},
	protoreflect.EnumKind:     {reflect.Int32, plan.KindInt32},
	protoreflect.Int32Kind:    {reflect.Int32, plan.KindInt32},
	protoreflect.Sint32Kind:   {reflect.Int32, plan.KindSint32},
	protoreflect.Uint32Kind:   {reflect.Uint32, plan.KindInt32},
	protoreflect.Int64Kind:    {reflect.Int64, plan.KindInt64},
	protoreflect.Sint64Kind:   {reflect.Int64, plan.KindSint64},
	protoreflect.Uint64Kind:   {reflect.Uint64, plan.KindInt64},
	protoreflect.Sfixed32Kind: {reflect.Int32, plan.KindFixed32},
	protoreflect.Fixed32Kind:  {reflect.Uint32, plan.KindFixed32},
	protoreflect.FloatKind:    {reflect.Float32, plan.KindFixed32},
	protoreflect.Sfixed64Kind: {reflect.Int64, plan.KindFixed64},
	protoreflect.Fixed64Kind:  {reflect.Uint64, plan.KindFixed64},
	protoreflect.DoubleKind:   {reflect.Float64, plan.KindFixed64},
	protoreflect.StringKind:   {reflect.String, plan.KindString},
	protoreflect.BytesKind:    {reflect.Slice, plan.KindBytes},
}

// fillScalar plans a single value that isn't a message, of a Go type. nonNil means that empty bytes aren't nil.
func fillScalar(f *plan.Op, fd protoreflect.FieldDescriptor, t reflect.Type, nonNil bool) string {
	k, ok := GoKinds[fd.Kind()]
	if !ok || k.goKind != t.Kind() || t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8 {
		return "its type is " + t.String()
	}
	f.Kind, f.Scalar, f.Size = k.Kind, k.Kind, uint8(t.Size())
	f.Check = fd.Kind() == protoreflect.StringKind && EnforcesUTF8(fd)
	f.Empty = nonNil
	return ""
}

// EnforcesUTF8 reports whether the official runtime requires strings of a field to be UTF-8. If that changes, the
// comparison of the plan with the runtime fails.
func EnforcesUTF8(fd protoreflect.FieldDescriptor) bool {
	// With editions it is a feature of the field. Otherwise, proto3 requires it and proto2 doesn't.
	if fd.Syntax() == protoreflect.Editions {
		if e, ok := fd.(interface{ EnforceUTF8() bool }); ok {
			return e.EnforceUTF8()
		}
	}
	return fd.Syntax() == protoreflect.Proto3
}

// fillMessage plans messages and lists of them. The opaque API has a pointer to a list.
func (b *builder) fillMessage(f *plan.Op, fd protoreflect.FieldDescriptor, t reflect.Type) string {
	group := fd.Kind() == protoreflect.GroupKind
	if f.Kind = plan.KindMessage; group {
		f.Kind = plan.KindGroup
	}
	if fd.IsList() {
		if f.Kind = plan.KindMessages; group {
			f.Kind = plan.KindGroups
		}
		if b.opaque && t.Kind() == reflect.Pointer {
			t = t.Elem()
			f.Indirect, f.At = plan.Boxed, arena.KeyOf(t)
		}
		if t.Kind() != reflect.Slice {
			return "its type is " + t.String()
		}
		t = t.Elem()
		f.Elem = arena.KeyOf(t)
	}
	if t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return "its type is " + t.String()
	}
	// The plan of the message may be unfinished if messages nest in a cycle.
	f.Sub = b.c.plan(t.Elem(), messageInfo(t.Elem()))
	f.Block, f.Stride = arena.KeyOf(t.Elem()), t.Elem().Size()
	if f.Sub.Official == "" && f.Sub.Desc.FullName() != fd.Message().FullName() {
		return "its type is that of " + string(f.Sub.Desc.FullName())
	}
	// A lazy field is read by its inner op, unless the official runtime has left it for later.
	if f.Present {
		inner := *f
		*f = plan.Op{Kind: plan.KindLazy, Num: f.Num, Field: f.Field, Required: f.Required, Off: f.Off,
			Present: true, Bit: f.Bit, Part: f.Part, Sub: f.Sub, Inner: &inner}
	}
	return ""
}

// fillList plans lists of scalars. Lists of numbers are planned in the form that isn't packed; Plan.Add derives
// the packed form.
func (b *builder) fillList(f *plan.Op, fd protoreflect.FieldDescriptor, t reflect.Type) string {
	if t.Kind() != reflect.Slice {
		return "its type is " + t.String()
	}
	if why := fillScalar(f, fd, t.Elem(), true); why != "" {
		return why
	}
	// Lists have no presence bits, in any API.
	f.Elem, f.Present = arena.KeyOf(t.Elem()), false
	switch f.Scalar {
	case plan.KindString:
		f.Kind = plan.KindStrings
	case plan.KindBytes:
		f.Kind = plan.KindByteses
	case plan.KindFixed32, plan.KindFixed64:
		f.Kind = plan.KindFixeds
	default:
		f.Kind = plan.KindVarints
	}
	return ""
}

// fillMap plans a map. Its key is field 1 of an entry, its value field 2.
func (b *builder) fillMap(f *plan.Op, fd protoreflect.FieldDescriptor, t reflect.Type) string {
	if t.Kind() != reflect.Map {
		return "its type is " + t.String()
	}
	m := plan.NewMapPlan(t)
	key, val := &plan.Op{Num: 1, Field: "key"}, m.Value
	if why := fillScalar(key, fd.MapKey(), t.Key(), false); why != "" {
		return "of its keys: " + why
	}
	v := fd.MapValue()
	switch {
	case v.Kind() == protoreflect.GroupKind:
		return "its values are groups"
	case v.Message() != nil:
		if why := b.fillMessage(val, v, t.Elem()); why != "" {
			return "of its values: " + why
		}
		f.Sub = val.Sub
	default:
		if why := fillScalar(val, v, t.Elem(), true); why != "" {
			return "of its values: " + why
		}
	}
	m.Cell.Add(key)
	m.Cell.Add(val)
	f.Kind, f.Entry = plan.KindMap, m
	return ""
}
