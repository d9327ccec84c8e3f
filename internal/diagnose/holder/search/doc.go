// Package search finds the holder of an object in a dump of the heap, and describes it in words: the shortest way from
// a root over the objects that keep it alive. It must not depend on the origin of the dump.
//
// A search (search.go) has numbers only: the ends of pointers. A describer turns its ways into paths of steps with
// names and types, and the steps have texts. A census is for the dump of another program. It has the way to each
// object, and the stack that allocated it.
package search
