// Package inspect connects package arena with the packages built on it. For arenatest it has
// what is too slow or too large for a program that isn't a test, and what only a test may ask
// for. For arenahttp it passes an arena through a context.
package inspect

import (
	"context"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// What arenatest sets.
var (
	// Holders returns for each block a text that says what points to it, or "" if that
	// isn't known. It is nil in programs without arenatest.
	Holders func(blocks []Block) []string

	// Places returns what is at addresses. It needs the addresses of what KeepAlive was
	// given and the objects of the arenas, sorted. It is nil in programs without
	// arenatest. After an error nothing is known.
	Places func(addrs, kept []uintptr, own []Block) ([]Place, error)

	// Dumps is how many more times Places may be called before Reset and the like. Strays
	// calls it regardless.
	Dumps atomic.Int32

	// All is set while all arenas of the program are checked, whatever their
	// options. It gets each arena.Escape and each Stray of those that have no handler.
	All atomic.Pointer[func(escape any)]

	// Ended is called, while it is set, with each call that has reclaimed memory of an arena with
	// CheckObjects and a name.
	Ended atomic.Pointer[func(arena string, e Ending)]

	// OnGuarded is called, while it is set, with memory of an arena with a name that can't be
	// touched any more.
	OnGuarded atomic.Pointer[func(arena string, list []GuardedBlock)]

	// AllTaken is called, while it is set, when a checked arena without a function of its own has
	// reclaimed something.
	AllTaken atomic.Pointer[func()]
)

// What package arena sets.
var (
	// Checks reports whether an *arena.Arena has CheckObjects; a nil one hasn't.
	Checks func(a any) bool

	// Batch lends an *arena.Arena of an *arena.Pool without reuse for a key, or returns a nil one if lives of that key
	// keep values so that each should be an object of its own. NewPool sets it: programs without Pools don't need that.
	Batch atomic.Pointer[func(pool any, key string) any]

	// Scrubs reports whether an *arena.Arena erases what it releases.
	Scrubs func(a any) bool

	// Profile returns an *arena.Pool's samples by call stack, a []profile.Site that is nil if no
	// leases are observed. It also returns how many bytes all ended leases have used, as in
	// PoolStats.Used, and how many of them the observed ones have. It is nil in programs that
	// observe none.
	Profile atomic.Pointer[func(pool any) (sites any, used, observed float64)]

	// Faults is set in programs with a Pool that guards memory.
	Faults atomic.Pointer[FaultHandler]

	// Engine has the methods that the functions below and arenametrics call. The linker drops methods that a program
	// never calls, which saves 160 KB without arenatest.
	Engine any
)

// Endings returns the last calls, oldest first, that reclaimed memory in arenas with CheckObjects
// and a name.
func Endings(arena string) []Ending {
	return Engine.(interface{ Endings(string) []Ending }).Endings(arena)
}

// Guarded returns the memory that can't be touched any more of arenas with a name, oldest
// first: reclaimed values without pointers, as far as they have pages of their own.
func Guarded(arena string) []GuardedBlock {
	return Engine.(interface{ Guarded(string) []GuardedBlock }).Guarded(arena)
}

// DeadAt returns the dead value at an address, or the one that had a pointer which now leads there,
// or nil if neither is known. It knows values of all arenas with CheckObjects.
func DeadAt(addr uintptr) *Dead {
	return Engine.(interface{ DeadAt(uintptr) *Dead }).DeadAt(addr)
}

// Moved declares that a container in an *arena.Arena with CheckObjects has moved what it had at p,
// so that it must not be used there.
func Moved(a any, p unsafe.Pointer) {
	Engine.(interface{ Moved(any, unsafe.Pointer) }).Moved(a, p)
}

// OnDeath has f called when the end of its parent ends a child, an *arena.Arena, before the parent's memory is touched.
// It is dead if Reset, Rewind or Put reclaims that, or Free erases it; else Free leaves values valid.
func OnDeath(child any, f func(dead bool)) {
	Engine.(interface{ OnDeath(any, func(bool)) }).OnDeath(child, f)
}

// Strays looks through the values of a self-contained *arena.Arena with CheckObjects and of its
// children for pointers that the GC doesn't see, and reports new ones. It returns an error if it
// can't find out. last means that the arena's values die right after.
func Strays(a any, last bool) error {
	return Engine.(interface{ Strays(any, bool) error }).Strays(a, last)
}

// OnStray returns an arena.Option that sets the function that is called for each Stray.
func OnStray(f func(Stray)) any {
	return Engine.(interface{ OnStray(func(Stray)) any }).OnStray(f)
}

// LookThroughErrors has Do of checked arenas look at what an error or a panic leads to.
func LookThroughErrors() { Engine.(interface{ LookThroughErrors() }).LookThroughErrors() }

// OnTaken returns an arena.Option that sets the function that is called when a checked arena has
// reclaimed something, at the end of that operation and by its goroutine. A Pool with this option
// lends each arena once.
func OnTaken(f func()) any {
	return Engine.(interface{ OnTaken(func()) any }).OnTaken(f)
}

// ReuseSome returns an arena.PoolOption that is WithReuse() unless an option before it has keys.
func ReuseSome() any { return Engine.(interface{ ReuseSome() any }).ReuseSome() }

// Peek reports what is still referenced of all that checked arenas have reclaimed, once for each
// value; all of it will be looked at again when it is due. It takes one GC cycle, or four. Reports by
// the calling goroutine between during(true) and during(false) are its findings.
func Peek(during func(peeking bool)) {
	Engine.(interface{ Peek(func(bool)) }).Peek(during)
}

// Lent returns the arenas of an *arena.Pool, or of all Pools if it is nil, that have CheckObjects and were neither put
// back nor freed.
func Lent(pool any) []Lease { return Engine.(interface{ Lent(any) []Lease }).Lent(pool) }

// A Lease is a lent arena.
type Lease struct {
	Pool  string // its name
	Stack string // of Get
	Lost  bool   // the arena can't come back, since the GC has it
	End   func() // Lent is to return it no more
}

// A FaultHandler turns uses of guarded memory into reports. Package arena has one function for each
// field, which programs without such a Pool don't link.
type FaultHandler struct {
	Catch  func()          // has such a use by the calling goroutine be a panic
	Report func(v any) any // reports it if v, from recover, is one, and returns what to panic with
}

// CatchFaults has the use of guarded memory by the calling goroutine be a panic.
func CatchFaults() {
	if f := Faults.Load(); f != nil {
		f.Catch()
	}
}

// ReportFault reports the use of guarded memory, if v is from such a panic, and returns the value to
// panic with in place of v. It is called by deferred functions.
func ReportFault(v any) any {
	if f := Faults.Load(); f != nil && v != nil {
		return f.Report(v)
	}
	return v
}

// Abandon declares that an *arena.Arena is left to the GC on purpose.
func Abandon(a any) { Engine.(interface{ Abandon(any) }).Abandon(a) }

// Owns reports whether p points into an *arena.Arena, which may be nil, or into one of its descendants.
func Owns(a any, p unsafe.Pointer) bool {
	return Engine.(interface {
		Owns(any, unsafe.Pointer) bool
	}).Owns(a, p)
}

// ContextKey is the key of the arena in a context: a *arena.Arena or a Lender.
type ContextKey struct{}

// A Lender stands in a context for an arena that is got when it is first asked for.
type Lender interface {
	// Lend returns the *arena.Arena, which may be nil, for a caller with a context.
	Lend(asker context.Context) any
}

// A Stray is a pointer in a self-contained arena to something that may be freed, since
// the GC doesn't see the pointer.
type Stray struct {
	Arena     string  // its name
	Type      string  // of the allocation that the pointer is in
	Field     string  // which part of it the pointer is
	Target    string  // what it leads to
	Size      uintptr // of the object there, 0 if it was freed already
	More      int     // how many of the kind there are besides
	Allocated []runtime.Frame

	Owner *Owner // what has the object, nil if the Go heap does
}

// An Owner is an arena that has, or had, what a Stray leads to. It is neither the Stray's own arena
// nor one that lives as long as that.
type Owner struct {
	Relation  string // to the Stray's arena, such as "a child"; "" if it was reclaimed
	Arena     string // its name
	Allocated string // file and line of the allocation
	Taken     string // when it was reclaimed since, such as "at file:line"; or ""
}

// A Place is what is at an address.
type Place struct {
	Kind  PlaceKind
	Size  uintptr // of the object there
	First uintptr // word there
}

// A PlaceKind is where an address may be.
type PlaceKind uint8

const (
	Static PlaceKind = iota // outside of the Go heap
	Kept                    // in what KeepAlive was given, or what that leads to
	OnHeap                  // in another object
	Gone                    // where an object was
)

// A Block is a piece of memory.
type Block struct {
	Addr uintptr
	Size uintptr
}

// A GuardedBlock is dead memory that can't be touched.
type GuardedBlock struct {
	Block
	Type      string
	Allocated string // file and line of the call
	Taken     string // when it was reclaimed: "at file:line", or "when GET /orders ended"
}

// A Dead is a value that an arena has reclaimed, or everything that died together with a pointer
// that was followed.
type Dead struct {
	Arena     string
	Key       string          // from its Pool
	Type      string          // "" if one of several
	Size      int             // of the value
	Values    []string        // some of these, with the places of the allocations
	Allocated []runtime.Frame // stack of the allocation of the value
	Taken     []runtime.Frame // and of the call that reclaimed it
}

// An Ending is a call that reclaimed memory.
type Ending struct {
	Trap uintptr // where pointers that died then lead to, 4 KiB from here on
	When string  // as Taken of a GuardedBlock

	Values []string // some of what died, with the places of the allocations; only for Ended
}
