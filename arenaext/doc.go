// Package arenaext is for authors of decoders and servers, which allocate for others: readers of
// database rows, a builder of Go maps, and the arena in a context.
//
// Released names keep their meaning, so a module that was built with one version works with all later ones.
package arenaext
