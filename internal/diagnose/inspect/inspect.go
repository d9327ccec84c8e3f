// Package inspect connects package arena with the packages built on it. For arenatest it provides operations that are
// too slow or too large for other programs, or that only tests may use. For arenahttp it passes an arena through a
// context.
package inspect

import (
	"context"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// Variables that arenatest sets.
var (
	// Holders describes each block's holder, "" if it is unknown. It is nil in programs without arenatest.
	Holders func(blocks []Block) []string

	// Places finds out what each address belongs to. It needs the addresses of the values given to KeepAlive and the
	// arenas' objects, sorted. After an error nothing is known. It is nil in programs without arenatest.
	Places func(addrs, kept []uintptr, own []Block) ([]Place, error)

	// Dumps is how often Places may still be called before Reset and the like. Strays calls it regardless.
	Dumps atomic.Int32

	// All is set while all arenas of the program are checked, whatever their options. It gets each arena.Escape and
	// each Stray of arenas without a handler.
	All atomic.Pointer[func(escape any)]

	// Ended, while set, is called for each operation that reclaimed memory of a named arena with CheckObjects.
	Ended atomic.Pointer[func(arena string, e Ending)]

	// OnGuarded, while set, is called with newly guarded memory of a named arena.
	OnGuarded atomic.Pointer[func(arena string, list []GuardedBlock)]

	// AllTaken, while set, is called when a checked arena without a function of its own has reclaimed something.
	AllTaken atomic.Pointer[func()]
)

// Hooks are the unexported operations of package arena. They are an interface, not a struct of functions, since the
// linker drops methods that a program never calls: that saves 160 KB without arenatest. The type of arenas is
// *arena.Arena.
type Hooks interface {
	// Checks reports whether an arena has CheckObjects; a nil one doesn't.
	Checks(a any) bool

	// Scrubs reports whether an arena erases the memory that it releases.
	Scrubs(a any) bool

	// Owns reports whether p points into an arena, which may be nil, or into one of its descendants.
	Owns(a any, p unsafe.Pointer) bool

	// Abandon declares that an arena is left to the GC on purpose.
	Abandon(a any)

	// LendBatch lends an arena of an *arena.Pool without reuse for a key. It returns a nil arena if lives of that key
	// keep values, which should then be objects of their own.
	LendBatch(pool any, key string) any

	// Lent returns the lent arenas with CheckObjects of an *arena.Pool, or of all Pools if it is nil. Arenas that were
	// put back or freed aren't lent.
	Lent(pool any) []Lease

	// Endings returns the last calls, oldest first, that reclaimed memory in arenas with CheckObjects and that name.
	Endings(arena string) []Ending

	// Guarded returns the guarded memory of arenas with a name, oldest first: reclaimed values without pointers, if
	// they have pages of their own.
	Guarded(arena string) []GuardedBlock

	// DeadAt returns the dead value at an address, or else the values that died with a pointer which now leads there,
	// or nil if neither is known. It knows values of all arenas with CheckObjects.
	DeadAt(addr uintptr) *Dead

	// Moved declares that a container in an arena with CheckObjects has moved its contents away from p, so that they
	// must not be used there.
	Moved(a any, p unsafe.Pointer)

	// OnDeath has f called when the end of its parent ends a child, before the parent's memory is touched. dead is true
	// if Reset, Rewind or Put reclaims the child's memory, or Free erases it; otherwise Free leaves values valid.
	OnDeath(child any, f func(dead bool))

	// Strays searches the values of a self-contained arena with CheckObjects and of its children for pointers that the
	// GC doesn't see, and reports new ones. It returns an error if the search fails. last means that the arena's values
	// die right after.
	Strays(a any, last bool) error

	// OnStray returns an arena.Option with a function to call for each Stray.
	OnStray(f func(Stray)) any

	// OnTaken returns an arena.Option with a function to call when a checked arena has reclaimed something, at the end
	// of that operation and by its goroutine. A Pool with this option lends each arena once.
	OnTaken(f func()) any

	// ReuseSome returns an arena.PoolOption that acts as WithReuse() unless an earlier option has keys.
	ReuseSome() any

	// LookThroughErrors has Do of checked arenas search values reachable from errors and panics.
	LookThroughErrors()

	// Peek reports the values still referenced after checked arenas reclaimed them, each value once; all will be
	// checked again when due. It takes one GC cycle, or four. Reports by the calling goroutine between during(true) and
	// during(false) are its findings.
	Peek(during func(peeking bool))
}

// Arenas has the hooks. Package arena sets it.
var Arenas Hooks

// Faults is set in programs with a Pool that guards memory.
var Faults atomic.Pointer[FaultHandler]

// A Lease is a lent arena.
type Lease struct {
	Pool  string // its name
	Stack string // of the Get
	Lost  bool   // the GC has freed the arena, so it can't come back
	End   func() // removes the lease from Lent
}

// A FaultHandler turns uses of guarded memory into reports. Package arena has one function for each field, which
// programs without such a Pool don't link.
type FaultHandler struct {
	Catch  func()          // makes such a use by the calling goroutine panic
	Report func(v any) any // if v, from recover, is such a panic, reports it; returns the value to panic with
}

// CatchFaults makes uses of guarded memory by the calling goroutine panic.
func CatchFaults() {
	if f := Faults.Load(); f != nil {
		f.Catch()
	}
}

// ReportFault reports the use of guarded memory, if v is from such a panic, and returns the value to panic with in
// place of v. Deferred functions call it.
func ReportFault(v any) any {
	if f := Faults.Load(); f != nil && v != nil {
		return f.Report(v)
	}
	return v
}

// ContextKey is the key of the arena in a context: a *arena.Arena or a Lender.
type ContextKey struct{}

// A Lender stands in a context for an arena that is lent on first use.
type Lender interface {
	// Lend returns the *arena.Arena, which may be nil, for a caller with a context.
	Lend(asker context.Context) any
}

// A Stray is a pointer in a self-contained arena to something that may be freed, since the GC doesn't see the pointer.
type Stray struct {
	Arena     string  // its name
	Type      string  // of the allocation with the pointer
	Field     string  // of the allocation that is the pointer
	Target    string  // the pointer's target
	Size      uintptr // of the target, 0 if it was freed already
	More      int     // further pointers of the kind
	Allocated []runtime.Frame

	Owner *Owner // of the target, nil if it is on the Go heap
}

// An Owner is an arena that contains, or contained, a Stray's target. It is neither the Stray's own arena nor one that
// lives as long.
type Owner struct {
	Relation  string // to the Stray's arena, such as "a child"; "" if it was reclaimed
	Arena     string // its name
	Allocated string // file and line of the allocation
	Taken     string // when the target was reclaimed, such as "at file:line"; or ""
}

// A Place describes the memory at an address.
type Place struct {
	Kind  PlaceKind
	Size  uintptr // of the object there
	First uintptr // the first word there
}

// A PlaceKind is the kind of memory at an address.
type PlaceKind uint8

const (
	Static PlaceKind = iota // outside of the Go heap
	Kept                    // in a value given to KeepAlive, or reachable from one
	OnHeap                  // in another object
	Gone                    // in a freed object
)

// A Block is a piece of memory.
type Block struct {
	Addr uintptr
	Size uintptr
}

// A GuardedBlock is dead memory whose pages are guarded.
type GuardedBlock struct {
	Block
	Type      string
	Allocated string // file and line of the call
	Taken     string // when it was reclaimed: "at file:line", or "when GET /orders ended"
}

// A Dead is a value that an arena has reclaimed, or all values that died together with a followed pointer.
type Dead struct {
	Arena     string
	Key       string          // from its Pool
	Type      string          // "" for several values
	Size      int             // of the value
	Values    []string        // some of several, with the places of the allocations
	Allocated []runtime.Frame // stack of the value's allocation
	Taken     []runtime.Frame // stack of the call that reclaimed it
}

// An Ending is a call that reclaimed memory.
type Ending struct {
	Trap uintptr // pointers that died lead to the 4 KiB from here on
	When string  // as Taken of a GuardedBlock

	Values []string // some of the dead values, with the places of the allocations; only for Ended
}
