// Package web keeps values of arenas in variables of all kinds.
package web

import (
	"sync"

	"example/names/store"
)

type Session struct {
	User  string
	Items [3]*store.Item
	Next  *Session
}

type server struct {
	mu       sync.Mutex
	requests int
	config   struct {
		name   string
		latest *Session
	}
	sessions map[string]*Session
}

const shards = 4

type shard struct {
	sync.RWMutex
	last *Session
}

var (
	byUser         = map[string]*Session{}
	list           []*Session
	one            *Session
	main           server
	anything       any
	table          [8]*Session
	sharded        [shards]shard
	name           string
	cached, backup *Session
	first, second  *Session
	hidden, decoy  *Session
	ready          chan *Session
	hook           func() string
	seen           sync.Map
	created        = newServer()
	behind         = &server{}
	left, right    = new(Session), new(Session)
	twins          [2]struct{ left, right *Session }
	deep           = &struct{ inner *server }{&server{}}
)

func newServer() *server { return &server{sessions: map[string]*Session{}} }

func keepAddress(s *Session) {
	p := &main
	p.config.latest = s
}

func keepElement(i int, s *Session) {
	table[i] = s
}

func keepShard(i int, s *Session) {
	sh := &sharded[i%shards]
	sh.Lock()
	defer sh.Unlock()
	sh.last = s
}

func keepBoth(s *Session) {
	cached, backup = s, nil
}

// Backup is what tells the two apart.
//
//go:noinline
func Backup() *Session { return backup }

func keepInClosure() func(*Session) {
	one := new(Session) // hides the variable
	_ = one
	return func(s *Session) {
		list = append(
			list,
			s,
		)
	}
}

func generic[T any](to *T, v T) { *to = v }

// keepHidden stores to a variable at a line that mentions another one.
//
//go:noinline
func keepHidden(s *Session) {
	p := &hidden
	*p = choose(s, decoy)
}

//go:noinline
func choose(s, otherwise *Session) *Session {
	if s == nil {
		return otherwise
	}
	return s
}
