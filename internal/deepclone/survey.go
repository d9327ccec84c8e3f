package deepclone

import (
	"reflect"
	"unsafe"
)

// survey finds all ranges that the value of shape s at root leads to. The latest pending
// range comes first, as its memory is likely to be near.
func (c *cloner) survey(s *typeShape, root unsafe.Pointer) {
	c.ranges.add(span{})                                   // edgeKeep
	c.ranges.add(span{dst: unsafe.Pointer(new(struct{}))}) // edgeNothing
	c.ranges.add(span{})                                   // edgeNil
	c.own(s, root, 1)
	for len(c.pending) > 0 {
		last := len(c.pending) - 1
		edge := c.pending[last]
		c.pending = c.pending[:last]
		r := *c.ranges.at(int(edge))
		switch r.shape {
		case mapShape:
			c.maps[r.spare].survey(c)
			continue
		case syncMapShape:
			c.syncMaps[r.spare].survey(c)
			continue
		}
		c.surveyed.add(edge)
		for k := range r.n {
			c.surveyValue(r.shape, unsafe.Add(r.src, uintptr(k)*r.shape.size)) // fact 11
		}
	}
}

// surveyValue adds an edge for each slot in the value of shape s at p.
func (c *cloner) surveyValue(s *typeShape, p unsafe.Pointer) {
	for i := range s.slots {
		slot := &s.slots[i]
		at := unsafe.Add(p, slot.offset) // fact 11
		switch slot.kind {
		case slotArray:
			for k := range slot.count {
				c.surveyValue(slot.elem, unsafe.Add(at, uintptr(k)*slot.elem.size)) // fact 11
			}
		case slotFresh:
		case slotHook:
			slot.elem.hook.Slices(at, c.reachHidden)
		case slotRefused:
			if (*reflect.Value)(at).IsValid() {
				c.refuse()
			}
		default:
			edge := c.follow(slot, at)
			c.edges.add(edge)
		}
	}
}

// follow returns the edge of the slot at address at, which is neither an array nor fresh.
// It reads words as fact 9 describes them, where the type has them.
func (c *cloner) follow(slot *slot, at unsafe.Pointer) uint32 {
	if c.owns != nil && c.foreign(slot, at) {
		return edgeKeep
	}
	switch slot.kind {
	case slotPointer:
		return c.reach(*(*unsafe.Pointer)(at), slot.elem.base, slot.elem.count)
	case slotSlice:
		s := (*sliceWords)(at)
		return c.reach(s.data, slot.elem.base, s.len*slot.elem.count)
	case slotString:
		s := *(*string)(at)
		return c.reach(unsafe.Pointer(unsafe.StringData(s)), slot.elem, len(s))
	case slotMap:
		return c.reachMap(*(*unsafe.Pointer)(at), slot.elem)
	case slotAny:
		return c.reachHeld(reflect.TypeOf(*(*any)(at)), at)
	case slotInterface:
		// The words are the same for all interfaces with methods; reflect relies on that too.
		return c.reachHeld(reflect.TypeOf(*(*interface{ M() })(at)), at)
	case slotSyncMap:
		return c.reachSyncMap(at)
	case slotLog:
		return c.reachLog(slot, at)
	default: // slotError
		return c.reachError(*(*unsafe.Pointer)(at), slot.elem)
	}
}

// foreign reports whether the slot leads to memory that isn't to be cloned, according to c.owns. It
// is false for maps, and for slices and interfaces whose values have pointers: they are usually on
// the heap, and yet may lead to owned memory.
func (c *cloner) foreign(slot *slot, at unsafe.Pointer) bool {
	switch slot.kind {
	case slotPointer, slotError:
		return !c.owns(*(*unsafe.Pointer)(at))
	case slotString:
		return !c.owns(unsafe.Pointer(unsafe.StringData(*(*string)(at))))
	case slotSlice:
		return len(slot.elem.slots) == 0 && !c.owns((*sliceWords)(at).data)
	}
	return false
}

// reachHeld returns the edge of an interface at address at, which holds a value of type t.
func (c *cloner) reachHeld(t reflect.Type, at unsafe.Pointer) uint32 {
	if t == nil {
		return edgeKeep
	}
	s := shapeOf(t)
	data := &(*interfaceWords)(at).data // fact 9
	switch {
	case !s.direct:
		return c.reach(*data, s.base, s.count)
	case len(s.slots) == 0:
		return edgeKeep
	case s.slots[0].kind == slotFresh:
		return edgeNil
	}
	return c.follow(&s.slots[0], unsafe.Pointer(data))
}

// reachError is reach for an *errors.errorString.
func (c *cloner) reachError(p unsafe.Pointer, s *typeShape) uint32 {
	if p == nil {
		return edgeKeep
	}
	if edge, _, found := c.find(p, s, 1); found {
		return edge
	}
	if _, _, found := c.find(p, keptShape, 1); found || globalError(p) {
		return c.reachKept(p)
	}
	return c.reach(p, s, 1)
}

// reach returns the range of n values of shape s at p, which is new or known.
//
// Slices, and arrays that are reached by pointers, may overlap in many ways, and a full survey of each would take
// quadratic time. So only the parts that no earlier one covers are surveyed, as ranges of their own.
func (c *cloner) reach(p unsafe.Pointer, s *typeShape, n int) uint32 {
	switch {
	case p == nil:
		return edgeKeep
	case n == 0 || s.size == 0:
		return edgeNothing
	}
	edge, hash, found := c.find(p, s, n)
	if found {
		return edge
	}
	edge = c.add(span{src: p, shape: s, n: n}, hash)
	switch {
	case len(s.slots) == 0:
	case n == 1 || c.inFull:
		c.pending = append(c.pending, edge)
	default:
		c.paint(edge)
	}
	return edge
}

// reachKept is reach for an object that stays where it is.
func (c *cloner) reachKept(p unsafe.Pointer) uint32 {
	edge, hash, found := c.find(p, keptShape, 1)
	if !found {
		edge = c.add(span{src: p, shape: keptShape, n: 1, dst: p}, hash)
	}
	return edge
}

// A mapClone is a map in the making. If entries have something to follow, keys and values
// have the source's entries in slices of the cloner, surveyed and rewritten in place.
type mapClone struct {
	shape        *typeShape
	src, dst     reflect.Value
	keys, values reflect.Value
}

// reachMap is reach for a map of shape s, which is one pointer. The type is not part of
// the look-up, since a map may have been converted to another type of map.
func (c *cloner) reachMap(p unsafe.Pointer, s *typeShape) uint32 {
	if p == nil {
		return edgeKeep
	}
	edge, hash, found := c.find(p, mapShape, 1)
	if found {
		return edge
	}
	variable := p
	src := reflect.NewAt(s.typ, unsafe.Pointer(&variable)).Elem() // fact 9
	dst := reflect.MakeMapWithSize(s.typ, src.Len())
	number := len(c.maps)
	c.maps = append(c.maps, mapClone{shape: s, src: src, dst: dst})
	edge = c.add(span{
		src: p, shape: mapShape, n: 1, dst: dst.UnsafePointer(), spare: uint32(number),
	}, hash)
	if len(s.key.slots)+len(s.value.slots) > 0 {
		c.pending = append(c.pending, edge)
	}
	return edge
}

// survey takes the entries out of the source and makes them pending.
func (m *mapClone) survey(c *cloner) {
	n := m.src.Len()
	m.keys = reflect.MakeSlice(reflect.SliceOf(m.shape.key.typ), n, n)
	m.values = reflect.MakeSlice(reflect.SliceOf(m.shape.value.typ), n, n)
	for i, entries := 0, m.src.MapRange(); i < n && entries.Next(); i++ {
		m.keys.Index(i).SetIterKey(entries)
		m.values.Index(i).SetIterValue(entries)
	}
	c.own(m.shape.key, m.keys.UnsafePointer(), n)
	c.own(m.shape.value, m.values.UnsafePointer(), n)
}

// fill puts the entries into the clone.
func (m *mapClone) fill() {
	if m.keys.IsValid() {
		for i := range m.keys.Len() {
			m.dst.SetMapIndex(m.keys.Index(i), m.values.Index(i))
		}
		return
	}
	key := reflect.New(m.shape.key.typ).Elem()
	value := reflect.New(m.shape.value.typ).Elem()
	for entries := m.src.MapRange(); entries.Next(); {
		key.SetIterKey(entries)
		value.SetIterValue(entries)
		m.dst.SetMapIndex(key, value)
	}
}

// own adds a range of memory that belongs to the cloner and is rewritten in place.
func (c *cloner) own(s *typeShape, p unsafe.Pointer, n int) {
	if n > 0 && len(s.slots) > 0 {
		own := span{src: p, dst: p, shape: s.base, n: n * s.count}
		c.pending = append(c.pending, c.addHidden(own))
	}
}
