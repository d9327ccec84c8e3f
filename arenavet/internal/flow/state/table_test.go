package state

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// pair is a table, and a map with the same contents.
type pair struct {
	table[int]
	model map[int]Value
}

// TestTableIsAMap: after any operations on a table, and on copies of it in turn, it has the contents of a map, in
// order.
func TestTableIsAMap(t *testing.T) {
	some := make([]Value, 5)
	for n := range some {
		some[n] = Just(Tag{Path: Numbered(n)}, nil)
	}
	for range 200 {
		pairs := []*pair{{model: map[int]Value{}}}
		for range 60 {
			p := pairs[rand.IntN(len(pairs))]
			number, at, v := rand.IntN(20), rand.IntN(20), some[rand.IntN(len(some))]
			odd := func(n int) bool { return n%2 == number%2 }
			switch rand.IntN(8) {
			case 0, 1, 2:
				p.set(number, &at, number, v)
				p.model[number] = v
			case 3:
				p.remove(number, &at)
				delete(p.model, number)
			case 4:
				p.keep(func(r *row[int]) bool { return odd(r.number) })
				maps.DeleteFunc(p.model, func(n int, _ Value) bool { return !odd(n) })
			case 5:
				swap := func(w Value) Value {
					if w.same(v) {
						return some[0]
					}
					return w
				}
				p.change(swap)
				for n, w := range p.model {
					p.model[n] = swap(w)
				}
			case 6:
				pairs = append(pairs, &pair{p.clone(), maps.Clone(p.model)})
			case 7:
				p.joinWith(pairs[rand.IntN(len(pairs))], v)
			}
			for _, p := range pairs {
				p.compare(t)
			}
		}
	}
}

// joinWith uses v for keys in both, and drops nothing.
func (p *pair) joinWith(other *pair, v Value) {
	both := func(_ int, here, there Value) (Value, bool) { return v, !here.same(there) }
	there := func(_ int, x Value) (Value, bool) { return x, true }
	model := maps.Clone(p.model)
	for n, x := range other.model {
		if here, ok := p.model[n]; !ok {
			model[n] = x
		} else if !here.same(x) {
			model[n] = v
		}
	}
	p.join(&other.table, both, there, asItWas[int])
	p.model = model
}

func (p *pair) compare(t *testing.T) {
	t.Helper()
	last := -1
	for _, r := range p.list {
		if r.number <= last || r.key != r.number || !r.value.same(p.model[r.number]) {
			t.Fatalf("%d: %v, want %v", r.number, r.value, p.model[r.number])
		}
		last = r.number
	}
	at := 3
	for n := range 20 {
		if v, ok := p.get(n, &at); !v.same(p.model[n]) || ok != (p.model[n] != nil) {
			t.Fatalf("%d: %v, %v, want %v", n, v, ok, p.model[n])
		}
	}
	if len(p.list) != len(p.model) {
		t.Fatalf("%d rows, want %d", len(p.list), len(p.model))
	}
}
