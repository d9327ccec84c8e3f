package arenagrpc

import (
	"context"

	"google.golang.org/grpc/stats"
)

// This file holds the end of an RPC as AtEnd wants it.

// statsHandler puts arenas back at an RPC's End.
type statsHandler struct{}

// A tag is in the context of an RPC before there is a call, as End comes with that one.
type tag struct{ call *call }

type tagKey struct{}

// tag has the call ended by the statsHandler.
func (c *call) tag() {
	if !c.server.atEnd {
		return
	}
	if t, ok := c.Context.Value(tagKey{}).(*tag); ok {
		t.call, c.late = c, true
	}
}

func (statsHandler) TagRPC(ctx context.Context, _ *stats.RPCTagInfo) context.Context {
	return context.WithValue(ctx, tagKey{}, new(tag))
}

func (statsHandler) HandleRPC(ctx context.Context, s stats.RPCStats) {
	if end, ok := s.(*stats.End); ok {
		if t, ok := ctx.Value(tagKey{}).(*tag); ok && t.call != nil {
			t.call.release(end.Error)
		}
	}
}

func (statsHandler) TagConn(ctx context.Context, _ *stats.ConnTagInfo) context.Context { return ctx }

func (statsHandler) HandleConn(context.Context, stats.ConnStats) {}
