package arenagrpc

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// This file ends RPCs for AtEnd.

// statsHandler puts the arena back at an RPC's End.
type statsHandler struct{}

// A tag is in the RPC's original context, which End gets: it leads to the call. At End the call is replaced by ended.
type tag struct{ call atomic.Pointer[call] }

var ended call

type tagKey struct{}

// tag lets the statsHandler end the call.
func (c *call) tag() {
	if !c.server.atEnd {
		return
	}
	if t, ok := c.Context.Value(tagKey{}).(*tag); ok {
		c.late = t.call.CompareAndSwap(nil, c)
	}
}

func (statsHandler) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, tagKey{}, new(tag))
}

func (statsHandler) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if end, ok := s.(*stats.End); ok {
		if t, ok := ctx.Value(tagKey{}).(*tag); ok {
			if c := t.call.Swap(&ended); c != nil {
				c.release(end.Error)
			}
		}
	}
}

func (statsHandler) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (statsHandler) HandleConn(context.Context, stats.ConnStats) {}
