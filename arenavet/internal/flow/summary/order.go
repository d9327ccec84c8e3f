package summary

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
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

// A Nearest is a set of flows. It doesn't keep those that Sort would drop, which may be many times as many as the rest.
type Nearest[T flow] struct {
	all map[T]bool
	at  [maxFar + 1]int // number of flows by distance; the last one: or farther
}

// maxFar is the largest distance that a Nearest tells apart.
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

// look appends the text of x's target. There are many flows and names, and package fmt is too slow for them.
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

// String returns a text that is unique to the name.
func (s Sym) String() string { return string(s.look(nil)) }

func (s Sym) look(b []byte) []byte {
	b = append(strconv.AppendInt(append(b, '{'), int64(s.Param), 10), ' ')
	b = append(append(b, s.Global...), ' ')
	return append(append(b, s.Path...), '}')
}
