// Package several has two units of work, each with benchmarks, and one that serves many goroutines.
package several

import "sync"

// Doc is what Parse returns, Word what it is made of.
type (
	Doc  struct{ Words []*Word }
	Word struct {
		Text string
		Next *Word
	}
)

// Parse is one unit.
func Parse(text string) *Doc {
	d := &Doc{}
	for i := range len(text) {
		d.Words = append(d.Words, &Word{Text: text[i : i+1]})
	}
	return d
}

// Render is another one.
func Render(d *Doc) string {
	var out []byte
	for _, w := range d.Words {
		out = append(out, w.Text...)
	}
	return string(out)
}

// Service is used by many goroutines at a time.
type Service struct {
	mu   sync.Mutex
	seen []*Entry
}

// Entry stays, Request doesn't.
type (
	Entry   struct{ Name [4]string }
	Request struct {
		Name  [3]string
		Entry *Entry
	}
)

// Serve is a unit that runs at the same time as others.
func (s *Service) Serve(name string) int {
	r := &Request{Name: [3]string{name}}
	r.Entry = &Entry{Name: [4]string{name}}
	s.mu.Lock()
	s.seen = append(s.seen, r.Entry)
	s.mu.Unlock()
	return work(r)
}

// work lets units run into each other. What a variable function gets is on the heap.
var work = func(r *Request) (n int) {
	for range 2000 {
		n += len(r.Name[0])
	}
	return n
}

// List is of any type, and so is its method, a unit.
type List[T any] struct{ values []*T }

// Fill makes the list anew, and returns its length.
func (l *List[T]) Fill(v T, n int) int {
	l.values = nil
	for range n {
		p := new(T)
		*p = v
		l.values = append(l.values, p)
	}
	n = len(l.values)
	l.values = nil
	return n
}
