package state

import (
	"cmp"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"
)

const source = `package p

type T struct { next *T; name string }

func f(p *T, c bool) *T {
	x := new(T)
	y := new(T)
	x.next = p
	if c {
		x.next = y
	}
	for p != nil {
		p = p.next
	}
	return x.next
}
`

// compile returns the SSA form of function f of source.
func compile(t *testing.T) *ssa.Function {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(&types.Config{Importer: importer.Default()}, fset, types.NewPackage("p", ""), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return pkg.Func("f")
}

// A generator makes values of few tags and deaths, so that they often share some.
type generator struct {
	tags   []Tag
	deaths []*Death
}

func newGenerator(t *testing.T) generator {
	p := NewPlaces(func(int) {})
	var g generator
	known := Deaths{}
	g.deaths = append(g.deaths, nil)
	for _, b := range compile(t).Blocks {
		for _, i := range b.Instrs {
			g.deaths = append(g.deaths, known.Of(i, "Reset", false), known.Of(i, "Pool.Put", false))
		}
	}
	for _, path := range []string{"", ".name", ".names", "[]"} {
		g.tags = append(g.tags, Tag{Kind: Mem, Root: p.Root("a", NewArena), Path: path}, Tag{Kind: Handle, Root: p.Root("a", NewArena), Path: path},
			Tag{Kind: Ptr, Loc: p.Loc("x", nil, false), Path: path}, Tag{Kind: Ptr, Loc: p.Loc("x", nil, false), Off: ".next", Path: path})
	}
	return g
}

func (g generator) value() Value {
	v := Value{}
	for range rand.IntN(6) {
		v = v.Replace(Just(g.tags[rand.IntN(len(g.tags))], g.deaths[rand.IntN(len(g.deaths))]))
	}
	return v
}

func join(v, w Value) Value { x, _ := v.Join(w); return x }

// same reports whether two values are equal, ignoring different deaths if neither precedes the other.
func same(v, w Value) bool {
	return maps.EqualFunc(maps.Collect(v.All()), maps.Collect(w.All()), func(d, e *Death) bool {
		return (d == nil) == (e == nil) && (d == e || !precedes(d, e) && !precedes(e, d))
	})
}

// equal reports whether two values are the same. Each has a tag once, in order.
func equal(v, w Value) bool {
	x, y := maps.Collect(v.All()), maps.Collect(w.All())
	return len(x) == len(v) && maps.Equal(x, y) && slices.IsSortedFunc(v, func(a, b entry) int { return cmp.Compare(a.order, b.order) })
}

// TestJoinIsALattice: in any order of joins, however often repeated, the result is the same. Otherwise the analysis
// would depend on the order of maps, or not end.
func TestJoinIsALattice(t *testing.T) {
	g := newGenerator(t)
	for range 20_000 {
		u, v, w := g.value(), g.value(), g.value()
		before := v.Clone()
		if x, more := v.Join(v); more || !same(x, v) {
			t.Fatalf("%v and itself: %v", v, x)
		}
		if !same(join(v, w), join(w, v)) {
			t.Fatalf("%v and %v: the order matters", v, w)
		}
		if !same(join(join(u, v), w), join(u, join(v, w))) {
			t.Fatalf("%v, %v and %v: the order matters", u, v, w)
		}
		x, more := v.Join(w)
		if _, again := x.Join(w); again || more == equal(x, v) {
			t.Fatalf("%v and %v: news is told wrongly", v, w)
		}
		if !equal(v, before) {
			t.Fatalf("Join has changed %v to %v", before, v)
		}
	}
}

// TestDeadOnOnePathIsDead: no join brings anything back to life.
func TestDeadOnOnePathIsDead(t *testing.T) {
	g := newGenerator(t)
	for range 20_000 {
		v, w := g.value(), g.value()
		x := join(v, w)
		for tag, d := range v.All() {
			if d != nil && x.Death(tag) == nil {
				t.Fatalf("%v and %v: %v lives", v, w, tag)
			}
		}
	}
}

// TestPartIsTheInverseOfAs, and ".name" is no part of ".names".
func TestPartIsTheInverseOfAs(t *testing.T) {
	g := newGenerator(t)
	for range 1000 {
		v := g.value()
		if got := v.As(".f").Part(".f"); !equal(got, v) {
			t.Fatalf("%v became %v", v, got)
		}
		for tag := range v.Part(".name").All() {
			if tag.Path != "" {
				t.Fatalf("%v is a part of name", tag)
			}
		}
		if got := v.As(".names").Part(".name"); len(got) != 0 {
			t.Fatalf("%v is a part of names", got)
		}
	}
}
