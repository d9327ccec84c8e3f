// Package arenadebug shows a running program's pools of arenas: what is wrong with them, in words; how much memory
// they have; which arenas are lent, for how long, and where they were taken.
//
//	import _ "github.com/harena-go/arena/arenadebug"
//
// adds the page /debug/arena to http.DefaultServeMux. [Handler] is the page for another place, and [Var] is for
// package expvar:
//
//	mux.Handle("/debug/arena", arenadebug.Handler())
//
// The page needs no JavaScript. Parameters: ?pool= shows one pool, ?format=json or text is for programs and terminals,
// ?refresh=5 loads it again each five seconds. With ?format=pprof it is the profile of package arenapprof:
//
//	go tool pprof 'http://localhost:8080/debug/arena?format=pprof'
//
// It shows names, types and stacks, never values. It answers to requests from the machine itself only, unless
// [AuthRequest] says otherwise.
//
// Leases are watched from the first look at the page on, and for five minutes after the last: see
// [arena.Pool.Leases]. To look at it takes time in proportion to the number of arenas.
package arenadebug
