package flow

import (
	"fmt"
	"slices"
	"strings"
)

// A Summary is what callers of a function need to know of it. It is a fact:
// callers in other packages know it, too.
type Summary struct {
	Results  []Flow      // what results may be
	Stores   []Store     // what is put into memory that the caller knows
	Clears   []sym       // which of it holds nothing any more
	Kills    []Kill      // which arenas take back memory
	Replaces []sym       // where there is another arena now
	Touches  []sym       // which arenas are used
	Needs    []sym       // which must not have ended
	Uses     []sym       // what is read and written of captured variables
	Pending  []Pending   // what goroutines have that may still run
	Calls    []CallsFunc // functions that are lent an arena
	Gives    []Given     // what goroutines are given that may still run
	Late     []int       // parameters, and captured variables, that are used after waiting for others
	Stops    []sym       // functions without a name that it calls: stops may know them
	Waits    bool        // for other goroutines, perhaps
	Polls    bool        // an atomic variable, perhaps until others have got somewhere
	Locks    bool        // a mutex, perhaps
	Unknown  bool        // it was given up: it may do anything
}

// unknown is the summary of functions that were given up.
var unknown = Summary{Waits: true, Polls: true, Locks: true, Unknown: true}

func (*Summary) AFact() {}

func (s *Summary) String() string { return "summary" }

// A Flow says what a result, or a part of it, may be.
type Flow struct {
	Out  string // "#1", or the way from there: "#0*.name"
	Kind FlowKind
	From sym
	ID   int    // of New: tells them apart
	Verb string // of Dead
}

// A FlowKind says what From means in a Flow.
type FlowKind uint8

const (
	Same      FlowKind = iota // it is From
	Memory                    // memory of the arena From
	New                       // a new arena
	Lent                      // an arena from a pool
	MemoryNew                 // memory of the new arena ID
	Dead                      // memory that was taken back already
	DeadArena                 // an arena that has ended
)

// A Store says what is put into a place.
type Store struct {
	Into sym
	Flow Flow
}

// A Kill is an arena that takes back its memory.
type Kill struct {
	Root sym
	Verb string
	Mark int // of Rewind, the parameter; or -1
}

// A Pending is what a goroutine has that may still run: an arena, or memory.
type Pending struct {
	Root   sym
	Memory bool
	What   uint8
}

// A Given is memory that a goroutine has, which may still run.
type Given struct {
	What sym
	How  uint8
}

// A CallsFunc is a parameter, a function, that is called with an arena which
// ends after that.
type CallsFunc struct{ Param, Arg int }

// concerns says whether it has to do with arenas.
func (s *Summary) concerns() bool {
	isMemory := func(k FlowKind) bool { return k != Same }
	return len(s.Kills)+len(s.Touches)+len(s.Calls) > 0 ||
		slices.ContainsFunc(s.Results, func(x Flow) bool { return isMemory(x.Kind) }) ||
		slices.ContainsFunc(s.Stores, func(x Store) bool { return isMemory(x.Flow.Kind) })
}

// empty says whether there is nothing to know.
func (s *Summary) empty() bool {
	return len(s.Results)+len(s.Stores)+len(s.Clears)+len(s.Kills)+len(s.Replaces)+len(s.Touches)+len(s.Needs)+len(s.Uses)+len(s.Pending)+len(s.Calls)+len(s.Gives)+len(s.Stops) == 0 && len(s.Late) == 0 && !s.Waits && !s.Polls && !s.Locks
}

// merge takes all new arenas that are the same result to be one: only one of
// them is made by a call.
func (s *Summary) merge() {
	one, first := map[int]int{}, map[string]int{}
	for _, x := range s.Results {
		if x.Kind == New || x.Kind == Lent {
			if _, ok := first[x.Out]; !ok {
				first[x.Out] = x.ID
			}
			one[x.ID] = first[x.Out]
		}
	}
	for n, x := range s.Results {
		if id, ok := one[x.ID]; ok && x.Kind != Same && x.Kind != Memory {
			s.Results[n].ID = id
		}
	}
}

// maxFlows is how many results and stores callers are told of, at most. Of
// others, which lead farther, nothing is known: functions that call each other
// would tell each other of more and more of them.
const maxFlows = 30

// limit returns the flows that lead through the fewest pointers.
func limit[T any](list []T, far func(T) int) []T {
	if len(list) <= maxFlows {
		return list
	}
	slices.SortStableFunc(list, func(a, b T) int { return far(a) - far(b) })
	n := maxFlows // none of those that lead as far as the first one that there is no room for
	for n > 0 && far(list[n-1]) == far(list[maxFlows]) {
		n--
	}
	if n == 0 {
		n = maxFlows
	}
	list = list[:n]
	order(list)
	return list
}

func (x Flow) far() int  { return stars(x.Out) + stars(x.From.Path) }
func (x Store) far() int { return stars(x.Into.Path) + x.Flow.far() }

func stars(path string) int { return strings.Count(path, "*") }

// sort puts the lists into an order that is always the same.
func (s *Summary) sort() {
	order(s.Results)
	order(s.Stores)
	s.Results = limit(s.Results, Flow.far)
	s.Stores = limit(s.Stores, Store.far)
	order(s.Clears)
	order(s.Kills)
	order(s.Replaces)
	order(s.Touches)
	order(s.Needs)
	order(s.Uses)
	order(s.Pending)
	order(s.Calls)
	order(s.Gives)
	order(s.Late)
	order(s.Stops)
}

func order[T any](list []T) {
	type keyed struct {
		key  string
		item T
	}
	all := make([]keyed, len(list))
	for n, x := range list {
		all[n] = keyed{fmt.Sprint(x), x}
	}
	slices.SortFunc(all, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
	for n, x := range all {
		list[n] = x.item
	}
}
