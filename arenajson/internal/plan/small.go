package plan

import (
	"reflect"
	"sync"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/internal/engine/smallmap"
)

// This file holds the layouts of small Go maps in an arena.

// A Small is the layout in an arena of small maps of one type, those with at most eight entries.
type Small struct {
	*smallmap.Layout
	Key         arena.TypeKey // of the memory of a map
	Head, Group arena.TypeKey // of the memory of a map with a table, if there are such maps
}

// smallOf returns a function that finds the layout for a type of maps, or nil if there is none.
// That takes 0.2 ms the first time, and only decoding needs it.
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
