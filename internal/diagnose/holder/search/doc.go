// Package search finds who holds an object in a dump of the heap, and tells it in words: the shortest
// way from a root over the objects that keep it alive. It must not depend on how the dump came about.
//
// A search (search.go) has numbers only: which pointer leads where. A describer turns its ways into
// paths of steps with names and types, and the steps have texts. A census is for the dump of another
// program. It knows how each object is reached, and which stack has allocated it.
package search
