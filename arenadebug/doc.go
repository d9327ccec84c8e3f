// Package arenadebug shows a running program's pools of arenas: what is wrong with them, in words; how much memory they
// have had over the last minutes, and what they have saved; which arenas are lent, for how long, and where they were
// taken.
//
//	import _ "github.com/harena-go/arena/arenadebug"
//
// adds the page /debug/arena to http.DefaultServeMux. [Handler] is the page for another place, and [Var] is for package
// expvar:
//
//	mux.Handle("/debug/arena", arenadebug.Handler())
//
// The page refreshes itself while it is open, and works without JavaScript, too. Everything on it comes from its own
// address, and nothing is inline, so a strict Content-Security-Policy allows it. Parameters: ?pool= shows one pool,
// ?format=json or text is for programs and terminals, ?refresh=5 refreshes every five seconds. With ?format=pprof it is
// the profile of package arenapprof:
//
//	go tool pprof -http=: 'http://localhost:8080/debug/arena?format=pprof'
//
// The page shows names, types and stacks, never values. It answers to requests from the machine itself only, unless
// [AuthRequest] decides otherwise.
//
// Each look takes a sample for the charts, and no goroutine takes others: the history begins at the first look, reaches
// back ten minutes, and takes up to 1.5 MB. Leases are watched from the first look on, and for five minutes after the
// last: see [arenametrics.Leases]. A look takes time in proportion to the number of arenas, those of pools that aren't
// shown included.
package arenadebug
