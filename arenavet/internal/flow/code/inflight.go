package code

import (
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/harena-go/arena/arenavet/internal/flow/shape"
)

// This file holds objects that others wait for, as package singleflight has them: a function
// puts one into a map, where others find it, and fills it when it has got a result. It must not
// depend on what the result is.
//
//	if c, ok := f.calls[key]; ok { <-c.done; return c.val }
//	c := &call{done: make(chan struct{})}
//	f.calls[key] = c
//	c.val = fetch()          those who wait have this, also when it is in the map no more
//	delete(f.calls, key)
//	close(c.done)

// InFlightObjects returns the variables of a function that are such objects: they are put into
// a map that is a field, the function waits for elements of that map, and it doesn't wait for
// them.
func InFlightObjects(fn *ssa.Function) map[ssa.Value]bool {
	put, waited := putIntoMaps(fn), map[any]bool{}
	if len(put) == 0 {
		return map[ssa.Value]bool{}
	}
	var left []ssa.Value
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if x := waitsFor(i); x != nil {
				x = Source(x)
				if l, ok := x.(*ssa.Lookup); ok {
					waited[mapField(l.X)] = true
				} else {
					left = append(left, x)
				}
			}
		}
	}
	for _, x := range left { // one that the function waits for itself isn't for others
		delete(put, x)
	}
	awaited := map[ssa.Value]bool{}
	for object, field := range put {
		if field != nil && waited[field] {
			awaited[object] = true
		}
	}
	return awaited
}

// putIntoMaps returns the variables of a function that it puts into maps, with the fields in
// which these are.
func putIntoMaps(fn *ssa.Function) map[ssa.Value]any {
	put := map[ssa.Value]any{}
	for _, b := range fn.Blocks {
		for _, i := range b.Instrs {
			if m, ok := i.(*ssa.MapUpdate); ok {
				if object, ok := m.Value.(*ssa.Alloc); ok {
					put[object] = mapField(m.Map)
				}
			}
		}
	}
	return put
}

// mapField returns the field or global in which a map is, nil if it is in none.
func mapField(m ssa.Value) any {
	if load, ok := m.(*ssa.UnOp); ok && load.Op == token.MUL {
		return shape.Holder(load.X)
	}
	return nil
}

// waitsFor returns the channel, or what has it in a field, for which an instruction waits.
func waitsFor(i ssa.Instruction) ssa.Value {
	switch i := i.(type) {
	case *ssa.UnOp:
		if i.Op == token.ARROW {
			return i.X
		}
	case *ssa.Select:
		for _, st := range i.States {
			if _, ok := Source(st.Chan).(*ssa.Lookup); ok {
				return st.Chan
			}
		}
	case *ssa.Call:
		switch CalleeName(&i.Call) {
		case "(*sync.WaitGroup).Wait", "(*sync.Cond).Wait":
			return i.Call.Args[0]
		}
	}
	return nil
}
