package server

// This file holds what one writes with sync.Pool: everything of one request is
// kept in a kit, which serves another one afterwards. Structs, slices, maps and
// buffers are used again. Strings can't be, because they never change, so they
// come from the heap.

// A kit is what one request after the other uses.
type kit struct {
	b       Batch
	sum     Summary
	records []*Record
	sources []*Source
	groups  []*Group
	used    struct{ records, sources, groups int }

	in, out []byte
}

// reset makes the kit ready for the next request.
func (k *kit) reset() {
	k.used.records, k.used.sources, k.used.groups = 0, 0, 0
	k.b = Batch{Sources: k.b.Sources[:0]}
	s := &k.sum
	*s = Summary{Services: s.Services[:0], Routes: s.Routes[:0], Regions: s.Regions[:0]}
}

// recycled returns the element *used of list, a new one if there are no more,
// and counts it as used.
func recycled[T any](list *[]*T, used *int) *T {
	if *used == len(*list) {
		*list = append(*list, new(T))
	}
	*used++
	return (*list)[*used-1]
}

// pooled is the maker of a kit.
type pooled struct{ k *kit }

func (m pooled) body(size int) []byte {
	if cap(m.k.in) < size {
		m.k.in = make([]byte, size)
	}
	return m.k.in[:size]
}

func (m pooled) answer(size int) []byte {
	if cap(m.k.out) < size {
		m.k.out = make([]byte, 0, size)
	}
	return m.k.out
}

func (m pooled) batch() *Batch     { return &m.k.b }
func (m pooled) summary() *Summary { return &m.k.sum }

func (m pooled) record() *Record {
	r := recycled(&m.k.records, &m.k.used.records)
	labels := r.Labels
	labels.clear()
	*r = Record{Tags: r.Tags[:0], Samples: r.Samples[:0], Labels: labels}
	return r
}

func (m pooled) source(b *Batch, service, host []byte) *Source {
	s := recycled(&m.k.sources, &m.k.used.sources)
	s.Service, s.Host = string(service), string(host)
	b.Sources = append(b.Sources, s)
	return s
}

func (m pooled) addGroup(groups []*Group, name string) []*Group {
	g := recycled(&m.k.groups, &m.k.used.groups)
	*g = Group{Name: name}
	return append(groups, g)
}

func (pooled) text(b []byte) string                   { return string(b) }
func (pooled) addTag(r *Record, tag []byte)           { heap{}.addTag(r, tag) }
func (pooled) addSample(r *Record, n int64)           { heap{}.addSample(r, n) }
func (pooled) setLabel(r *Record, name, value []byte) { heap{}.setLabel(r, name, value) }
