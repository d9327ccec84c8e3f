package arenaconnect

import (
	"connectrpc.com/connect"
	"github.com/harena-go/arena/contrib/arenaproto"
	"google.golang.org/protobuf/proto"
)

// Codec returns a codec by which messages are decoded as with Batch of [arenaproto.UnmarshalOptions]: without arenas,
// middleware, or anything to give back. Messages are ordinary ones that handlers and clients may keep. It takes the
// place of Connect's codec "proto"; messages in JSON are Connect's. Any number of handlers and clients may share one:
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
