package server

import "github.com/harena-go/arena"

// A maker allocates what a request needs. It is all that distinguishes the ways
// to answer one: they share the parser, the aggregation and the answer. A maker
// serves one request; bytes that are passed to it are the caller's, and copied.
type maker interface {
	body(size int) []byte   // for the request's body, of undefined content
	answer(size int) []byte // an empty slice with room for the answer

	batch() *Batch
	summary() *Summary
	record() *Record
	source(b *Batch, service, host []byte) *Source // added to the batch
	text(b []byte) string
	addTag(r *Record, tag []byte)
	addSample(r *Record, n int64)
	setLabel(r *Record, name, value []byte)
	addGroup(groups []*Group, name string) []*Group
}

// heap is what one writes without a thought of allocation.
type heap struct{}

func (heap) body(size int) []byte   { return make([]byte, size) }
func (heap) answer(size int) []byte { return make([]byte, 0, size) }
func (heap) batch() *Batch          { return &Batch{} }
func (heap) summary() *Summary      { return &Summary{} }
func (heap) record() *Record        { return &Record{} }
func (heap) text(b []byte) string   { return string(b) }

func (heap) source(b *Batch, service, host []byte) *Source {
	s := &Source{Service: string(service), Host: string(host)}
	b.Sources = append(b.Sources, s)
	return s
}

func (heap) addTag(r *Record, tag []byte) { r.Tags = append(r.Tags, string(tag)) }
func (heap) addSample(r *Record, n int64) { r.Samples = append(r.Samples, n) }

func (heap) setLabel(r *Record, name, value []byte) {
	if r.Labels.built == nil {
		r.Labels.built = make(map[string]string)
	}
	r.Labels.built[string(name)] = string(value)
}

func (heap) addGroup(groups []*Group, name string) []*Group {
	return append(groups, &Group{Name: name})
}

// heapTable is the heap with the arena's table instead of the built-in map. It
// is there to tell how much of an arena's gain is the table's.
type heapTable struct{ heap }

func (heapTable) setLabel(r *Record, name, value []byte) {
	if r.Labels.table == nil {
		r.Labels.table = &table[string]{}
	}
	r.Labels.table.set(nil, string(name), string(value))
}

// inArena takes everything from an arena of either kind.
type inArena struct{ a *arena.Arena }

func (m inArena) body(size int) []byte   { return m.a.AllocBytesUninit(size) }
func (m inArena) answer(size int) []byte { return m.a.AllocBytesUninit(size)[:0] }
func (m inArena) batch() *Batch          { return arena.New[Batch](m.a) }
func (m inArena) summary() *Summary      { return arena.New[Summary](m.a) }
func (m inArena) record() *Record        { return arena.New[Record](m.a) }
func (m inArena) text(b []byte) string   { return m.a.AllocBytesToString(b) }

func (m inArena) source(b *Batch, service, host []byte) *Source {
	s := arena.New[Source](m.a)
	s.Service, s.Host = m.text(service), m.text(host)
	b.Sources = arena.Append(m.a, b.Sources, s)
	return s
}

func (m inArena) addTag(r *Record, tag []byte) { r.Tags = arena.Append(m.a, r.Tags, m.text(tag)) }
func (m inArena) addSample(r *Record, n int64) { r.Samples = arena.Append(m.a, r.Samples, n) }

func (m inArena) setLabel(r *Record, name, value []byte) {
	if r.Labels.table == nil {
		r.Labels.table = arena.New[table[string]](m.a)
	}
	r.Labels.table.set(m.a, m.text(name), m.text(value))
}

func (m inArena) addGroup(groups []*Group, name string) []*Group {
	g := arena.New[Group](m.a)
	g.Name = name
	return arena.Append(m.a, groups, g)
}
