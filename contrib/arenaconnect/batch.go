package arenaconnect

import (
	"connectrpc.com/connect"
	"github.com/harena-go/arena/contrib/arenaproto"
	"google.golang.org/protobuf/proto"
)

// Codec returns a codec that decodes messages with Batch of [arenaproto.UnmarshalOptions]: without arenas or
// middleware. Messages are ordinary ones that handlers and clients may keep. It replaces Connect's codec "proto";
// Connect's own codec decodes messages in JSON. Any number of handlers and clients may share a Codec:
//
//	shopconnect.NewOrdersHandler(orders, connect.WithCodec(arenaconnect.Codec()))
//	shopconnect.NewOrdersClient(http.DefaultClient, url, connect.WithCodec(arenaconnect.Codec()))
//
// Handlers with [HandlerOptions] have a codec of their own.
func Codec() connect.Codec { return batchCodec{} }

type batchCodec struct{ codec }

func (batchCodec) Unmarshal(data []byte, v any) error {
	m, ok := v.(proto.Message)
	if !ok {
		return notProto(v)
	}
	return arenaproto.UnmarshalOptions{Batch: true}.Unmarshal(nil, data, m)
}
