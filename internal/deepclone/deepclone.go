// Package deepclone copies values out of arenas: the graph that a value leads
// to, or its first level.
package deepclone

import (
	"reflect"
	"sync"
	"unsafe"
)

// Graph runs in four passes over the graph that is reachable from root.
//
//	(1) survey   Walk the source. Each distinct (address, type, length) that a pointer, slice,
//	             string, interface or map refers to becomes a range. Each place in the
//	             source that will have to point elsewhere gets an edge: the number of the
//	             range it leads to. The order of the walk is noted.
//	(2) place    Sort the ranges by address. Those that overlap make one block of the
//	             widest type, which is copied to the heap as a whole:
//
//	               source   |------- struct -------|     |---- array ----|
//	               ranges   [*struct               )     [s[0:3]   )
//	                              [*field  )                  [s[1:5]    )
//	               blocks   [                      )     [               )
//
//	             Only now is it known which range is part of which: the survey may meet them in any order.
//	(3) rewrite  Walk the clones in the order of pass 1, and let each place point into the
//	             block where its range went.
//	(4) fill     Call the hooks of the clones, and put the entries into the new maps; their
//	             keys now hash as they will.
//
// The unsafe lines cite the facts that package block lists. Each range holds a pointer, which keeps its object alive
// and in place (facts 1, 3); an address as a number is only compared or hashed. Nothing here is on a stack, which could
// move: the arguments of Graph escape.

// Graph replaces all targets of the value of type t at root, direct or not, by clones. If owns isn't nil, pointers to
// memory that it doesn't own stay as they are, and so do strings and slices of it without pointers.
func Graph(t reflect.Type, root unsafe.Pointer, owns func(p unsafe.Pointer) bool) {
	s := shapeOf(t)
	if len(s.slots) == 0 {
		return
	}
	c := cloners.Get().(*cloner)
	c.owns = owns
	c.survey(s, root)
	if !c.place() {
		c.reset()
		c.inFull = true
		c.survey(s, root)
		c.place()
	}
	c.rewrite()
	c.fill()
	c.release()
}

// fill completes values that consist of more than pointers. Go's maps come last: their
// entries are copied into them.
func (c *cloner) fill() {
	for _, h := range c.hooked {
		h.hook.Cloned(h.at)
	}
	for i := range c.syncMaps {
		c.syncMaps[i].fill()
	}
	for i := range c.maps {
		c.maps[i].fill()
	}
}

// A cloner is the state of one Graph.
type cloner struct {
	ranges    chunked[span] // found by index, except for those that index leaves out
	index     index
	edges     chunked[uint32] // into ranges, in the order in which survey meets the places
	nextEdge  int             // of rewrite
	pending   []uint32        // ranges to be surveyed
	surveyed  chunked[uint32] // ranges, in the order of their edges
	maps      []mapClone
	syncMaps  []syncMapClone
	hooked    []hooked          // in the clones
	pages     chunked[coverage] // found by pageIndex
	pageIndex index
	order     []ordered
	inFull    bool // survey all slices in full, see place
	owns      func(p unsafe.Pointer) bool
}

// The first ranges are special; see edge.
const (
	edgeKeep    = iota // the place stays as it is: nil, or not to be followed
	edgeNothing        // the place leads to zero bytes
	edgeNil            // the place is nil in the clone
	firstEdge          // the first that is not special
)

// cloners keeps small cloners, whose lists and tables the next clone reuses.
var cloners = sync.Pool{New: func() any {
	return &cloner{index: newIndex(), pageIndex: newIndex()}
}}

// A larger cloner is left to the GC. One of this size has about 1 MiB.
const maxPooledLen = 8 * chunkLen

func (c *cloner) release() {
	c.owns = nil
	if max(c.ranges.len, c.edges.len, c.pages.len, len(c.maps), len(c.syncMaps), len(c.hooked)) <= maxPooledLen {
		c.reset()
		cloners.Put(c)
	}
}

// reset empties c, so that it keeps neither source nor clone alive.
func (c *cloner) reset() {
	c.ranges.reset()
	c.edges.reset()
	c.surveyed.reset()
	c.pages.reset()
	c.index.reset()
	c.pageIndex.reset()
	clear(c.maps)
	clear(c.syncMaps)
	clear(c.hooked)
	c.maps, c.syncMaps, c.hooked, c.order = c.maps[:0], c.syncMaps[:0], c.hooked[:0], c.order[:0]
	c.nextEdge, c.inFull = 0, false
}

// rewrite sets all places in the clones, in the order of survey.
func (c *cloner) rewrite() {
	for i := range c.surveyed.len {
		r := c.ranges.at(int(*c.surveyed.at(i)))
		for k := range r.n {
			c.rewriteValue(r.shape, unsafe.Add(r.dst, uintptr(k)*r.shape.size)) // fact 11
		}
	}
}

// rewriteValue is the counterpart of surveyValue, for the clone at p. Stores follow fact 7.
func (c *cloner) rewriteValue(s *typeShape, p unsafe.Pointer) {
	for i := range s.slots {
		slot := &s.slots[i]
		at := unsafe.Add(p, slot.offset) // fact 11
		switch slot.kind {
		case slotArray:
			for k := range slot.count {
				c.rewriteValue(slot.elem, unsafe.Add(at, uintptr(k)*slot.elem.size)) // fact 11
			}
			continue
		case slotFresh:
			reflect.NewAt(slot.elem.typ, at).Elem().SetZero()
			continue
		case slotHook:
			c.hooked = append(c.hooked, hooked{slot.elem.hook, at})
			continue
		case slotRefused:
			continue
		}
		edge := *c.edges.at(c.nextEdge)
		c.nextEdge++
		if edge == edgeKeep {
			continue
		}
		target := c.ranges.at(int(edge))
		switch slot.kind {
		case slotAny, slotInterface, slotLog:
			(*interfaceWords)(at).data = target.dst
		case slotSyncMap:
			m := &c.syncMaps[target.spare]
			m.dst = append(m.dst, (*sync.Map)(at))
		case slotSlice:
			s := (*sliceWords)(at)
			s.data = target.dst
			if slot.elem.size > 0 {
				s.cap = min(s.cap, s.len+int(target.spare)/slot.elem.count)
			}
		default:
			*(*unsafe.Pointer)(at) = target.dst
		}
	}
}

// The words of slices and interfaces, fact 9.
type (
	sliceWords struct {
		data     unsafe.Pointer
		len, cap int
	}
	interfaceWords struct{ table, data unsafe.Pointer }
)
