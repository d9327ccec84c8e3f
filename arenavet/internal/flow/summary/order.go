package summary

import (
	"fmt"
	"slices"
	"strings"
)

// This file holds what makes two summaries that say the same equal, and small.

// maxFlows is how many results and stores callers are told of, at most. Of
// others, which lead farther, nothing is known: functions that call each other
// would tell each other of more and more of them.
const maxFlows = 30

// Sort puts the lists into an order that is always the same, and drops what
// leads too far. The lists come out of maps, in any order.
func (s *Summary) Sort() {
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
	order(s.Yields)
	s.Yields = limit(s.Yields, Yield.far)
	order(s.Late)
	order(s.Stops)
}

// Merge takes all new arenas that are the same result to be one: only one of
// them is made by a call.
func (s *Summary) Merge() {
	one, first := map[int]int{}, map[string]int{}
	for _, x := range s.Results {
		if x.Kind == New || x.Kind == Lent {
			if _, ok := first[x.Out]; !ok {
				first[x.Out] = x.ID
			}
			one[x.ID] = first[x.Out]
		}
	}
	for n, x := range s.Results { // also memory of them
		if id, ok := one[x.ID]; ok && x.Kind != Same && x.Kind != Memory {
			s.Results[n].ID = id
		}
	}
}

// limit returns the flows that lead through the fewest pointers. It doesn't cut
// between two that lead equally far, where which is kept would depend on their
// names; if all do, it must.
func limit[T any](list []T, far func(T) int) []T {
	if len(list) <= maxFlows {
		return list
	}
	slices.SortStableFunc(list, func(a, b T) int { return far(a) - far(b) })
	n := maxFlows
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

func (x Flow) far() int {
	n := stars(x.Out) + stars(x.From.Path)
	if x.Kind == Made { // what is in it counts for more
		n++
	}
	return n
}
func (x Store) far() int { return stars(x.Into.Path) + x.Flow.far() }

func (x Yield) far() int { return stars(x.Func.Path) + x.Flow.far() }

// stars is how many pointers a path leads through.
func stars(path string) int { return strings.Count(path, "*") }

// order sorts a list by what its items look like, which is the only order that
// all kinds of them have. Each is printed once, not at each comparison.
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
