package plan

import (
	"reflect"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/smallmap"
)

// This file holds what plans of Go maps have so that small ones can be in an arena.

// A Small is how maps of one type with at most eight entries lie in an arena.
type Small struct {
	*smallmap.Layout
	Key         arena.TypeKey // of what holds a map
	Head, Group arena.TypeKey // of what holds one with a table, if there are such maps
}

// smallOf returns what finds that out for a type of maps, which takes 0.2 ms the first time: only what is
// read needs it. It returns nil if there are no such maps.
func smallOf(t reflect.Type) func() *Small {
	return sync.OnceValue(func() *Small {
		l := smallmap.Of(t)
		if l == nil {
			return nil
		}
		s := &Small{Layout: l, Key: arena.KeyOf(l.Type())}
		if l.Tables() {
			s.Head, s.Group = arena.KeyOf(l.HeadType()), arena.KeyOf(l.GroupType())
		}
		return s
	})
}
