// Package inspect is where package arena and those that are built on it plug into each
// other: for arenatest what is too slow and too large for a program that isn't a test, and what
// only a test may ask for; for arenahttp the way of an arena through a context.
package inspect

import (
	"context"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// What arenatest sets.
var (
	// Holders returns for each block a text that says who points to it, or ""
	// where that isn't known. It is nil in programs without arenatest.
	Holders func(blocks []Block) []string

	// Places says what is at addresses, given those of what KeepAlive was given
	// and, sorted, the objects of the arenas. It is nil in programs without
	// arenatest. After an error nothing is known.
	Places func(addrs, kept []uintptr, own []Block) ([]Place, error)

	// Dumps is how many more times Places may be called before Reset and the like.
	// Strays calls it anyhow.
	Dumps atomic.Int32

	// All is set while all arenas of the program are checked, whatever their
	// options. It gets each arena.Escape and each Stray of those that have no handler.
	All atomic.Pointer[func(escape any)]

	// Ended is called, while it is set, with each call that has reclaimed memory of an arena with
	// CheckObjects and a name.
	Ended atomic.Pointer[func(arena string, e Ending)]

	// OnGuarded is called, while it is set, with what nobody can touch any more of an arena with a name.
	OnGuarded atomic.Pointer[func(arena string, list []GuardedBlock)]

	// AllTaken is called, while it is set, when a checked arena without a function of its own has
	// reclaimed something.
	AllTaken atomic.Pointer[func()]
)

// What package arena sets.
var (
	// Checks reports whether an *arena.Arena has CheckObjects; a nil one hasn't.
	Checks func(a any) bool

	// Scrubs reports whether an *arena.Arena erases what it releases.
	Scrubs func(a any) bool

	// Profile returns what is known of an *arena.Pool by call stack, a []profile.Site that is nil if no leases
	// are observed, and how many bytes all leases that ended have used, by PoolStats.Used and by those that were
	// observed. It is nil in programs that observe none.
	Profile atomic.Pointer[func(pool any) (sites any, used, observed float64)]

	// Engine has the methods that the functions below call. The linker leaves those out of a program that
	// nothing in it calls: 160 KB without arenatest.
	Engine any
)

// Endings returns the last calls, oldest first, that reclaimed memory in arenas with CheckObjects
// and a name.
func Endings(arena string) []Ending {
	return Engine.(interface{ Endings(string) []Ending }).Endings(arena)
}

// Guarded returns what of arenas with a name nobody can touch any more, oldest first: what they
// have reclaimed that has no pointers, as far as it has pages of its own.
func Guarded(arena string) []GuardedBlock {
	return Engine.(interface{ Guarded(string) []GuardedBlock }).Guarded(arena)
}

// DeadAt returns what has died of which an address is, or what a pointer that leads there was in: nil if that isn't
// known. It is of any arena with CheckObjects.
func DeadAt(addr uintptr) *Dead {
	return Engine.(interface{ DeadAt(uintptr) *Dead }).DeadAt(addr)
}

// Moved says that what a container in an *arena.Arena with CheckObjects had at p is elsewhere now, so that nobody may use
// it there.
func Moved(a any, p unsafe.Pointer) {
	Engine.(interface{ Moved(any, unsafe.Pointer) }).Moved(a, p)
}

// Strays looks through the values of a self-contained *arena.Arena with CheckObjects and of its children for
// pointers that the GC doesn't see, and has those reported that weren't before. It returns an error if that can't
// be found out. last says that the arena's values die right after.
func Strays(a any, last bool) error {
	return Engine.(interface{ Strays(any, bool) error }).Strays(a, last)
}

// OnStray returns an arena.Option that sets what is called for each Stray.
func OnStray(f func(Stray)) any {
	return Engine.(interface{ OnStray(func(Stray)) any }).OnStray(f)
}

// OnTaken returns an arena.Option that sets what is called when a checked arena has reclaimed
// something, at the end of that operation, by the goroutine that does it. A Pool with it lends each
// arena once.
func OnTaken(f func()) any {
	return Engine.(interface{ OnTaken(func()) any }).OnTaken(f)
}

// Peek reports what is still referenced of all that checked arenas have reclaimed, once for each
// value; all of it will be looked at again in its time. It takes three GC cycles. What is reported
// between during(true) and during(false), by the calling goroutine, is what it has found.
func Peek(during func(peeking bool)) {
	Engine.(interface{ Peek(func(bool)) }).Peek(during)
}

// Lent returns the stacks of the calls of Get of those arenas of an *arena.Pool that were neither put back nor
// freed, as far as they are checked.
func Lent(pool any) []string {
	return Engine.(interface{ Lent(any) []string }).Lent(pool)
}

// ContextKey is the key of the arena in a context: a *arena.Arena or a Lender.
type ContextKey struct{}

// A Lender is what a context has in place of an arena that is got when it is first asked
// for.
type Lender interface {
	// Lend returns the *arena.Arena, which may be nil, for who asks with a context.
	Lend(asker context.Context) any
}

// A Stray is a pointer in a self-contained arena to what may be freed, since the GC
// doesn't see the pointer.
type Stray struct {
	Arena     string  // its name
	Type      string  // of the allocation that the pointer is in
	Field     string  // which part of it the pointer is
	Target    string  // what it leads to
	Size      uintptr // of the object there, 0 if it was freed already
	More      int     // how many of the kind there are besides
	Allocated []runtime.Frame

	Home *Home // what has the object, nil if the Go heap does
}

// A Home is an arena that has, or had, what a Stray leads to, and isn't the Stray's own or one that lives as long.
type Home struct {
	Kin       string // what it is to the Stray's, such as "a child"; "" if it was reclaimed
	Arena     string // its name
	Allocated string // file and line of the allocation
	Taken     string // and of the call that has reclaimed it since; or ""
}

// A Place is what there is at an address.
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
	Type             string
	Allocated, Taken string // file and line of the calls
}

// A Dead is a value that an arena has reclaimed, or all that died with a pointer that someone has
// followed.
type Dead struct {
	Arena     string
	Type      string          // "" if one of several
	Size      int             // of the value
	Values    []string        // some of these, with the places of the allocations
	Allocated []runtime.Frame // stack of the allocation of the value
	Taken     []runtime.Frame // and of the call that reclaimed it
}

// An Ending is a call that reclaimed memory.
type Ending struct {
	Trap  uintptr // where pointers that died then lead to, 4 KiB from here on
	Place string  // file and line of the call

	Values []string // some of what died, with the places of the allocations; only for Ended
}
