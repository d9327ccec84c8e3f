package stray

import (
	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/memory"
)

// This file finds the arena that has what a hidden pointer leads to. It is one of the same
// family, which belongs to the same goroutine, or any that has reclaimed the memory. It must not
// depend on how the pointer was found.

// ownerOf returns the arena that has the object at an address to which a value of a points, or had
// it if gone is set. It returns nil if that is the Go heap, as far as is known.
func ownerOf(a Arena, addr uintptr, gone bool) *inspect.Owner {
	root := a
	for p := root.Parent(); p != nil; p = root.Parent() {
		root = p
	}
	if owner, c := find(root, addr); c != nil {
		allocated := watch.CallSite(watch.SiteOf(c).Stack.Frames())
		return &inspect.Owner{Relation: relation(a, owner), Arena: owner.Name(), Allocated: allocated}
	}
	if name, site, by := a.ReclaimedAt(addr, gone); site != nil {
		allocated, taken := watch.CallSite(site.Stack.Frames()), watch.When(by.Frames(), "")
		return &inspect.Owner{Arena: name, Allocated: allocated, Taken: taken}
	}
	return nil
}

// find returns the arena that has the object at an address, and the object. It looks at an arena
// and all below it.
func find(a Arena, addr uintptr) (owner Arena, object *memory.Chunk) {
	objects := a.Plain().Big()
	for i := range objects {
		if ofChunk(&objects[i]).Holds(addr) {
			return a, &objects[i]
		}
	}
	for c := range a.Children {
		if owner, object = find(c, addr); object != nil {
			return owner, object
		}
	}
	return nil, nil
}

// relation returns how an arena is related to another of its family.
func relation(a, owner Arena) string {
	for p := owner.Parent(); p != nil; p = p.Parent() {
		if p == a {
			return "a child"
		}
	}
	return "another child"
}
