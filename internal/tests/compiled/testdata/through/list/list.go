// Package list wraps the arena's functions, as programs do. Each type of elements
// is used for one function, and only here: what the compiler knows of a generic
// function's instance it knows in packages that name that, and in no others.
package list

import (
	"iter"

	"github.com/harena-go/arena"
	"github.com/harena-go/arena/collections"
)

type (
	Plain   struct{ X, Y, Z uint64 }
	Edge    struct{ A, B *Edge }
	Node    struct{ Left, Right, Up *Node }
	Point   struct{ X, Y float32 }
	Ref     struct{ To *Point }
	Leaf    struct{ Sum [4]uint16 }
	Branch  struct{ Down []*Leaf }
	Segment struct{ From, To *int }
	Line    int32
	Span    struct{ From, To int32 }
	Pair    struct{ Key, Value string }
	Unit    struct{ Size int16 }
	Word    struct{ Runes [3]rune }
	Cell    struct{ Text *string }
	Name    struct{ First, Last, Title string }
	Row     struct{ Cells []int }
)

// A List has a slice of each kind.
type List struct {
	A        *arena.Arena
	leaves   *arena.Typed[Leaf]
	branches *arena.Typed[Branch]
	segments []Segment
	lines    []Line
	texts    []string
	spans    []Span
	pairs    []Pair
	rows     []Row
	Units    *collections.Slice[Unit]
}

func New() *List {
	l := &List{A: arena.NewArena()}
	l.leaves, l.branches = arena.For[Leaf](l.A), arena.For[Branch](l.A)
	l.Units = collections.NewSlice[Unit](l.A, 0)
	return l
}

// Reset begins anew.
func (l *List) Reset() {
	l.A.Reset()
	*l = List{A: l.A, leaves: l.leaves, branches: l.branches, Units: collections.NewSlice[Unit](l.A, 0)}
}

func (l *List) NewPlain() *Plain      { return arena.New[Plain](l.A) }
func (l *List) NewEdge() *Edge        { return arena.New[Edge](l.A) }
func (l *List) NewNode() *Node        { return arena.New[Node](l.A) }
func (l *List) NewPoint() *Point      { return arena.NewOf(l.A, Point{}) }
func (l *List) NewRef(to *Point) *Ref { return arena.NewOf(l.A, Ref{to}) }
func (l *List) NewLeaf() *Leaf        { return l.leaves.New() }
func (l *List) NewBranch() *Branch    { return l.branches.New() }

func (l *List) Segment(s Segment) { l.segments = arena.Append(l.A, l.segments, s) }
func (l *List) Line(n Line)       { l.lines = arena.Append(l.A, l.lines, n) }
func (l *List) Text(s string)     { l.texts = arena.Append(l.A, l.texts, s) }
func (l *List) Spans(s ...Span)   { l.spans = arena.Append(l.A, l.spans, s...) }
func (l *List) Pair(p, q Pair)    { l.pairs = arena.Append(l.A, l.pairs, p, q) }

func (l *List) Words(n int) []Word      { return arena.MakeSlice[Word](l.A, n, n) }
func (l *List) Cells(n int) []Cell      { return arena.MakeSlice[Cell](l.A, n, n) }
func (l *List) String(s string) string  { return l.A.AllocString(s) }
func (l *List) OfBytes(b []byte) string { return l.A.AllocBytesToString(b) }
func (l *List) Names(s []Name) []Name   { return arena.CopySlice(l.A, s) }
func (l *List) Rows(seq iter.Seq[Row])  { l.rows = arena.AppendSeq(l.A, l.rows, seq) }

// Of is a list of any type.
type Of[T any] struct {
	A *arena.Arena
	s []T
}

func NewOf[T any]() *Of[T] { return &Of[T]{A: arena.NewArena()} }

// Reset begins anew.
func (l *Of[T]) Reset() {
	l.A.Reset()
	l.s = nil
}

func (l *Of[T]) New() *T         { return arena.New[T](l.A) }
func (l *Of[T]) NewOf(v T) *T    { return arena.NewOf(l.A, v) }
func (l *Of[T]) Append(v T)      { l.s = arena.Append(l.A, l.s, v) }
func (l *Of[T]) Slice(n int) []T { return arena.MakeSlice[T](l.A, n, n) }
func (l *Of[T]) Adder() func(T)  { return func(v T) { l.s = arena.Append(l.A, l.s, v) } }
