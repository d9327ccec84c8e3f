// Package summary holds what callers of a function need to know of it, and how
// that is written down: in terms of the function's parameters, so that it means
// the same to each caller, also in another package and in another run.
//
// It is the innermost part of the analysis: it must not depend on how summaries are
// found, what a value or a state is, nor the SSA form. It holds data, in an order
// that is always the same, and bounds on how much of it there is.
package summary

import "slices"

// A Summary is what callers of a function need to know of it. It is a fact:
// callers in other packages know it, too.
//
// Invariant of a summary that is used: Sort and Merge were called on it, so that
// two runs over the same source give equal summaries, which is how the analysis
// sees that it is done.
type Summary struct {
	Results  []Flow    // what results may be
	Stores   []Store   // what is put into memory that the caller knows
	Clears   []Sym     // which of it holds nothing any more of what was there; what it holds now is in Stores
	Kills    []Kill    // which arenas reclaim memory
	Replaces []Sym     // where there is another arena now
	Touches  []Sym     // which arenas are used
	Needs    []Sym     // which must not have ended
	Fills    []Sym     // in which it allocates
	Uses     []Sym     // what is read and written of captured variables, and in what was passed
	Pending  []Pending // what goroutines have that may still run
	Calls    []Call    // of functions that the caller knows
	Gives    []Given   // what goroutines are given that may still run
	Late     []int     // parameters, and captured variables, that are used after waiting for others
	Panics   []Sym     // whose memory leaves it with a panic
	Stops    []Sym     // functions without a name that it calls: they may keep a goroutine from starting
	Waits    bool      // for other goroutines, perhaps
	Polls    bool      // an atomic variable, perhaps until others have got somewhere
	Locks    bool      // a mutex, perhaps
	Detaches bool      // the arena of a request from the handler: package arenahttp leaves it to others
	Unknown  bool      // it was given up: it may do anything else
}

// AFact makes a Summary a fact.
func (*Summary) AFact() {}

func (s *Summary) String() string { return "summary" }

// The verbs by which memory or an arena ends, as messages say them.
const (
	Reset  = "Reset"
	Rewind = "Rewind"
	Put    = "Pool.Put"
	Free   = "Free"
	DoEnds = "the end of Do"

	FreeSlot = "Slots.Free" // of one value of a collections.Slots
)

// A Flow says what a result, or a part of it, may be.
type Flow struct {
	Out  string // "#1", or the way from there: "#0*.name"
	Kind FlowKind
	From Sym
	ID   int    // of New and its like: tells them apart
	Verb string // of Dead; "lent" for MemoryNew of a pool's arena
	Gear Gear   // of the arena that it is, or is memory of, if that is new
}

// A Gear says whether the end of a life reuses memory.
type Gear uint8

const (
	Unseen  Gear = iota // the Pool isn't seen, and may be any
	Lasting             // no: a Pool without reuse
	Keyed               // of a Pool: for some keys
	Reusing             // a Pool with reuse, and all arenas that are of no Pool
)

// A FlowKind says what From means in a Flow.
type FlowKind uint8

const (
	Same      FlowKind = iota // it is From
	Memory                    // memory of the arena From
	New                       // a new arena
	Lent                      // an arena from a pool
	Child                     // a new child of the arena From
	MemoryNew                 // memory of the new arena ID
	Dead                      // memory that was reclaimed already
	DeadArena                 // an arena that has ended
	Made                      // memory that was made and is nobody's, to put things into
	Code                      // the function literal ID; other packages aren't told
	Old                       // of a Call: memory of the arena From is used behind it, which is older
)

// A Store says what is put into a place.
type Store struct {
	Into Sym
	Flow Flow
}

// A Kill is an arena that reclaims its memory.
type Kill struct {
	Root Sym
	Verb string
	Mark int // of Rewind, the parameter; or -1
}

// A Pending is what a goroutine has that may still run: an arena, or memory.
type Pending struct {
	Root   Sym
	Memory bool
	What   uint8 // a state.PendingKind
}

// A Given is memory that a goroutine has, which may still run.
type Given struct {
	What Sym
	How  uint8 // a state.PendingKind
}

// A Callee is a function that the caller knows: a callback, or a method of an interface.
type Callee struct {
	Func   Sym
	Method string // "" if Func itself is called
}

// A Call is a call of such a function, postponed until somebody knows which it is: that it is
// called, or one argument, or a part of it. Of memory that is Dead the ID says when it ends. A
// result is named by the way to the function: see state.CalledBack.
type Call struct {
	Callee
	Flow Flow // Out begins with the number of the argument, "#0*.name", or is "": it is called, or Old
	Sure bool // on each path, if Out is ""
}

// When what a callback was given ends: by the next call, or when its caller returns.
const (
	AfterAll = iota
	UntilNext
)

// Do returns what a function does that is like Pool.Do: it calls its parameter fn with an arena
// of its own, which ends then, and returns what fn has returned.
func Do(fn int, gear Gear) *Summary {
	callee := Callee{Func: Sym{Param: fn}}
	return &Summary{
		Results: []Flow{{Out: "#0", From: Sym{Param: fn, Path: "()#0"}}},
		Calls: []Call{{Callee: callee, Flow: Flow{Out: "#0", Kind: New, Gear: gear}},
			{Callee: callee, Flow: Flow{Out: "#0", Kind: Dead, Verb: DoEnds, ID: AfterAll, Gear: gear}}},
	}
}

// Concerns reports whether a function has to do with arenas. What only passes on
// what it is given doesn't, however much it passes on.
func (s *Summary) Concerns() bool {
	isMemory := func(k FlowKind) bool { return k != Same && k != Made && k != Code }
	return len(s.Kills)+len(s.Touches) > 0 ||
		slices.ContainsFunc(s.Calls, func(x Call) bool { return isMemory(x.Flow.Kind) }) ||
		slices.ContainsFunc(s.Results, func(x Flow) bool { return isMemory(x.Kind) }) ||
		slices.ContainsFunc(s.Stores, func(x Store) bool { return isMemory(x.Flow.Kind) })
}

// Foreign returns what other packages are told: what doesn't name anything of this one.
func (s *Summary) Foreign() *Summary {
	x := *s
	x.Results = slices.DeleteFunc(slices.Clone(x.Results), func(f Flow) bool { return f.Kind == Code })
	x.Stores = slices.DeleteFunc(slices.Clone(x.Stores), func(f Store) bool { return f.Flow.Kind == Code })
	x.Calls = slices.DeleteFunc(slices.Clone(x.Calls), func(f Call) bool { return f.Flow.Kind == Code })
	return &x
}

// Empty reports whether there is nothing to know, and so nothing to tell other
// packages.
func (s *Summary) Empty() bool {
	lists := len(s.Fills) + len(s.Results) + len(s.Stores) + len(s.Clears) + len(s.Kills) + len(s.Replaces) +
		len(s.Touches) + len(s.Needs) + len(s.Uses) + len(s.Pending) + len(s.Calls) + len(s.Gives) +
		len(s.Late) + len(s.Panics) + len(s.Stops)
	return lists == 0 && !s.Waits && !s.Polls && !s.Locks && !s.Detaches
}

// LentVerb says of a Flow of memory that its arena is from a pool.
const LentVerb = "lent"

// Add adds to a list what isn't in it.
func Add[T comparable](s *[]T, x T) {
	if !slices.Contains(*s, x) {
		*s = append(*s, x)
	}
}
