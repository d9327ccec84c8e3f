// Package summary holds the facts that callers of a function need, in terms of the function's parameters, so that they
// mean the same to each caller, also in another package and in another run.
//
// It is the innermost part of the analysis: it must not depend on how summaries are made, on values or states, nor on
// the SSA form. It holds data, in a deterministic order, and bounds on its size.
package summary

import "slices"

// A Summary has the facts that callers of a function need. It is an analysis.Fact: callers in other packages have it,
// too.
//
// Invariant of a summary in use: Sort and Merge were called on it, so that two runs over the same source give equal
// summaries, by which the analysis detects that it is done.
type Summary struct {
	Results  []Flow    // possible results
	Stores   []Store   // into memory that the caller knows
	Clears   []Sym     // memory of the caller that lost its old contents; new ones are in Stores
	Kills    []Kill    // arenas that reclaim memory
	Replaces []Sym     // places that have another arena now
	Touches  []Sym     // arenas that are used
	Needs    []Sym     // arenas that must not have ended
	Fills    []Sym     // arenas in which it allocates
	Uses     []Sym     // captured variables and values behind parameters that are read or written
	Pending  []Pending // values of goroutines that may still run
	Calls    []Call    // of functions that the caller knows
	Gives    []Given   // arguments of goroutines that may still run
	Late     []int     // parameters, and captured variables, that are used after waiting for others
	Panics   []Sym     // arenas whose memory leaves it with a panic
	Stops    []Sym     // functions without a name that it calls: they may keep a goroutine from starting
	Waits    bool      // for other goroutines, possibly
	Polls    bool      // an atomic variable, possibly for others' progress
	Locks    bool      // a mutex, possibly
	Detaches bool      // the arena of a request from the handler: package arenahttp hands it over
	Unknown  bool      // the analysis was given up: it may do anything else
}

// AFact makes a Summary a fact.
func (*Summary) AFact() {}

func (s *Summary) String() string { return "summary" }

// The verbs that end memory or an arena, as in messages.
const (
	Reset  = "Reset"
	Rewind = "Rewind"
	Put    = "Pool.Put"
	Free   = "Free"
	DoEnds = "the end of Do"

	FreeSlot = "Slots.Free" // of one value of a collections.Slots
)

// A Flow is one thing that a result, or a part of it, may be.
type Flow struct {
	Out  string // "#1", or the path from there: "#0*.name"
	Kind FlowKind
	From Sym
	ID   int    // of New and its like: tells them apart
	Verb string // of Dead; "lent" for MemoryNew of a pool's arena
	Gear Gear   // of the new arena, or that of the new memory
}

// A Gear says whether the end of a life reuses memory.
type Gear uint8

const (
	Unseen  Gear = iota // the Pool isn't seen, and may be any
	Lasting             // no: a Pool without reuse
	Keyed               // of a Pool: for some keys
	Reusing             // a Pool with reuse, and all arenas that are of no Pool
)

// A FlowKind is the meaning of From in a Flow.
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
	Made                      // memory that was made and is nobody's, to store values in
	Code                      // the function literal ID; not exported to other packages
	Old                       // of a Call: memory of the arena From, older than the call, is used after it
)

// A Store is a value stored at a place.
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

// A Pending is an arena, or memory, of a goroutine that may still run.
type Pending struct {
	Root   Sym
	Memory bool
	What   uint8 // a state.PendingKind
}

// A Given is memory passed to a goroutine that may still run.
type Given struct {
	What Sym
	How  uint8 // a state.PendingKind
}

// A Callee is a function that the caller knows: a callback, or a method of an interface.
type Callee struct {
	Func   Sym
	Method string // "" if Func itself is called
}

// A Call is a fact about a call of such a function, postponed until somebody knows the function: that it is called, or
// one argument, or a part of it. For Dead memory the ID says when it ends. A result is named by the path to the
// function: see state.CalledBack.
type Call struct {
	Callee
	Flow Flow // Out starts with the argument's number, "#0*.name"; if "", a call or Old
	Sure bool // on each path, if Out is ""
}

// The end of a callback's arguments: when its caller returns, or at the next call.
const (
	AfterAll = iota
	UntilNext
)

// Do returns the summary of a function like Pool.Do: it calls its parameter fn with an arena of its own, which ends
// then, and returns fn's result.
func Do(fn int, gear Gear) *Summary {
	callee := Callee{Func: Sym{Param: fn}}
	return &Summary{
		Results: []Flow{{Out: "#0", From: Sym{Param: fn, Path: "()#0"}}},
		Calls: []Call{{Callee: callee, Flow: Flow{Out: "#0", Kind: New, Gear: gear}},
			{Callee: callee, Flow: Flow{Out: "#0", Kind: Dead, Verb: DoEnds, ID: AfterAll, Gear: gear}}},
	}
}

// Concerns reports whether a function is related to arenas. A function that only passes its arguments on isn't, however
// many.
func (s *Summary) Concerns() bool {
	isMemory := func(k FlowKind) bool { return k != Same && k != Made && k != Code }
	return len(s.Kills)+len(s.Touches) > 0 ||
		slices.ContainsFunc(s.Calls, func(x Call) bool { return isMemory(x.Flow.Kind) }) ||
		slices.ContainsFunc(s.Results, func(x Flow) bool { return isMemory(x.Kind) }) ||
		slices.ContainsFunc(s.Stores, func(x Store) bool { return isMemory(x.Flow.Kind) })
}

// Kept returns the summary with only the values that the function keeps; for a method, without the receiver's own.
func (s *Summary) Kept(method bool) *Summary {
	own := func(x Flow) bool { return method && x.Kind == Same && x.From.Param <= 0 }
	return &Summary{
		Gives:  s.Gives,
		Panics: s.Panics,
		Stores: slices.DeleteFunc(slices.Clone(s.Stores), func(x Store) bool { return own(x.Flow) }),
		Calls:  slices.DeleteFunc(slices.Clone(s.Calls), func(x Call) bool { return own(x.Flow) }),
	}
}

// Foreign returns the summary for other packages: without references to this one's code.
func (s *Summary) Foreign() *Summary {
	x := *s
	x.Results = slices.DeleteFunc(slices.Clone(x.Results), func(f Flow) bool { return f.Kind == Code })
	x.Stores = slices.DeleteFunc(slices.Clone(x.Stores), func(f Store) bool { return f.Flow.Kind == Code })
	x.Calls = slices.DeleteFunc(slices.Clone(x.Calls), func(f Call) bool { return f.Flow.Kind == Code })
	return &x
}

// Empty reports whether there is nothing to know, so nothing to export.
func (s *Summary) Empty() bool {
	lists := len(s.Fills) + len(s.Results) + len(s.Stores) + len(s.Clears) + len(s.Kills) + len(s.Replaces) +
		len(s.Touches) + len(s.Needs) + len(s.Uses) + len(s.Pending) + len(s.Calls) + len(s.Gives) +
		len(s.Late) + len(s.Panics) + len(s.Stops)
	return lists == 0 && !s.Waits && !s.Polls && !s.Locks && !s.Detaches
}

// LentVerb marks a Flow of memory whose arena is a pool's.
const LentVerb = "lent"

// Add appends x to a list, unless it has it.
func Add[T comparable](s *[]T, x T) {
	if !slices.Contains(*s, x) {
		*s = append(*s, x)
	}
}
