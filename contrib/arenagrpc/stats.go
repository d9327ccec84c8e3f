package arenagrpc

import (
	"context"
	"sync/atomic"

	"google.golang.org/grpc/stats"
)

// This file ends RPCs for AtEnd.

// statsHandler puts arenas back at an RPC's End.
type statsHandler struct{}

// A tag is in the context of an RPC before there is a call, as End comes with that context. At End its call is ended.
type tag struct{ call atomic.Pointer[call] }

var ended call

type tagKey struct{}

// tag leaves the end of the call to the statsHandler.
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
