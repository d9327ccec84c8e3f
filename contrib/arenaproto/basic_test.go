package arenaproto

import (
	"testing"

	"github.com/harena-go/arena"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protodesc"
	"google.golang.org/protobuf/types/descriptorpb"
	"google.golang.org/protobuf/types/known/structpb"
)

func TestBasics(t *testing.T) {
	s, err := structpb.NewStruct(map[string]any{"a": 1, "b": []any{"x", nil, true, map[string]any{"ü": 2.5}}})
	if err != nil {
		t.Fatal(err)
	}
	a := arena.NewArena()
	for _, m := range []proto.Message{s, protodesc.ToFileDescriptorProto(descriptorpb.File_google_protobuf_descriptor_proto)} {
		b, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		got := m.ProtoReflect().New().Interface()
		if err := Unmarshal(a, b, got); err != nil {
			t.Fatal(err)
		}
		if !identical(got, m) {
			t.Errorf("%v instead of %v", got, m)
		}
		pl, _ := planOfMessage(got)
		t.Log(pl.official, pl.left)
	}
}
