package arenagrpc

import (
	"hash/maphash"
	"sync"

	"google.golang.org/protobuf/proto"
)

// This file passes an arena to the codec, which gets a message but no context. It must not depend on the contents of a
// call.
//
// The message itself is passed on, not a wrapper, since interceptors of streams and stats.Handlers need its type and
// methods.

// shards is the number of locks, with which RPCs hardly ever wait for each other.
const shards = 64

// pending has the calls of messages that are being received. Other messages are decoded onto the Go heap, so an
// interceptor may replace a message.
type pending struct {
	seed   maphash.Seed
	shards [shards]shard
}

type shard struct {
	mu    sync.Mutex
	calls map[proto.Message]*call
	_     [64 - 16]byte // one lock in each cache line
}

func (p *pending) init() {
	p.seed = maphash.MakeSeed()
	for i := range p.shards {
		p.shards[i].calls = map[proto.Message]*call{}
	}
}

func (p *pending) shard(m proto.Message) *shard {
	return &p.shards[maphash.Comparable(p.seed, m)%shards]
}

// add adds a message, and returns false if it is already there. Then another stream receives it too, which is the
// caller's mistake.
func (p *pending) add(m proto.Message, c *call) bool {
	s := p.shard(m)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.calls[m]; ok {
		return false
	}
	s.calls[m] = c
	return true
}

// find returns the call of a message, or nil. The message stays there: if a client sends two messages for a unary RPC,
// the second is decoded too.
func (p *pending) find(m proto.Message) *call {
	s := p.shard(m)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[m]
}

func (p *pending) remove(m proto.Message) {
	s := p.shard(m)
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, m)
}
