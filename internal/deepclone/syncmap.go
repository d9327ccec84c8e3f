package deepclone

import (
	"reflect"
	"sync"
	"unsafe"
)

// A syncMapClone is a sync.Map in the making. The source's entries are in slices of the
// cloner, which are surveyed and rewritten in place.
type syncMapClone struct {
	src          *sync.Map
	dst          []*sync.Map // one, but for views by unsafe code
	keys, values []any
}

// reachSyncMap is reach for a sync.Map itself, which lies at p.
func (c *cloner) reachSyncMap(p unsafe.Pointer) uint32 {
	m := (*sync.Map)(p)
	if reflect.ValueOf(m).Elem().IsZero() {
		return edgeKeep // since ranging over it would write to it
	}
	edge, hash, found := c.find(p, syncMapShape, 1)
	if !found {
		number := uint32(len(c.syncMaps))
		c.syncMaps = append(c.syncMaps, syncMapClone{src: m})
		edge = c.add(span{src: p, shape: syncMapShape, n: 1, dst: p, spare: number}, hash)
		c.pending = append(c.pending, edge)
	}
	return edge
}

// survey takes the entries out of the source and makes them pending.
func (m *syncMapClone) survey(c *cloner) {
	m.src.Range(func(key, value any) bool {
		m.keys, m.values = append(m.keys, key), append(m.values, value)
		return true
	})
	shape := shapeOf(reflect.TypeFor[any]())
	c.own(shape, unsafe.Pointer(unsafe.SliceData(m.keys)), len(m.keys))
	c.own(shape, unsafe.Pointer(unsafe.SliceData(m.values)), len(m.values))
}

// fill makes new maps in the clones, which are bitwise copies of the source so far.
func (m *syncMapClone) fill() {
	for _, dst := range m.dst {
		*dst = sync.Map{}
		for i, key := range m.keys {
			dst.Store(key, m.values[i])
		}
	}
}
