package reclaim

import (
	"reflect"
	"slices"

	"github.com/harena-go/arena/internal/diagnose/stray"
	"github.com/harena-go/arena/internal/diagnose/watch"
	"github.com/harena-go/arena/internal/engine/layout"
	"github.com/harena-go/arena/internal/engine/memory"
)

// This file finds out which remains a family's values still point to. It must not depend on what a block holds: the
// family yields what is in use, and package stray finds what that leads to.

// A Family is an arena, its children, and the survivors of both.
type Family interface {
	// Known calls the methods Chunk, Chunks, Kept and Span of s with all memory of the family: what its values point
	// to as a rule. It includes the parents.
	Known(s *Sieve)

	// InUse calls Look and LookAt with all chunks in which values of the family are.
	InUse(s *Sieve)
}

// A Sieve finds out which of some remains have pointers to them.
type Sieve struct {
	spans   []stray.Span // of the remains; sorted and apart from each other
	reached []bool       // by the same index

	known   []stray.Span // of the family; likewise
	outside bool         // some word may lead anywhere

	looked uintptr // bytes, about
}

func newSieve(f Family, list []Remains) *Sieve {
	s := &Sieve{}
	opaque := false
	for i := range list {
		for j := range list[i].Chunks {
			s.spans = append(s.spans, stray.OfChunk(&list[i].Chunks[j]))
		}
		for _, v := range list[i].Kept {
			if p, all := reach(v); !all {
				opaque = true
			} else if p.End > p.Start {
				s.spans = append(s.spans, p)
			}
		}
	}
	s.spans = stray.Join(s.spans)
	s.reached = make([]bool, len(s.spans))
	if !opaque {
		s.outside = true // no kept value depends on it
		return s
	}
	f.Known(s)
	s.looked += knownCost * uintptr(len(s.known))
	s.known = stray.Join(s.known)
	return s
}

// knownCost is what a known span counts for, in bytes that are looked at.
const knownCost = 256

// Span adds memory of the family.
func (s *Sieve) Span(p stray.Span) { s.known = append(s.known, p) }

// Chunk adds a chunk of the family.
func (s *Sieve) Chunk(c *memory.Chunk) { s.Span(stray.OfChunk(c)) }

// Kept adds what KeepAlive was given.
func (s *Sieve) Kept(kept []any) {
	for _, v := range kept {
		if p := stray.SpanOf(v); p.End > p.Start {
			s.Span(p)
		}
	}
}

// Look looks at the part of a region that is in use.
func (s *Sieve) Look(r *memory.Region) {
	for c := range r.InUse {
		c.Words(s.word)
	}
	s.looked += r.Used()
}

// LookAt looks at all of some chunks.
func (s *Sieve) LookAt(chunks []memory.Chunk) {
	for i := range chunks {
		chunks[i].Words(s.word)
		s.looked += chunks[i].Total
	}
}

// word takes a word for a pointer.
func (s *Sieve) word(word uintptr) {
	if i := stray.Find(s.spans, word); i >= 0 {
		s.reached[i] = true
	} else if !s.outside {
		s.outside = word >= firstPage && stray.Find(s.known, word) < 0 && !stray.Static(word)
	}
}

// firstPage is the end of the addresses at which no program has memory.
const firstPage = 4 << 10

// strip removes from r what nothing points to, and submits its batch to t with the chunks.
func (s *Sieve) strip(r *Remains, t *watch.Tracker) {
	if !slices.ContainsFunc(r.Chunks, func(c memory.Chunk) bool { return s.reaches(stray.OfChunk(&c)) }) {
		if r.Batch != nil {
			t.Submit(r.Batch)
		}
		*r = Remains{Kept: r.Kept}
	}
	r.Kept = slices.DeleteFunc(r.Kept, func(v any) bool {
		p, all := reach(v)
		return all && !s.reaches(p) || !all && !s.outside
	})
}

// reaches reports whether a word led to a span of the remains, or to one with which it overlaps.
func (s *Sieve) reaches(p stray.Span) bool {
	i := stray.Find(s.spans, p.Start)
	return p.End > p.Start && s.reached[i]
}

// reach returns the memory that a value given to KeepAlive points to, and whether nothing else is reached from there.
func reach(v any) (s stray.Span, all bool) {
	t := reflect.TypeOf(v)
	switch {
	case t == nil || !layout.HasPointers(t):
		return s, true
	case t.Kind() == reflect.String:
	case t.Kind() != reflect.Pointer && t.Kind() != reflect.Slice || layout.HasPointers(t.Elem()):
		return s, false
	}
	return stray.SpanOf(v), true
}
