package deepclone

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// refuse panics because a reflect.Value is in the graph. Only now is the graph walked with
// the names of all places, to say where the value is.
//
//go:noinline
func (c *cloner) refuse() {
	root := c.ranges.at(firstEdge)
	t := root.shape.typ
	if root.n > 1 {
		t = reflect.ArrayOf(root.n, t)
	}
	panic("arena: DeepClone: v" + pathToValue(t, root.src) + ", where v is the " + t.String() +
		", is a reflect.Value, which can't be cloned unless it is zero")
}

// A search goes through a graph by levels, for the shortest path to a reflect.Value.
type search struct {
	steps []step
	seen  map[spot]bool
}

// A spot is a place in memory, seen as one type.
type spot struct {
	typ reflect.Type
	at  unsafe.Pointer
}

// A step leads to a spot from the one that another step led to.
type step struct {
	spot
	from int // in steps; of the root, -1
	name string
}

// pathToValue returns the path from the value of type t at root to a reflect.Value that isn't zero.
func pathToValue(t reflect.Type, root unsafe.Pointer) string {
	s := search{seen: map[spot]bool{}}
	s.add(-1, "", t, root)
	for i := 0; i < len(s.steps); i++ {
		at := s.steps[i].spot
		if at.typ != reflect.TypeFor[reflect.Value]() {
			s.open(i, at)
		} else if (*reflect.Value)(at.at).IsValid() {
			return s.path(i)
		}
	}
	return ": something in it" // which was written meanwhile
}

// path returns the names up to step i, the last ones if there are many.
func (s *search) path(i int) string {
	const most = 32
	var names []string
	for ; i >= 0 && len(names) < most; i = s.steps[i].from {
		names = append(names, s.steps[i].name)
	}
	if i >= 0 {
		names = append(names, " ... ")
	}
	slices.Reverse(names)
	return strings.Join(names, "")
}

// add makes a step, unless the spot is known or leads nowhere.
func (s *search) add(from int, name string, t reflect.Type, at unsafe.Pointer) {
	if spot := (spot{t, at}); at != nil && !s.seen[spot] && len(shapeOf(t).slots) > 0 {
		s.seen[spot] = true
		s.steps = append(s.steps, step{spot, from, name})
	}
}

// addCopy is add for a value that has no address.
func (s *search) addCopy(from int, name string, v reflect.Value) {
	if v.IsValid() {
		variable := reflect.New(v.Type())
		variable.Elem().Set(v)
		s.add(from, name, v.Type(), variable.UnsafePointer())
	}
}

// open makes the steps from spot at, to which step i led.
func (s *search) open(i int, at spot) {
	switch v := reflect.NewAt(at.typ, at.at).Elem(); v.Kind() {
	case reflect.Pointer:
		s.add(i, "", at.typ.Elem(), v.UnsafePointer())
	case reflect.Interface:
		if held := v.Elem(); held.IsValid() {
			s.addCopy(i, ".("+held.Type().String()+")", held)
		}
	case reflect.Slice, reflect.Array:
		for k := range v.Len() {
			s.add(i, fmt.Sprintf("[%d]", k), at.typ.Elem(), v.Index(k).Addr().UnsafePointer())
		}
	case reflect.Map:
		for entries := v.MapRange(); entries.Next(); {
			s.addCopy(i, "[a key]", entries.Key())
			s.addCopy(i, "[...]", entries.Value())
		}
	case reflect.Struct:
		s.openStruct(i, at)
	}
}

// openStruct is open for structs. Some are more than their fields show.
func (s *search) openStruct(i int, at spot) {
	shape := shapeOf(at.typ)
	first := &shape.slots[0]
	switch name := typeName(at.typ); {
	case name == "sync.Map":
		(*sync.Map)(at.at).Range(func(key, value any) bool {
			s.addCopy(i, "[a key]", reflect.ValueOf(key))
			s.addCopy(i, "[...]", reflect.ValueOf(value))
			return true
		})
	case name == "sync/atomic.Pointer":
		s.add(i, "", at.typ.Field(0).Type.Elem(), unsafe.Add(at.at, first.offset)) // fact 11
	case shape.hook != nil:
		shape.hook.Slices(at.at, func(slice any) { s.addCopy(i, "", reflect.ValueOf(slice)) })
	case name == "log/slog.Value":
		pointer := unsafe.Add(at.at, first.offset) // fact 11
		if elem, n := logged(pointer, first.count); elem != nil {
			group := reflect.SliceAt(elem, (*interfaceWords)(pointer).data, n)
			s.addCopy(i, "", group)
			return
		}
		fallthrough
	default:
		for k := range at.typ.NumField() {
			f := at.typ.Field(k)
			s.add(i, "."+f.Name, f.Type, unsafe.Add(at.at, f.Offset)) // fact 11
		}
	}
}
