package state

import "slices"

// A table is a list of values, sorted by the numbers of their keys: cells, or instructions' results. It usually has
// some tens of rows, and the most frequent operations are copying, traversing, and traversing two side by side. With
// maps the edges between the blocks of 125 functions (calls/125 of BenchmarkAgainstVet) took 34 ms, with tables they
// take 16.
//
// Copies share the list until one of them changes.
type table[K any] struct {
	list   []row[K]
	shared bool // another table has the same list
}

type row[K any] struct {
	number int
	key    K
	value  Value
}

// clone returns a copy that may be changed.
func (t *table[K]) clone() table[K] {
	t.shared = true
	return *t
}

// own makes sure that the list may be changed.
func (t *table[K]) own() {
	if t.shared {
		t.list, t.shared = append(make([]row[K], 0, len(t.list)+len(t.list)/4+4), t.list...), false
	}
}

// at is find with a hint: the number's last index, usually in a copy of the table.
func (t *table[K]) at(number int, hint *int) (int, bool) {
	if n := *hint; n < len(t.list) && t.list[n].number == number {
		return n, true
	}
	n, ok := t.find(number)
	*hint = n
	return n, ok
}

// find returns the index of a number, or its insertion point. The newest numbers are at the end, and the most wanted.
func (t *table[K]) find(number int) (int, bool) {
	n := len(t.list)
	if n == 0 || t.list[n-1].number < number {
		return n, false
	}
	if t.list[n-1].number == number {
		return n - 1, true
	}
	from, to := 0, n-1
	for from < to {
		if m := int(uint(from+to) >> 1); t.list[m].number < number {
			from = m + 1
		} else {
			to = m
		}
	}
	return from, t.list[from].number == number
}

func (t *table[K]) get(number int, hint *int) (Value, bool) {
	if n, ok := t.at(number, hint); ok {
		return t.list[n].value, true
	}
	return nil, false
}

func (t *table[K]) set(number int, hint *int, key K, v Value) {
	n, ok := t.at(number, hint)
	if ok && t.list[n].value.same(v) && (t.list[n].value == nil) == (v == nil) {
		return
	}
	t.own()
	if ok {
		t.list[n].value = v
	} else {
		t.list = slices.Insert(t.list, n, row[K]{number, key, v})
	}
}

func (t *table[K]) remove(number int, hint *int) {
	if n, ok := t.at(number, hint); ok {
		t.own()
		t.list = slices.Delete(t.list, n, n+1)
	}
}

// keep removes the rows that f rejects.
func (t *table[K]) keep(f func(r *row[K]) bool) {
	for n := range t.list {
		if !f(&t.list[n]) {
			t.keepFrom(n, f)
			return
		}
	}
}

// keepFrom is keep after f has rejected the n-th row and accepted those before.
func (t *table[K]) keepFrom(n int, f func(r *row[K]) bool) {
	old := t.list
	if t.shared {
		t.list, t.shared = append(make([]row[K], 0, len(old)), old[:n]...), false
	} else {
		t.list = old[:n]
	}
	for m := n + 1; m < len(old); m++ {
		if f(&old[m]) {
			t.list = append(t.list, old[m])
		}
	}
	if rest := len(old) - len(t.list); cap(t.list) >= len(old) && rest > 0 {
		clear(t.list[len(t.list):len(old)])
	}
}

// change replaces each value by f's result, if that is another one.
func (t *table[K]) change(f func(v Value) Value) {
	for n := range t.list {
		old := t.list[n].value
		if v := f(old); !v.same(old) {
			t.own()
			t.list[n].value = v
		}
	}
}

// join traverses two tables side by side, and joins other into t: both decides the rows with keys in both tables, here
// and there the rest. Each returns the new value, and whether it has changed.
func (t *table[K]) join(other *table[K], both func(key K, here, there Value) (Value, bool),
	there, here func(key K, v Value) (Value, bool)) (changed bool) {
	var more []row[K]
	n := 0
	ask := func(n int) {
		if v, news := here(t.list[n].key, t.list[n].value); news {
			t.own()
			t.list[n].value, changed = v, true
		}
	}
	for m := range other.list {
		r := &other.list[m]
		for ; n < len(t.list) && t.list[n].number < r.number; n++ {
			ask(n)
		}
		if n == len(t.list) || t.list[n].number > r.number {
			if v, news := there(r.key, r.value); news {
				more = append(more, row[K]{r.number, r.key, v})
			}
			continue
		}
		if v, news := both(r.key, t.list[n].value, r.value); news {
			t.own()
			t.list[n].value, changed = v, true
		}
		n++
	}
	for ; n < len(t.list); n++ {
		ask(n)
	}
	t.insert(more)
	return changed || more != nil
}

// insert adds rows with new keys, in order.
func (t *table[K]) insert(more []row[K]) {
	if len(more) == 0 {
		return
	}
	list := make([]row[K], 0, len(t.list)+len(more)+4)
	old := t.list
	for _, r := range more {
		n := 0
		for n < len(old) && old[n].number < r.number {
			n++
		}
		list = append(append(list, old[:n]...), r)
		old = old[n:]
	}
	t.list, t.shared = append(list, old...), false
}
