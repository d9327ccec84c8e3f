package plan

import (
	"reflect"

	"github.com/harena-go/arena/arenajson/internal/option"
)

// LearnedOf returns the number of names that the plan of a struct has learned, the cost of its learning in bytes, and
// the bound of that.
func LearnedOf(t reflect.Type) (names, cost, bound int) {
	all, plans := Of(t).Fields.Others.size()
	return Of(t).Fields.Others.count, all*nameCost + plans*insideCost, learnBytes
}

// size returns the number of names and plans in all.
func (v *Vocabulary) size() (names, plans int) {
	t := v.table.Load()
	if t == nil {
		return 0, 0
	}
	for i := range *t {
		if f := (*t)[i].Load(); f != nil {
			names++
			if n := f.Inside.Load(); n != nil {
				m, p := n.Fields.Others.size()
				names, plans = names+m, plans+p+1
			}
		}
	}
	return names, plans
}

// LeadsTo returns the offset of the field that a learned name leads to, or false.
func LeadsTo(t reflect.Type, m option.Matching, name string) (uintptr, bool) {
	f := Of(t).Fields.In(m).Others.Find([]byte(name))
	if f == nil || f.Node == nil {
		return 0, false
	}
	return f.Off, true
}

// LongestSearch returns the number of slots in the longest search in a table of fields.
func LongestSearch(t reflect.Type) (longest int) {
	slots := Of(t).Fields.Names.slots
	run := 0
	for i := range 2 * len(slots) { // a run may go around the end
		run++
		if slots[i%len(slots)] == 0 {
			longest, run = max(longest, run), 0
		}
	}
	return longest
}
