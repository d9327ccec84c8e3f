package arenaproto

import (
	"strings"

	"github.com/harena-go/arena"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// This file copies messages out of an arena, and encodes them to one.

// Clone returns a deep copy of m on the Go heap, which may outlive the arena. proto.Clone isn't enough:
// it shares strings with the original. A nil m or a nil pointer is returned unchanged.
func Clone[M proto.Message](m M) M {
	if any(m) == nil || !m.ProtoReflect().IsValid() {
		return m
	}
	c := proto.Clone(m)
	cloneStrings(c.ProtoReflect())
	return c.(M)
}

// cloneStrings replaces all strings in m, and in messages below it, by copies. m is a copy by proto.Clone,
// which has copied the rest: bytes, unknown fields, lists and maps.
func cloneStrings(m protoreflect.Message) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		text, message := fd.Kind() == protoreflect.StringKind, fd.Message() != nil
		switch {
		case fd.IsMap():
			cloneMap(fd, v.Map())
		case fd.IsList() && (text || message):
			for l, i := v.List(), 0; i < l.Len(); i++ {
				if message {
					cloneStrings(l.Get(i).Message())
				} else {
					l.Set(i, cloneString(l.Get(i)))
				}
			}
		case message:
			cloneStrings(v.Message())
		case text:
			m.Set(fd, cloneString(v))
		}
		return true
	})
}

// cloneString returns a copy of a string.
func cloneString(v protoreflect.Value) protoreflect.Value {
	return protoreflect.ValueOfString(strings.Clone(v.String()))
}

// cloneMap is cloneStrings for the entries of a map. An entry whose key is a string is removed, and stored
// again with a copy of the key. The entries are listed first, since the map would change while it is ranged
// over.
func cloneMap(fd protoreflect.FieldDescriptor, m protoreflect.Map) {
	textKey, textValue := fd.MapKey().Kind() == protoreflect.StringKind, fd.MapValue().Kind() == protoreflect.StringKind
	message := fd.MapValue().Message() != nil
	if !textKey && !textValue && !message {
		return
	}
	type entry struct {
		key   protoreflect.MapKey
		value protoreflect.Value
	}
	entries := make([]entry, 0, m.Len())
	m.Range(func(k protoreflect.MapKey, v protoreflect.Value) bool {
		entries = append(entries, entry{k, v})
		return true
	})
	for _, e := range entries {
		if textKey {
			m.Clear(e.key)
			e.key = cloneString(e.key.Value()).MapKey()
		}
		if textValue {
			e.value = cloneString(e.value)
		} else if message {
			cloneStrings(e.value.Message())
		}
		m.Set(e.key, e.value)
	}
}

// CloneIn returns a deep copy of m in the arena, which shares nothing with m. As in a decoded message, empty lists,
// maps and bytes are nil, unless the field distinguishes empty from absent. A nil arena is the Go heap; a nil m gives
// nil. It returns the error of proto.Marshal if a string isn't UTF-8, and a *[arena.LimitError] if the arena's budget
// doesn't allow for the copy.
func CloneIn[T any, P interface {
	*T
	proto.Message
}](a *arena.Arena, m P) (P, error) {
	if m == nil {
		return nil, nil
	}
	c, err := newIn[T](a)
	if err == nil {
		err = Merge(a, P(c), m)
	}
	if err != nil {
		return nil, err
	}
	return P(c), nil
}

// Merge adds a deep copy of src to dst as proto.Merge does: fields that src has replace those of dst, lists are
// appended, maps and messages are merged. The copy is in the arena. Merge returns the errors of [CloneIn]; dst may then
// have a part of src. It panics if the types differ.
func Merge(a *arena.Arena, dst, src proto.Message) error {
	if dst.ProtoReflect().Descriptor() != src.ProtoReflect().Descriptor() {
		panic("arenaproto: Merge: the messages are of different types")
	}
	// Strings and bytes of the copy are parts of the wire format, so they take no other memory.
	b, err := AppendMarshal(a, src, proto.MarshalOptions{AllowPartial: true})
	if err != nil {
		return err
	}
	return UnmarshalOptions{Merge: true, AllowPartial: true, AliasBuffer: true}.Unmarshal(a, b, dst)
}

// AppendMarshal returns m in the wire format, in memory of the arena of exactly that size. The last of several options
// counts, without its UseCachedSize. It returns the errors of proto.Marshal, and a *[arena.LimitError] if the arena's
// budget doesn't allow for it. It panics if the arena was freed.
func AppendMarshal(a *arena.Arena, m proto.Message, options ...proto.MarshalOptions) (b []byte, err error) {
	defer arena.RecoverLimit(&err)
	var o proto.MarshalOptions
	if len(options) > 0 {
		o = options[len(options)-1]
	}
	o.UseCachedSize = true
	n := proto.Size(m)
	if n == 0 {
		return o.Marshal(m) // required fields may be missing
	}
	// Size has counted the bytes, and left its result in the messages for MarshalAppend.
	buf := a.AllocBytesUninit(n)
	return o.MarshalAppend(buf[:0], m)
}
