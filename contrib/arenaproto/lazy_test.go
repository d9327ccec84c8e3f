package arenaproto

import (
	"testing"

	"github.com/harena-go/arena/contrib/arenaproto/internal/testpb/two"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/runtime/protoimpl"
	"google.golang.org/protobuf/types/descriptorpb"
)

// A lazy is a message with a lazy field whose messages have required fields, as protoc-gen-go would generate it for the
// opaque API.
type lazy struct {
	state                  protoimpl.MessageState `protogen:"opaque.v1"`
	xxx_hidden_One         *two.Required          `protobuf:"bytes,1,opt,name=one"`
	XXX_lazyUnmarshalInfo  protoimpl.LazyUnmarshalInfo
	XXX_raceDetectHookData protoimpl.RaceDetectHookData
	XXX_presence           [1]uint32
	unknownFields          protoimpl.UnknownFields
	sizeCache              protoimpl.SizeCache
}

func (m *lazy) Reset()                             { *m = lazy{} }
func (m *lazy) String() string                     { return protoimpl.X.MessageStringOf(m) }
func (m *lazy) ProtoMessage()                      {}
func (m *lazy) ProtoReflect() protoreflect.Message { return lazyInfo[0].MessageOf(m) }

var lazyInfo = make([]protoimpl.MessageInfo, 1)

func init() {
	f := new(descriptorpb.FileDescriptorProto)
	err := prototext.Unmarshal([]byte(`name: "lazy.proto" package: "arena.test.lazy" syntax: "proto2" dependency: "two.proto"
		message_type {name: "Lazy" field {name: "one" number: 1 type: TYPE_MESSAGE label: LABEL_OPTIONAL
			type_name: ".arena.test.two.Required" options {lazy: true}}}`), f)
	if err != nil {
		panic(err)
	}
	raw, err := proto.Marshal(f)
	if err != nil {
		panic(err)
	}
	protoimpl.TypeBuilder{
		File:              protoimpl.DescBuilder{GoPackagePath: "arenaproto", RawDescriptor: raw, NumMessages: 1},
		GoTypes:           []any{(*lazy)(nil), (*two.Required)(nil)},
		DependencyIndexes: []int32{1, 1, 1, 1, 1, 0},
		MessageInfos:      lazyInfo,
	}.Build()
}

// TestLazyRequired: a required field that is missing in a lazy one is overlooked, as by the official runtime, unless
// nothing is lazy.
func TestLazyRequired(t *testing.T) {
	for _, b := range [][]byte{field(1, "\x08\x01"), field(1, "\x08\x01\x12\x01x"), field(1, ""), append(field(1, "\x08\x01"), field(1, "\x12\x01x")...)} {
		for _, o := range []UnmarshalOptions{{}, {NoLazyDecoding: true}, {AllowPartial: true}} {
			want, got := new(lazy), new(lazy)
			wantErr := o.official().Unmarshal(b, want)
			err := o.Unmarshal(nil, b, got)
			if !sameError(err, wantErr) {
				t.Errorf("%x, %+v: %v instead of %v", b, o, err, wantErr)
			}
		}
	}
}
