package main

import (
	"math"

	"buf.build/go/hyperpb"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// hyperpbDecoder decodes with hyperpb, which has messages of its own: they are read only by reflection. With a profile
// the code for the type is made once more, for this input.
func hyperpbDecoder(in input, profile bool) decoder {
	if in.message == nil {
		return nil
	}
	typ := hyperpb.CompileMessageDescriptor(in.message.ProtoReflect().Descriptor())
	if profile {
		p := typ.NewProfile()
		for range 100 {
			if err := hyperpb.NewMessage(typ).Unmarshal(in.data, hyperpb.WithRecordProfile(p, 1)); err != nil {
				panic(err)
			}
		}
		typ = typ.Recompile(p)
	}
	r := newReader(typ.Descriptor())
	shared, used := new(hyperpb.Shared), false
	return func(data []byte) (readable, error) {
		if used {
			shared.Free()
		}
		used = true
		m := shared.NewMessage(typ)
		if err := m.Unmarshal(data); err != nil {
			return nil, err
		}
		return reflected{m, r}, nil
	}
}

// reflected is a message that is read by reflection.
type reflected struct {
	protoreflect.Message
	fields *reader
}

// Checksum adds up the contents of all fields, like the generated code.
func (m reflected) Checksum() uint64 { return m.fields.sum(m.Message) }

// A reader caches the fields of a message type, since looking them up takes longer than reading them.
type reader struct{ fields []fieldReader }

type fieldReader struct {
	protoreflect.FieldDescriptor
	number uint64
	kind   protoreflect.Kind
	list   bool
	entry  bool    // of a map
	ask    bool    // whether its presence is checked
	sub    *reader // of messages
}

func newReader(md protoreflect.MessageDescriptor) *reader {
	return readerOf(md, map[protoreflect.FullName]*reader{})
}

func readerOf(md protoreflect.MessageDescriptor, known map[protoreflect.FullName]*reader) *reader {
	if r := known[md.FullName()]; r != nil {
		return r
	}
	r := &reader{}
	known[md.FullName()] = r
	for i := range md.Fields().Len() {
		fd := md.Fields().Get(i)
		f := fieldReader{fd, uint64(fd.Number()), fd.Kind(), fd.IsList(), fd.IsMap(), fd.HasPresence(), nil}
		if fd.Message() != nil {
			f.sub = readerOf(fd.Message(), known)
		}
		r.fields = append(r.fields, f)
	}
	return r
}

func (r *reader) sum(m protoreflect.Message) (n uint64) {
	for i := range r.fields {
		f := &r.fields[i]
		if f.ask && !m.Has(f.FieldDescriptor) {
			continue
		}
		v := m.Get(f.FieldDescriptor)
		if f.entry {
			key, val := &f.sub.fields[0], &f.sub.fields[1]
			v.Map().Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
				n += key.number * key.value(k.Value()) * val.number * val.value(v)
				return true
			})
			continue
		}
		if !f.list {
			n += f.number * f.value(v)
			continue
		}
		l := v.List()
		for i := range l.Len() {
			n += f.number * f.value(l.Get(i))
		}
	}
	return n
}

// value returns the summand of a single value.
func (f *fieldReader) value(v protoreflect.Value) uint64 {
	switch f.kind {
	case protoreflect.MessageKind, protoreflect.GroupKind:
		return f.sub.sum(v.Message())
	case protoreflect.StringKind:
		return ofText(v.String())
	case protoreflect.BytesKind:
		return ofText(v.Bytes())
	case protoreflect.BoolKind:
		if v.Bool() {
			return 1
		}
		return 0
	case protoreflect.FloatKind:
		return uint64(math.Float32bits(float32(v.Float())))
	case protoreflect.DoubleKind:
		return math.Float64bits(v.Float())
	case protoreflect.EnumKind:
		return uint64(v.Enum())
	case protoreflect.Uint32Kind, protoreflect.Uint64Kind, protoreflect.Fixed32Kind, protoreflect.Fixed64Kind:
		return v.Uint()
	}
	return uint64(v.Int())
}

func ofText[T string | []byte](s T) uint64 {
	if len(s) == 0 {
		return 0
	}
	return uint64(len(s)) + uint64(s[len(s)-1])
}
