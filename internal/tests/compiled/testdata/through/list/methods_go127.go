//go:build go1.27

package list

import (
	"iter"

	"github.com/harena-go/arena"
)

type (
	Plain27   struct{ X, Y, Z, W uint64 }
	Edge27    struct{ A, B, C *Edge27 }
	Point27   struct{ X, Y float64 }
	Segment27 struct{ From, To *int16 }
	Line27    struct{ At int64 }
	Cell27    struct{ Text []string }
	Name27    struct{ First, Last []byte }
	Row27     struct{ Cells []int8 }
	Branch27  struct{ Down []*Edge27 }
)

// Methods does what List does, with the arena's methods.
type Methods struct {
	*List
	segments []Segment27
	lines    []Line27
	rows     []Row27
	branches *arena.Typed[Branch27]
}

func NewMethods() *Methods {
	l := New()
	return &Methods{List: l, branches: l.A.For[Branch27]()}
}

// Reset begins anew.
func (m *Methods) Reset() {
	m.List.Reset()
	*m = Methods{List: m.List, branches: m.branches}
}

func (m *Methods) NewPlain() *Plain27   { return m.A.New[Plain27]() }
func (m *Methods) NewEdge() *Edge27     { return m.A.New[Edge27]() }
func (m *Methods) NewPoint() *Point27   { return m.A.NewOf(Point27{}) }
func (m *Methods) NewBranch() *Branch27 { return m.branches.New() }

func (m *Methods) Segment(s Segment27)       { m.segments = m.A.Append(m.segments, s) }
func (m *Methods) Line(n Line27)             { m.lines = m.A.Append(m.lines, n) }
func (m *Methods) Cells(n int) []Cell27      { return m.A.MakeSlice[Cell27](n, n) }
func (m *Methods) Names(s []Name27) []Name27 { return m.A.CopySlice(s) }
func (m *Methods) Rows(seq iter.Seq[Row27])  { m.rows = m.A.AppendSeq(m.rows, seq) }
