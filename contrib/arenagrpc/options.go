package arenagrpc

import (
	"github.com/harena-go/arena"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	_ "google.golang.org/grpc/encoding/proto" // the codec below ours
)

// This file holds the options of a server.

// A server is the common state of a grpc.Server's RPCs.
type server struct {
	pool *arena.Pool
	base encoding.CodecV2

	except     map[string]bool // methods without an arena
	perMessage map[string]bool // streams whose messages have the arena one after the other
	allStreams bool            // all streams are in perMessage
	atEnd      bool            // arenas are put back at stats.End

	pending pending
}

// An Option changes what [ServerOptions] does.
type Option func(*server)

// Except names methods, such as "/shop.Orders/Create", that get no arena: their messages are on the Go heap, and
// arena.FromContext returns nil.
func Except(methods ...string) Option {
	return func(s *server) { set(&s.except, methods) }
}

// PerMessage names streaming methods whose messages live only until the handler receives again, even if that returns no
// message: the arena is rewound then, so that a stream may go on for ever. Without names, it applies to all. It does
// nothing where the client sends a single message. Memory that the handler has allocated before it received the first
// message lives until the end. Without this option all messages of a stream live until its end, within the budget of
// one arena.
func PerMessage(methods ...string) Option {
	return func(s *server) {
		set(&s.perMessage, methods)
		s.allStreams = s.allStreams || len(methods) == 0
	}
}

// AtEnd puts arenas back at the very end of an RPC, when a stats.Handler gets its End, and not as soon as a unary
// reply is encoded or the handler of a stream returns. Use it if a stats.Handler reads the replies in OutPayload,
// which are empty without it, or if an interceptor of streams uses messages after the handler has returned. It costs
// as much as a stats.Handler, some microseconds for each RPC.
func AtEnd() Option {
	return func(s *server) { s.atEnd = true }
}

// Base sets the codec for encoding, and for messages that aren't a proto.Message. Its name is used too. The default is
// gRPC's own. Messages in arenas are always decoded from the protobuf wire format.
func Base(c encoding.CodecV2) Option {
	return func(s *server) { s.base = c }
}

func set(m *map[string]bool, keys []string) {
	if *m == nil {
		*m = map[string]bool{}
	}
	for _, k := range keys {
		(*m)[k] = true
	}
}

// ServerOptions returns the options for a grpc.Server whose services decode requests into arenas of the pool, if they
// are registered with a [Registrar]. An arena is got for each RPC, with the method's name as the key for
// [arena.Pool.GetKeyed], and put back at its end. These options should come before others.
//
// The server then has one codec for all content-subtypes of clients: gRPC's own for protobuf, or that of [Base]. A nil
// pool means the Go heap.
func ServerOptions(pool *arena.Pool, opts ...Option) []grpc.ServerOption {
	s := &server{pool: pool, base: encoding.GetCodecV2("proto")}
	s.pending.init()
	for _, o := range opts {
		o(s)
	}
	options := []grpc.ServerOption{grpc.ForceServerCodecV2(codec{s})}
	if s.atEnd {
		options = append(options, grpc.StatsHandler(statsHandler{}))
	}
	return options
}

// serves reports whether a method gets an arena now. It doesn't while gRPC traces: traces keep messages and format them
// later.
func (s *server) serves(method string) bool {
	return s != nil && s.pool != nil && !grpc.EnableTracing && !s.except[method]
}
