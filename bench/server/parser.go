package server

import (
	"bytes"
	"fmt"
)

// A SyntaxError says which line of a batch is wrong, and how.
type SyntaxError struct {
	Line   int // from 1
	Column int // in bytes, from 1
	What   string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Column, e.What)
}

// A parser turns the body of a request into a Batch. There is one parser for
// all ways to allocate, which differ in the maker alone. It is generic so that
// what a maker does isn't hidden behind an interface; see README.md for what the
// call costs.
//
// A parser is used for many requests in turn, for the sake of its buffers.
type parser[M maker] struct {
	make  M
	batch *Batch
	in    cursor
	seen  uint32 // the fields that the line has had

	// The last records and their spans. A parent writes shortly before its
	// children do, so it isn't looked for any further back.
	recent [lookBack]*Record
	spans  [lookBack]uint64
}

const lookBack = 16

// parse reads a whole batch: a record a line, each either a JSON object or
// logfmt. Empty lines are skipped.
func (p *parser[M]) parse(m M, body []byte) (*Batch, error) {
	p.make, p.batch = m, m.batch()
	for line := 1; len(body) > 0; line++ {
		text := body
		if end := bytes.IndexByte(body, '\n'); end >= 0 {
			text, body = body[:end], body[end+1:]
		} else {
			body = nil
		}
		p.in.start(text)
		p.seen = 0
		switch p.in.peek() {
		case 0: // the end
		case '{':
			p.jsonLine()
		default:
			p.logfmtLine()
		}
		if p.in.what != "" {
			return nil, &SyntaxError{Line: line, Column: p.in.at + 1, What: p.in.what}
		}
	}
	return p.batch, nil
}

// forget releases a batch, which the parser must not keep alive.
func (p *parser[M]) forget() {
	var none M
	p.make, p.batch = none, nil
	p.in.start(nil)
	clear(p.recent[:])
	clear(p.spans[:])
}

// An origin is what makes up a Source, as it stands in a line.
type origin struct {
	service, host []byte
	parent        uint64
}

// finish adds a record with all of its fields to the batch.
func (p *parser[M]) finish(r *Record, o origin) {
	r.Source = p.source(o)
	if o.parent != 0 {
		for i, span := range p.spans {
			if span == o.parent {
				r.Parent = p.recent[i]
			}
		}
	}
	i := p.batch.Records % lookBack
	p.recent[i], p.spans[i] = r, r.Span
	p.batch.add(r)
}

// source returns the batch's Source for a record. A batch has few.
func (p *parser[M]) source(o origin) *Source {
	for _, s := range p.batch.Sources {
		if s.Service == string(o.service) && s.Host == string(o.host) {
			return s
		}
	}
	return p.make.source(p.batch, o.service, o.host)
}
