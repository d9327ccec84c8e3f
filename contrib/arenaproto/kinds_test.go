package arenaproto

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/harena-go/arena/contrib/arenaproto/internal/compile"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/opaque"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/three"
	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/two"
	"google.golang.org/protobuf/reflect/protoreflect"
)

// TestKinds: the tests' types have fields of each kind in each shape that their syntax allows, so comparing
// them with the official runtime covers all.
func TestKinds(t *testing.T) {
	const keys = "bool int32 sint32 uint32 int64 sint64 uint64 sfixed32 fixed32 sfixed64 fixed64"
	const numbers = keys + " float double enum"
	const values = numbers + " string bytes message"
	for file, want := range map[protoreflect.FileDescriptor]map[string]string{
		two.File_two_proto: {"optional": values + " group", "required": "int32 string", "packed": numbers, "expanded": values + " group", "oneof": values + " group",
			"key": keys + " string", "value": values, "extension": "int32 string message", "default": "string enum", "closed": "enum", "any text": "string"},
		three.File_three_proto: {"optional": values, "implicit": numbers + " string bytes", "packed": numbers, "expanded": values, "oneof": values,
			"key": keys + " string", "value": values},
		opaque.File_opaque_proto: {"optional": values + " group", "implicit": strings.TrimSuffix(numbers, " enum") + " string bytes", "packed": numbers,
			"expanded": values + " group", "oneof": values + " group", "key": keys + " string", "value": values, "lazy optional": "message", "lazy repeated": "message", "any text": "string"},
	} {
		got := shapes{}
		got.messages(file.Messages())
		for i := range file.Extensions().Len() {
			got.add("extension", file.Extensions().Get(i))
		}
		for shape, kinds := range want {
			sorted := slices.Sorted(strings.FieldsSeq(kinds))
			if have := slices.Sorted(maps.Keys(got[shape])); !slices.Equal(have, sorted) {
				t.Errorf("%s, %s: fields of the kinds %v, not %v", file.Path(), shape, have, sorted)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s has the shapes %v", file.Path(), slices.Sorted(maps.Keys(got)))
		}
	}
}

// shapes holds the kinds of fields by shape.
type shapes map[string]map[string]bool

func (s shapes) add(shape string, fd protoreflect.FieldDescriptor) {
	if s[shape] == nil {
		s[shape] = map[string]bool{}
	}
	s[shape][fd.Kind().String()] = true
}

// messages adds all fields of messages, and of messages within them.
func (s shapes) messages(mds protoreflect.MessageDescriptors) {
	for i := range mds.Len() {
		md := mds.Get(i)
		if md.IsMapEntry() {
			continue
		}
		s.messages(md.Messages())
		for k := range md.Fields().Len() {
			s.field(md.Fields().Get(k))
		}
	}
}

// field adds a field by all shapes that it has.
func (s shapes) field(fd protoreflect.FieldDescriptor) {
	oneof := fd.ContainingOneof()
	switch {
	case fd.IsMap():
		s.add("key", fd.MapKey())
		s.add("value", fd.MapValue())
		return
	case fd.IsPacked():
		s.add("packed", fd)
	case fd.IsList():
		s.add("expanded", fd)
	case oneof != nil && !oneof.IsSynthetic():
		s.add("oneof", fd)
	case fd.Cardinality() == protoreflect.Required:
		s.add("required", fd)
	case fd.HasPresence():
		s.add("optional", fd)
	default:
		s.add("implicit", fd)
	}
	switch {
	case compile.IsLazy(fd):
		s.add("lazy "+fd.Cardinality().String(), fd)
	case fd.HasDefault():
		s.add("default", fd)
	}
	if fd.Enum() != nil && fd.Enum().IsClosed() {
		s.add("closed", fd)
	}
	if fd.Kind() == protoreflect.StringKind && !compile.EnforcesUTF8(fd) {
		s.add("any text", fd)
	}
}
