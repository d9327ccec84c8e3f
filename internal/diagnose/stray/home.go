package stray

import (
	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/memory"
)

// This file finds which arena has what a hidden pointer leads to: one of the same family, since
// that belongs to the same goroutine, or any that has reclaimed it. It must not depend on how the
// pointer was found.

// homeOf returns what has, or had if it is gone, the object at an address to which a value of a points; nil if
// that is the Go heap, as far as is known.
func homeOf(a Arena, addr uintptr, gone bool) *inspect.Home {
	root := a
	for p := root.Parent(); p != nil; p = root.Parent() {
		root = p
	}
	if home, c := find(root, addr); c != nil {
		return &inspect.Home{Kin: kin(a, home), Arena: home.Name(), Allocated: watch.CallSite(watch.SiteOf(c).Stack.Frames())}
	}
	if name, site, by := a.TakenBack(addr, gone); site != nil {
		return &inspect.Home{Arena: name, Allocated: watch.CallSite(site.Stack.Frames()), Taken: watch.CallSite(by.Frames())}
	}
	return nil
}

// find returns the arena of a family, from one on down, that has the object at an address, and the object.
func find(a Arena, addr uintptr) (home Arena, object *memory.Chunk) {
	objects := a.Plain().Big()
	for i := range objects {
		if OfChunk(&objects[i]).Holds(addr) {
			return a, &objects[i]
		}
	}
	for c := range a.Children {
		if home, object = find(c, addr); object != nil {
			return home, object
		}
	}
	return nil, nil
}

// kin says what an arena is to another of its family.
func kin(a, home Arena) string {
	for p := home.Parent(); p != nil; p = p.Parent() {
		if p == a {
			return "a child"
		}
	}
	return "another child"
}
