package arenagrpc_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/harena-go/arena/contrib/arenagrpc"
	"google.golang.org/grpc"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/types/known/structpb"
)

// A server whose messages may be kept, though they are allocated together.
func ExampleCodec() {
	s := grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()))
	fmt.Println(len(s.GetServiceInfo()))
	// Output: 0
}

// TestCodec: a message doesn't change when its buffers are reused, and other values are refused.
func TestCodec(t *testing.T) {
	c := arenagrpc.Codec()
	want := structpb.NewStringValue("a value that is kept")
	data, err := c.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	flat := data.Materialize()
	for n := range flat { // in two parts
		first, second := bytes.Clone(flat[:n]), bytes.Clone(flat[n:])
		var got structpb.Value
		if err := c.Unmarshal(mem.BufferSlice{mem.SliceBuffer(first), mem.SliceBuffer(second)}, &got); err != nil {
			t.Fatal(err)
		}
		clear(first)
		clear(second)
		if got.GetStringValue() != want.GetStringValue() {
			t.Fatalf("%q", got.GetStringValue())
		}
	}
	if c.Name() != "proto" || c.Unmarshal(data, new(int)) == nil || c.Unmarshal(mem.BufferSlice{mem.SliceBuffer{8}}, want) == nil {
		t.Error("it takes what isn't a message")
	}
}
