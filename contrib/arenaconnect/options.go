package arenaconnect

import (
	"connectrpc.com/connect"
	"github.com/harena-go/arena"
)

// This file holds the options of handlers.

// A server is the common state of RPCs whose handlers have the same options.
type server struct {
	pool       *arena.Pool
	except     map[string]bool // procedures without an arena
	perMessage map[string]bool // streams whose messages have the arena one after the other
	allStreams bool            // all streams are in perMessage
}

// An Option changes what [HandlerOptions] does.
type Option func(*server)

// Except names procedures, such as "/shop.Orders/Create", that get no arena: their messages are on
// the Go heap, and arena.FromContext returns nil.
func Except(procedures ...string) Option {
	return func(s *server) { set(&s.except, procedures) }
}

// PerMessage names streaming procedures whose messages live only until the handler receives again,
// even if that returns no message: the arena is rewound then, so that a stream may go on for ever.
// Without names, it applies to all. It does nothing where the client sends a single message. Memory
// that the handler has allocated before it received the first message lives until the end. Without
// this option all messages of a stream live until its end, within the budget of one arena.
func PerMessage(procedures ...string) Option {
	return func(s *server) {
		set(&s.perMessage, procedures)
		s.allStreams = s.allStreams || len(procedures) == 0
	}
}

func set(m *map[string]bool, keys []string) {
	if *m == nil {
		*m = map[string]bool{}
	}
	for _, k := range keys {
		(*m)[k] = true
	}
}

// HandlerOptions returns the option for handlers whose requests are decoded into arenas of the
// pool, one for each RPC. The procedure's name is the key for [arena.Pool.GetKeyed]. This option
// must come before others: interceptors that come after it see decoded requests, those that come
// before it see empty ones. It sets the codec "proto", so no other option may set it. A nil pool
// means the Go heap.
//
// Any number of handlers may share the option. They must be served through [Middleware].
func HandlerOptions(pool *arena.Pool, opts ...Option) connect.HandlerOption {
	s := &server{pool: pool}
	for _, o := range opts {
		o(s)
	}
	return connect.WithHandlerOptions(connect.WithCodec(codec{}), connect.WithInterceptors(interceptor{s}))
}

// serves reports whether a procedure gets an arena.
func (s *server) serves(procedure string) bool { return s.pool != nil && !s.except[procedure] }
