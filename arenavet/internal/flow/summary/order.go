package summary

import (
	"fmt"
	"slices"
	"strings"
)

// This file makes summaries with the same content equal, and small.

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
