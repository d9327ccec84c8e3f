package arenagrpc

import (
	"github.com/harena-go/arena/contrib/arenaproto"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// Codec returns a codec that decodes messages with Batch of [arenaproto.UnmarshalOptions]: without arenas or
// interceptors. Messages are ordinary ones that handlers and clients may keep. The codec registered for "proto" does
// the rest. Any number of servers and connections may share a Codec:
//
//	grpc.NewServer(grpc.ForceServerCodecV2(arenagrpc.Codec()))
//	grpc.NewClient(target, grpc.WithDefaultCallOptions(grpc.ForceCodecV2(arenagrpc.Codec())))
func Codec() encoding.CodecV2 { return batchCodec{encoding.GetCodecV2("proto")} }

type batchCodec struct{ encoding.CodecV2 }

func (c batchCodec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return c.CodecV2.Unmarshal(data, v)
	}
	b := data.MaterializeToBuffer(mem.DefaultBufferPool())
	defer b.Free()
	return arenaproto.UnmarshalOptions{Batch: true}.Unmarshal(nil, b.ReadOnlyData(), m)
}
