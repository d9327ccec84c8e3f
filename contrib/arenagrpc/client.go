package arenagrpc

import (
	"context"
	"errors"
	"sync"

	"github.com/harena-go/arena"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/proto"
)

// This file holds the API for clients.

// Invoke calls a unary method, such as "/shop.Orders/Create", or its generated constant. It returns the reply, which is
// entirely in the arena:
//
//	reply, err := arenagrpc.Invoke[pb.Order](ctx, conn, pb.Orders_Create_FullMethodName, req, a)
//
// Reply and arena belong to the caller: the arena isn't reset. A nil arena is the Go heap, which is also used while
// grpc.EnableTracing is set. If the reply exceeds the arena's budget, the error has the code ResourceExhausted and
// wraps the *arena.LimitError. The arena must not be used until Invoke returns. Invoke sets the codec, so opts must
// not. Interceptors of the connection see the reply and must not keep it. If one doesn't wait for the reply, it is
// not decoded.
func Invoke[T any, P interface {
	*T
	proto.Message
}](
	ctx context.Context, cc grpc.ClientConnInterface, method string, req proto.Message, a *arena.Arena,
	opts ...grpc.CallOption,
) (P, error) {
	if grpc.EnableTracing {
		a = nil
	}
	reply, err := newIn[T](a)
	if err != nil {
		return nil, err
	}
	c := &clientCodec{CodecV2: encoding.GetCodecV2("proto"), arena: a, reply: P(reply)}
	err = cc.Invoke(ctx, method, req, P(reply), append(opts[:len(opts):len(opts)], grpc.ForceCodecV2(c))...)
	if limit := c.end(); limit != nil {
		return nil, limit
	}
	if err != nil {
		return nil, err
	}
	return P(reply), nil
}

// newIn is arena.New, but returns an error if the budget is exceeded.
func newIn[T any](a *arena.Arena) (v *T, err error) {
	defer func() {
		var e *arena.LimitError
		if errors.As(err, &e) {
			err = &limitError{e}
		}
	}()
	defer arena.RecoverLimit(&err)
	return arena.New[T](a), nil
}

// errLate is the error for a reply that comes after Invoke has returned.
var errLate = errors.New("arenagrpc: Invoke has returned")

// A clientCodec decodes one reply into an arena.
type clientCodec struct {
	encoding.CodecV2
	arena *arena.Arena
	reply proto.Message

	mu    sync.Mutex // held while the reply is decoded
	ended bool       // Invoke has returned: the arena is its caller's, though an interceptor may not have waited
	limit error      // the reply has exceeded the budget
}

// end ends decoding, and returns limit.
func (c *clientCodec) end() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = true
	return c.limit
}

// Unmarshal decodes the reply, or another message that an interceptor receives.
func (c *clientCodec) Unmarshal(data mem.BufferSlice, v any) error {
	m, ok := keyed(v)
	if !ok || m != c.reply {
		return c.CodecV2.Unmarshal(data, v)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended {
		return errLate
	}
	c.limit = nil
	err := decode(c.arena, data, m)
	if e, ok := err.(*arena.LimitError); ok {
		c.limit = &limitError{e}
		return c.limit
	}
	return err
}
