// Package arenadebug shows a running program's pools of arenas: their problems, in words; their memory over the last
// minutes, and their savings; and the arenas lent, with the time and the place of each lease.
//
//	import _ "github.com/harena-go/arena/arenadebug"
//
// adds the page /debug/arena to http.DefaultServeMux. [Handler] is the page for another place, and [Var] is for package
// expvar:
//
//	mux.Handle("/debug/arena", arenadebug.Handler())
//
// The page refreshes itself while it is open, and works without JavaScript, too. Everything on it comes from its own
// address, and nothing is inline, so a strict Content-Security-Policy allows it. Parameters: ?pool= selects one pool,
// ?format=json or text is for programs and terminals, ?refresh=5 refreshes every five seconds. ?format=pprof returns
// the profile of package arenapprof:
//
//	go tool pprof -http=: 'http://localhost:8080/debug/arena?format=pprof'
//
// The page shows names, types and stacks, never values. It answers only requests from the machine itself, unless
// [AuthRequest] decides otherwise.
//
// Each look takes a sample for the charts, and no goroutine takes others: the history begins at the first look,
// reaches back ten minutes, and takes up to 1.5 MB. Leases are watched from the first look on, and for five minutes
// after the last: see [arenametrics.Leases]. A look takes time in proportion to the number of all arenas, including
// those of pools not shown.
package arenadebug
