package state

import "slices"

// This file holds what is remembered of large values. In a function with many loops, whose
// containers lead to each other, most cells hold one of a few values with hundreds of tags each,
// and each is joined with others at each edge. Equal ones are one value, and joined once.

// large is from how many tags on it pays to remember what was done with a value: cells often have
// the same one, and then get the same one added.
const large = 12

// A merged is a question to Replace or Join.
type merged struct {
	v, w       *entry
	lenV, lenW int
	replaces   bool
}

// merge is v.Join(w), or v.Replace(w), which it remembers of large values.
func (p *Places) merge(v, w Value, replaces bool) Value {
	do := func() Value {
		if replaces {
			return v.Replace(w)
		}
		u, _ := v.Join(w)
		return u
	}
	if len(v) == 0 || len(w) == 0 || len(v)+len(w) < large {
		return do()
	}
	key := merged{&v[0], &w[0], len(v), len(w), replaces}
	u, ok := p.merges[key]
	if !ok {
		p.Spend(len(v) + len(w))
		if u = do(); !u.same(v) {
			u = p.known(u)
		}
		p.merges[key] = u
	}
	return u
}

// known returns the value that is the same as v and was there first.
func (p *Places) known(v Value) Value {
	hash := uint64(len(v))
	for n := range v {
		hash = (hash ^ v[n].order) * 0x9E3779B97F4A7C15
		hash ^= hash >> 29
	}
	for _, u := range p.values[hash] {
		if slices.EqualFunc(u, v, func(d, e entry) bool {
			return d.death == e.death && (d.node == e.node || d.node.Tag == e.node.Tag)
		}) {
			return u
		}
	}
	p.values[hash] = append(p.values[hash], v)
	return v
}
