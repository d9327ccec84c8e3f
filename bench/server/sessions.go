package server

import "strconv"

// sessions are the other live objects of the process: a cache of sessions, found by their tokens and linked in the
// order of their last use. It is on the Go heap with all peers, and doesn't change during measurements.
type sessions struct {
	byToken        map[string]*session
	newest, oldest *session
}

// A session is five objects: itself, its token, its user, the user's name, and the basket.
type session struct {
	token        string
	user         *user
	basket       []int64 // numbers of items
	newer, older *session
	expires      int64
}

type user struct {
	name  string
	id    int64
	roles uint64
}

const objectsOfSession = 5

// newSessions makes a cache of about objects heap objects.
func newSessions(objects int) *sessions {
	n := objects / objectsOfSession
	c := &sessions{byToken: make(map[string]*session, n)}
	var b []byte
	for i := range n {
		b = strconv.AppendUint(append(b[:0], "session-"...), uint64(i)*0x9e3779b97f4a7c15, 36)
		s := &session{token: string(b), basket: make([]int64, 1+i%4), expires: int64(i)}
		b = strconv.AppendInt(append(b[:0], "user "...), int64(i), 10)
		s.user = &user{name: string(b), id: int64(i)}
		s.basket[0] = int64(i)
		c.byToken[s.token] = s
		if s.older = c.newest; s.older != nil {
			s.older.newer = s
		} else {
			c.oldest = s
		}
		c.newest = s
	}
	return c
}

// intact reports whether the cache is unchanged: with n sessions, all in order and each found by its token.
func (c *sessions) intact(objects int) bool {
	n := int64(0)
	for s := c.oldest; s != nil; s = s.newer {
		if s.user.id != n || s.basket[0] != n || c.byToken[s.token] != s {
			return false
		}
		n++
	}
	return int(n) == objects/objectsOfSession && len(c.byToken) == int(n)
}
