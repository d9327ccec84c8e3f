package decode

import (
	"reflect"
	"unsafe"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/arenajson/internal/mem"
	"github.com/harena-go/arena/arenajson/internal/plan"
	"github.com/harena-go/arena/internal/engine/smallmap"
)

// This file makes new maps.

// makeMap makes the map at p, for count entries: in the arena if maps of its type can be there, and
// then the runtime moves it to the Go heap when it outgrows its memory. A self-contained arena must
// keep maps on the heap alive.
func (d *decoder) makeMap(n *plan.Node, s *plan.Small, p unsafe.Pointer, count int) {
	if m := d.newMap(s, count); m != nil {
		mem.Set(p, m) // a map is a pointer
	} else {
		mem.Value(n.Type, p).Set(reflect.MakeMapWithSize(n.Type, count))
	}
	if d.a.SelfContained() {
		d.a.KeepAlive(mem.Value(n.Type, p).Interface())
	}
}

// newMap returns a new map with room for count entries, or nil if it can't be in an arena.
func (d *decoder) newMap(s *plan.Small, count int) unsafe.Pointer {
	switch {
	case s == nil:
		return nil
	case count <= smallmap.Most:
		return d.newSmall(s)
	case !s.Tables() || count > smallmap.MostInTable:
		return nil
	}
	a, groups := d.mapArena(), smallmap.Groups(count)
	p := s.Head.New(a)
	s.BeginTable(p, s.Group.MakeSlice(a, groups), groups)
	return p
}

// mapArena returns the arena for new maps: nil, the Go heap, for a self-contained arena, which
// would hide a map's later memory from the GC.
func (d *decoder) mapArena() *arena.Arena {
	if d.a.SelfContained() {
		return nil
	}
	return d.a
}

// newSmall returns a new map of a type with small maps.
func (d *decoder) newSmall(s *plan.Small) unsafe.Pointer {
	p := s.Key.New(d.mapArena())
	if d.at == nil {
		d.beginKeys()
	}
	s.BeginWith(p, d.keys.seed)
	return p
}
