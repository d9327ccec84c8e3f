package main

import "github.com/harena-go/arena/collections"

// Uses of where a container had something before it grew.

var _ = plant("moved/Ref", movedRef)

// A transfer has references to two accounts of a map. The second one is new.
//
// want: written
func movedRef() {
	accounts := collections.NewMap[string, int](newArena(), 0)
	*accounts.Ref("from") = 100 // allocated
	from := accounts.Ref("from")
	to := accounts.Ref("to") // reclaimed
	*from -= 10              // used
	*to += 10
	sinkInt = accounts.Len()
}

var _ = plant("moved/kept Ref", movedKept)

// An object has a reference into the map that counts its kind.
//
// want: written
func movedKept() {
	kinds := collections.NewMap[string, int](newArena(), 0)
	gauge := &gaugeOf{kinds.Ref("gauges")} // allocated
	for _, kind := range []string{"timers", "meters"} {
		*kinds.Ref(kind)++ // reclaimed
	}
	*gauge.n++ // used
}

type gaugeOf struct{ n *int }

var _ = clean("clean/Ref", cleanRef)

// The references are used before the next entry is added, and new ones are got afterwards.
func cleanRef() {
	accounts := collections.NewMap[string, int](newArena(), 0)
	from := accounts.Ref("from")
	*from = 100
	to := accounts.Ref("to")
	*to += 10
	*accounts.Ref("from") -= 10
	for name, n := range accounts.All() {
		*accounts.Ref(name) = n + 1 // adds none
	}
	sinkInt = accounts.Len()
}
