package stray

import (
	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/memory"
)

// This file finds the arena that has what a hidden pointer leads to. It is one of the same
// family, which belongs to the same goroutine, or any that has reclaimed the memory. It must not
// depend on how the pointer was found.

// homeOf returns the arena that has the object at an address to which a value of a points, or had
// it if gone is set. It returns nil if that is the Go heap, as far as is known.
func homeOf(a Arena, addr uintptr, gone bool) *inspect.Home {
	root := a
	for p := root.Parent(); p != nil; p = root.Parent() {
		root = p
	}
	if home, c := find(root, addr); c != nil {
		allocated := watch.CallSite(watch.SiteOf(c).Stack.Frames())
		return &inspect.Home{Kin: kin(a, home), Arena: home.Name(), Allocated: allocated}
	}
	if name, site, by := a.TakenBack(addr, gone); site != nil {
		allocated, taken := watch.CallSite(site.Stack.Frames()), watch.CallSite(by.Frames())
		return &inspect.Home{Arena: name, Allocated: allocated, Taken: taken}
	}
	return nil
}

// find returns the arena that has the object at an address, and the object. It looks at an arena
// and all below it.
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

// kin returns how an arena is related to another of its family.
func kin(a, home Arena) string {
	for p := home.Parent(); p != nil; p = p.Parent() {
		if p == a {
			return "a child"
		}
	}
	return "another child"
}
