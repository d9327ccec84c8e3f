package summary

import (
	"fmt"
	"maps"
	"reflect"
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
	// What one returns another may be.
	slices.SortStableFunc(s.Calls, func(a, b Call) int { return len(a.Func.Path) - len(b.Func.Path) })
	order(s.Gives)
	order(s.Late)
	order(s.Stops)
	order(s.Panics)
}

// Merge takes all new arenas that are the same result to be one: only one of
// them is made by a call.
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
	for n, x := range s.Results { // also memory of them
		if id, ok := one[x.ID]; ok && x.Kind != Same && x.Kind != Memory {
			s.Results[n].ID = id
		}
	}
}

// limit returns the flows that lead through the fewest pointers, in order. It doesn't
// cut between two that lead equally far, where which is kept would depend on their
// names; if all do, it must.
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

// A flow is one of the kinds that there may be too many of.
type flow interface {
	comparable
	far() int
}

// A Nearest is a set of flows. It doesn't keep those that Sort would drop:
// there may be many times as many of them as Sort leaves.
type Nearest[T flow] struct {
	all map[T]bool
	at  [maxFar + 1]int // how many lead so far, the last one: or farther
}

// maxFar is how far flows lead that are told apart by that here.
const maxFar = 15

// Add adds a flow.
func (n *Nearest[T]) Add(x T) {
	far, nearer := min(x.far(), maxFar), 0
	for _, k := range n.at[:far] {
		nearer += k
	}
	if nearer > maxFlows || n.all[x] {
		return
	}
	if n.all == nil {
		n.all = map[T]bool{}
	}
	n.all[x] = true
	n.at[far]++
}

// Has reports whether a flow was added.
func (n *Nearest[T]) Has(x T) bool { return n.all[x] }

// List returns the flows, in any order.
func (n *Nearest[T]) List() []T { return slices.Collect(maps.Keys(n.all)) }

func (x Flow) far() int {
	n := stars(x.Out) + stars(x.From.Path)
	if x.Kind == Made { // what is in it counts for more
		n++
	}
	return n
}
func (x Store) far() int { return stars(x.Into.Path) + x.Flow.far() }

func (x Call) far() int { return stars(x.Func.Path) + x.Flow.far() }

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
	var b []byte
	ends := make([]int, len(list))
	for n := range list {
		b = look(b, &list[n])
		ends[n] = len(b)
	}
	text, begin := string(b), 0 // all keys in one string
	for n, x := range list {
		all[n] = keyed{text[begin:ends[n]], x}
		begin = ends[n]
	}
	slices.SortFunc(all, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
	for n, x := range all {
		list[n] = x.item
	}
}

// look appends what the item looks like that x points to. There are many flows and
// names, and package fmt takes too long for them.
func look(b []byte, x any) []byte {
	switch x := x.(type) {
	case *Flow:
		return x.look(b)
	case *Store:
		return append(x.Flow.look(append(x.Into.look(append(b, '{')), ' ')), '}')
	case *Sym:
		return x.look(b)
	}
	return fmt.Append(b, reflect.ValueOf(x).Elem().Interface())
}

func (x Flow) look(b []byte) []byte {
	b = append(append(append(b, '{'), x.Out...), ' ')
	b = append(strconv.AppendUint(b, uint64(x.Kind), 10), ' ')
	b = append(x.From.look(b), ' ')
	b = append(strconv.AppendInt(b, int64(x.ID), 10), ' ')
	return append(append(b, x.Verb...), ' ', '0'+byte(x.Gear), '}')
}

// String returns a text that no other name has.
func (s Sym) String() string { return string(s.look(nil)) }

func (s Sym) look(b []byte) []byte {
	b = append(strconv.AppendInt(append(b, '{'), int64(s.Param), 10), ' ')
	b = append(append(b, s.Global...), ' ')
	return append(append(b, s.Path...), '}')
}
