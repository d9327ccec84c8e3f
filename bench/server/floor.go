package server

import (
	"fmt"
	"io"
	"sync"
)

// This file holds the floors that no allocator gets below: what HTTP costs, and
// what reading the text of a batch costs.

// isFloor reports whether a handler's answers are none.
func isFloor(h Handler) bool {
	switch h.(type) {
	case *null, *parseOnly:
		return true
	}
	return false
}

var empty = []byte("{}\n") // their answer

// null is the handler that reads a batch and answers without a look at it.
type null struct{ buffers sync.Pool }

func (*null) Handle(_ []byte, w io.Writer) error {
	_, err := w.Write(empty)
	return err
}

func (n *null) HandleFrom(body io.Reader, size int, w io.Writer) error {
	b, _ := n.buffers.Get().(*[]byte)
	if b == nil {
		b = new([]byte)
	}
	defer n.buffers.Put(b)
	if cap(*b) < size {
		*b = make([]byte, size)
	}
	if _, err := io.ReadFull(body, (*b)[:size]); err != nil {
		return fmt.Errorf("the body ends early: %w", err)
	}
	return n.Handle((*b)[:size], w)
}

// parseOnly is the handler that reads every field of a batch and keeps none.
type parseOnly struct{ parsers sync.Pool }

func (h *parseOnly) Handle(body []byte, w io.Writer) error {
	p, _ := h.parsers.Get().(*parser[nothing])
	if p == nil {
		p = new(parser[nothing])
	}
	defer h.parsers.Put(p)
	m := p.make
	if m.r == nil {
		m = nothing{&Batch{}, &Record{}, &Source{}}
	}
	if _, err := p.parse(m, body); err != nil {
		return err
	}
	_, err := w.Write(empty)
	return err
}

func (h *parseOnly) HandleFrom(body io.Reader, size int, w io.Writer) error {
	b, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	return h.Handle(b, w)
}

// nothing is the maker of parseOnly: there is one of everything.
type nothing struct {
	b *Batch
	r *Record
	s *Source
}

func (nothing) body(int) []byte                             { return nil }
func (nothing) answer(int) []byte                           { return nil }
func (nothing) summary() *Summary                           { return nil }
func (nothing) text([]byte) string                          { return "" }
func (nothing) addTag(*Record, []byte)                      {}
func (nothing) addSample(*Record, int64)                    {}
func (nothing) setLabel(*Record, []byte, []byte)            {}
func (nothing) addGroup(groups []*Group, _ string) []*Group { return groups }
func (m nothing) source(*Batch, []byte, []byte) *Source     { return m.s }

func (m nothing) batch() *Batch {
	*m.b = Batch{}
	return m.b
}

func (m nothing) record() *Record {
	*m.r = Record{}
	return m.r
}
