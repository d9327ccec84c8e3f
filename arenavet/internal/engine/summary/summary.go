// Package summary holds the facts that callers of a function need, in terms of the function's parameters, so that they
// mean the same to each caller, also in another package and in another run.
//
// It is the innermost part of the analysis: it must not depend on how summaries are made, on values or states, nor on
// the SSA form. It holds data, in a deterministic order, and bounds on its size.
package summary

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

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

// This part defines names, by which a function and its callers refer to the same value. The idea is that of invocation
// graphs' "extended parameters" (Emami, Ghiya and Hendren, PLDI 1994): a value of the caller is named by the path to
// it, and each caller substitutes its own values for the names.

// A Sym names a value in terms that a caller understands: parameter Param (free variables follow the parameters), or a
// global if that is -1, and the path from there.
//
//	""             the parameter itself
//	".name"        its field, if it is a struct
//	"*"            its target
//	"*.name*"      the target of a pointer in a field of that
//	"*.name&"      the address of that field
//	"*[]"  "*[k]"  elements of a slice, an array, a map; keys of a map
//
// Path is at most MaxPath long: the code that makes it ensures that.
type Sym struct {
	Param  int
	Global string
	Path   string
}

// MaxPath bounds the length of paths, in bytes, which recursive types would make endless: this is k-limiting (Jones and
// Muchnick, POPL 1979) with k in letters, since the number of different paths is the cost.
const MaxPath = 60

// Add returns the name of the value at a path from s, nil if it has none: if s is nil, or the path is too long.
func (s *Sym) Add(path string) *Sym {
	if s == nil || len(s.Path)+len(path) > MaxPath {
		return nil
	}
	return &Sym{s.Param, s.Global, s.Path + path}
}

// Whole returns the name of the parameter or global that a name starts from.
func Whole(x *Sym) Sym { return Sym{Param: x.Param, Global: x.Global} }

// This part represents summaries as text, for the standard library's functions.

// Parse parses flows, separated by spaces:
//
//	#0*.Host=0      the target of the first result may have, in field Host, the first argument
//	#1*[]=0*.list   elements of the second result: field list in the first argument's target
//	0*[]+*[]=2      stores into the elements of the first argument, a map: slices
//	                with the third argument as an element
//	0*[in]-         cleared contents
func Parse(text string) *Summary {
	s := new(Summary)
	for term := range strings.FieldsSeq(text) {
		to, from, ok := strings.Cut(term, "=")
		if !ok {
			s.Clears = append(s.Clears, parseSym(strings.TrimSuffix(to, "-")))
			continue
		}
		x := Flow{From: parseSym(from)}
		if into, out, ok := strings.Cut(to, "+"); ok {
			x.Out = out
			s.Stores = append(s.Stores, Store{Into: parseSym(into), Flow: x})
		} else {
			x.Out = to
			s.Results = append(s.Results, x)
		}
	}
	return s
}

// parseSym parses a parameter's number and the path from there.
func parseSym(text string) Sym {
	n := strings.IndexFunc(text, func(r rune) bool { return r < '0' || r > '9' })
	if n < 0 {
		n = len(text)
	}
	param, _ := strconv.Atoi(text[:n])
	return Sym{Param: param, Path: text[n:]}
}

// Text returns the text for Parse, "" if there is nothing to say. It leaves out arenas, globals and goroutines.
func (s *Summary) Text() string {
	var terms []string
	for _, x := range s.Results {
		if x.Kind == Same && x.From.Param >= 0 {
			terms = append(terms, x.Out+"="+x.From.text())
		}
	}
	for _, x := range s.Stores {
		if x.Flow.Kind == Same && x.Flow.From.Param >= 0 && x.Into.Param >= 0 {
			terms = append(terms, x.Into.text()+"+"+x.Flow.Out+"="+x.Flow.From.text())
		}
	}
	for _, x := range s.Clears {
		if x.Param >= 0 {
			terms = append(terms, x.text()+"-")
		}
	}
	slices.Sort(terms)
	return strings.Join(terms, " ")
}

func (s Sym) text() string { return strconv.Itoa(s.Param) + s.Path }

// This part makes summaries with the same content equal, and small.

// maxFlows bounds the results and stores in a summary. Others, which lead through more pointers, are dropped: functions
// that call each other would add more and more of them.
const maxFlows = 30

// Sort sorts the lists, which come out of maps in any order, and drops flows that lead too far.
func (s *Summary) Sort() {
	s.Results = limit(s.Results)
	s.Stores = limit(s.Stores)
	order(s.Clears)
	order(s.Kills)
	order(s.Replaces)
	order(s.Touches)
	order(s.Needs)
	order(s.Fills)
	order(s.Uses)
	order(s.Pending)
	s.Calls = limit(s.Calls)
	// A call's result may be another call's function.
	slices.SortStableFunc(s.Calls, func(a, b Call) int { return len(a.Func.Path) - len(b.Func.Path) })
	order(s.Gives)
	order(s.Late)
	order(s.Stops)
	order(s.Panics)
}

// Merge merges the new arenas of one result: a call makes only one of them.
func (s *Summary) Merge() {
	one, first := map[int]int{}, map[string]int{}
	for _, x := range s.Results {
		if x.Kind == New || x.Kind == Lent || x.Kind == Child {
			if _, ok := first[x.Out]; !ok {
				first[x.Out] = x.ID
			}
			one[x.ID] = first[x.Out]
		}
	}
	for n, x := range s.Results { // also their memory
		if id, ok := one[x.ID]; ok && x.Kind != Same && x.Kind != Memory {
			s.Results[n].ID = id
		}
	}
}

// limit returns the flows that lead through the fewest pointers, in order. It doesn't cut among flows of equal
// distance, where names would decide; if all are equal, it must.
func limit[T flow](list []T) []T {
	if len(list) <= maxFlows {
		order(list)
		return list
	}
	fars := make([]int, len(list))
	for n, x := range list {
		fars[n] = x.far()
	}
	slices.Sort(fars)
	nearest, edge := fars[0], fars[maxFlows]
	list = slices.DeleteFunc(list, func(x T) bool { return x.far() > edge || x.far() == edge && nearest < edge })
	order(list)
	return list[:min(len(list), maxFlows)]
}

// A flow is an entry of a list that may become too long.
type flow interface {
	comparable
	far() int
}

func (x Flow) far() int {
	n := stars(x.Out) + stars(x.From.Path)
	if x.Kind == Made { // its contents count for more
		n++
	}
	return n
}
func (x Store) far() int { return stars(x.Into.Path) + x.Flow.far() }

func (x Call) far() int { return stars(x.Func.Path) + x.Flow.far() }

// stars returns the number of pointers on a path.
func stars(path string) int { return strings.Count(path, "*") }

// order sorts a list by the text of its items, which is the only order that all their types have. Each item is printed
// once, not at each comparison.
func order[T comparable](list []T) {
	if len(list) < 2 {
		return
	}
	text := map[T]string{}
	for _, x := range list {
		text[x] = fmt.Sprint(x)
	}
	slices.SortFunc(list, func(a, b T) int { return strings.Compare(text[a], text[b]) })
}

// String returns a text that is unique to the name.
func (s Sym) String() string { return fmt.Sprintf("{%d %s %s}", s.Param, s.Global, s.Path) }
