// Package arenastatsviz adds plots of arena pools to the page of statsviz
// (github.com/arl/statsviz), which plots the metrics of Go's runtime:
//
//	statsviz.Register(mux, arenastatsviz.Plots()...)
//
// The plots show arenas that are lent and idle, their memory, what requests take, how many there
// are, the oldest lease, and what is wrong. Package arenadebug of the root module has a page that
// shows this in words, for each key and with stacks.
package arenastatsviz
