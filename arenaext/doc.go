// Package arenaext is for authors of decoders and servers, which allocate for others. It has loops over database rows
// ([CollectRows] and others), a builder of Go maps ([MapBuilder]), and the life of a request's arena ([Loan]).
//
// Released names keep their meaning, so a module that was built with one version works with all later ones.
package arenaext
