package arenagrpc

import (
	"github.com/harena-go/arena/contrib/arenaproto"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// Codec returns a codec by which messages are decoded as with Batch of [arenaproto.UnmarshalOptions]: without arenas,
// interceptors, or anything to give back. Messages are ordinary ones that handlers and clients may keep. All else is
// done by the codec that is registered for "proto". Any number of servers and connections may share one:
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
