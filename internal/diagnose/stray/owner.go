package stray

import (
	"github.com/harena-go/arena/internal/diagnose/inspect"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/memory"
)

// This file finds the arena that contains the target of a hidden pointer: an arena of the same family, which belongs to
// the same goroutine, or any arena that reclaimed the memory. It must not depend on how the pointer was found.

// ownerOf returns the arena with the object at addr, to which a value of a points, or with gone the arena that had it.
// It returns nil if that is the Go heap, or unknown.
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

// find returns the arena with the object at an address, and the object. It searches an arena and its descendants.
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

// relation describes how owner, of the same family, is related to a.
func relation(a, owner Arena) string {
	for p := owner.Parent(); p != nil; p = p.Parent() {
		if p == a {
			return "a child"
		}
	}
	return "another child"
}
