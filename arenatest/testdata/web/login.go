// Package web is the example of the README: a session that lives in a request's
// arena is kept for longer.
package web

import (
	"time"

	"github.com/harena-go/arena"
)

// A Session is what is known of a user who is logged in.
type Session struct {
	User   string
	Rights []string
	Since  time.Time
}

var sessions = map[string]*Session{}

func login(a *arena.Arena, user string) *Session {
	s := arena.New[Session](a)
	s.User = a.AllocString(user)
	s.Since = time.Now()
	sessions[user] = s // which outlives the arena
	return s
}
