// Package arenastatsviz adds plots of what pools of arenas do to the page of statsviz (github.com/arl/statsviz), which shows what
// Go's runtime does:
//
//	statsviz.Register(mux, arenastatsviz.Plots()...)
//
// The plots show arenas that are lent and idle, their memory, what requests take, how many there are, the oldest
// lease, and what is wrong. Package arenadebug of the root module has a page that says that in words, for each key, with stacks.
package arenastatsviz
