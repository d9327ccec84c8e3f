package server

// Labels are a record's further properties: a map from names to values. On the
// heap that is Go's built-in map. In an arena it is a table, because a built-in
// map makes its memory on the Go heap wherever the variable is. One of the two
// is nil; both are if there are no labels.
type Labels struct {
	built map[string]string
	table *table[string]
}

// Get returns the value of a label, "" if there is none.
func (l Labels) Get(name string) string {
	if l.table != nil {
		v, _ := l.table.get(name)
		return v
	}
	return l.built[name]
}

// Len returns how many labels there are.
func (l Labels) Len() int {
	if l.table != nil {
		return l.table.len()
	}
	return len(l.built)
}

// All calls yield with each label, in no particular order.
func (l Labels) All(yield func(name, value string) bool) {
	if l.table != nil {
		l.table.all(yield)
		return
	}
	for k, v := range l.built {
		if !yield(k, v) {
			return
		}
	}
}

// clear removes all labels and keeps the memory.
func (l Labels) clear() {
	if l.table != nil {
		l.table.clear()
	}
	clear(l.built)
}
