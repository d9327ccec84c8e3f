package summary

import (
	"fmt"
	"slices"
	"strconv"
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

// limit returns the flows that lead through the fewest pointers, in the order that
// they have. It doesn't cut between two that lead equally far, where which is kept
// would depend on their names; if all do, it must.
func limit[T any](list []T, far func(T) int) []T {
	if len(list) <= maxFlows {
		return list
	}
	fars := make([]int, len(list))
	for n, x := range list {
		fars[n] = far(x)
	}
	sorted := slices.Sorted(slices.Values(fars))
	nearest, edge := sorted[0], sorted[maxFlows]
	kept := list[:0]
	for n, x := range list {
		if fars[n] < edge || nearest == edge && fars[n] == edge && len(kept) < maxFlows {
			kept = append(kept, x)
		}
	}
	return kept
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
	if len(list) < 2 {
		return
	}
	type keyed struct {
		key  string
		item T
	}
	all := make([]keyed, len(list))
	for n, x := range list {
		all[n] = keyed{look(x), x}
	}
	slices.SortFunc(all, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
	for n, x := range all {
		list[n] = x.item
	}
}

// look returns what an item looks like. Of flows, of which there are many, package fmt
// takes too long to say so.
func look(x any) string {
	var b []byte
	switch x := x.(type) {
	case Flow:
		b = x.look(b)
	case Store:
		b = append(x.Flow.look(append(x.Into.look(append(b, '{')), ' ')), '}')
	default:
		return fmt.Sprint(x)
	}
	return string(b)
}

func (x Flow) look(b []byte) []byte {
	b = append(append(append(b, '{'), x.Out...), ' ')
	b = append(strconv.AppendUint(b, uint64(x.Kind), 10), ' ')
	b = append(x.From.look(b), ' ')
	b = append(strconv.AppendInt(b, int64(x.ID), 10), ' ')
	return append(append(b, x.Verb...), '}')
}

// String returns a text that no other name has.
func (s Sym) String() string { return string(s.look(nil)) }

func (s Sym) look(b []byte) []byte {
	b = append(strconv.AppendInt(append(b, '{'), int64(s.Param), 10), ' ')
	b = append(append(b, s.Global...), ' ')
	return append(append(b, s.Path...), '}')
}
