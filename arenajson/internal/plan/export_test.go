package plan

import (
	"reflect"
)

// LearnedOf returns how many names the plan of a struct has learned for it, how many bytes all that it has
// learned costs, and how many it may cost.
func LearnedOf(t reflect.Type) (names, cost, bound int) {
	all, plans := Of(t).Fields.Others.size()
	return Of(t).Fields.Others.count, all*nameCost + plans*insideCost, learnBytes
}

// size returns how many names and plans there are in all.
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
